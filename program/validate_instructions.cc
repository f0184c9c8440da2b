// The rules for chains and instructions.
#include <fmt/format.h>

#include "program/rules.h"

namespace berth::program {
namespace {

class InstructionValidator {
 public:
  InstructionValidator(const Method& method, FieldPath& path) : method_(method), path_(path) {}

  MaybeError check_chains() {
    const Method& method = method_;
    const auto& begins = method.chain_begins;
    if (begins.empty() || begins[0] != 0) {
      return path_.error("chains", "the first chain must begin at instruction 0");
    }
    const auto count = static_cast<int32_t>(method.instructions.size());
    for (size_t c = 0; c < begins.size(); ++c) {
      const int32_t begin = begins[c];
      const int32_t end = c + 1 < begins.size() ? begins[c + 1] : count;
      if (begin < 0 || end < begin || end > count) {
        return path_.error(fmt::format("chains[{}]", c),
                           fmt::format("instructions {}..{} of {}; chains must follow each other",
                                       begin, end, count));
      }
      FieldPath::Scope scope(path_, "chains", static_cast<int64_t>(c));
      for (int32_t i = begin; i < end; ++i) {
        FieldPath::Scope inner(path_, "instructions", i - begin);
        if (auto error = check_instruction(method.instructions[static_cast<size_t>(i)], begin, end))
          return error;
      }
    }
    return {};
  }

 private:
  MaybeError check_instruction(const Instruction& instruction, int32_t begin, int32_t end) const {
    const Method& method = method_;
    const size_t values = method.values.size();
    size_t argument_count = 0;
    bool is_delegate = false;
    if (const auto* call = std::get_if<KernelCall>(&instruction.call)) {
      if (auto error =
              check_index(path_, "op_index", call->op, method.operators.size(), "operators"))
        return error;
      if (auto error = check_value_indices(path_, "args", call->args, method_.values.size()))
        return error;
    } else if (const auto* delegate = std::get_if<DelegateCall>(&instruction.call)) {
      is_delegate = true;
      argument_count = delegate->args.size();
      if (auto error = check_index(path_, "delegate_index", delegate->delegate,
                                   method.delegates.size(), "delegates"))
        return error;
      if (auto error = check_value_indices(path_, "args", delegate->args, method_.values.size()))
        return error;
    } else if (const auto* move = std::get_if<MoveCall>(&instruction.call)) {
      if (auto error = check_index(path_, "move_from", move->from, values, "values")) return error;
      if (auto error = check_index(path_, "move_to", move->to, values, "values")) return error;
    } else if (const auto* jump = std::get_if<JumpFalseCall>(&instruction.call)) {
      if (auto error = check_jump(*jump, begin, end)) return error;
    } else if (const auto* free = std::get_if<FreeCall>(&instruction.call)) {
      if (auto error = check_index(path_, "value_index", free->value, values, "values"))
        return error;
      if (!is_tensor(free->value)) {
        return path_.error("value_index", fmt::format("{}, which is no Tensor value", free->value));
      }
    }
    return check_notes(instruction, is_delegate, argument_count);
  }

  MaybeError check_jump(const JumpFalseCall& jump, int32_t begin, int32_t end) const {
    if (auto error =
            check_index(path_, "cond_value_index", jump.condition, method_.values.size(), "values"))
      return error;
    const Value& condition = method_.values[static_cast<size_t>(jump.condition)];
    const Tensor* tensor = condition.tensor();
    const bool is_bool = tensor != nullptr ? tensor->dtype == ScalarType::kBool
                                           : std::holds_alternative<bool>(condition.data);
    if (!is_bool) {
      return path_.error(
          "cond_value_index",
          fmt::format("{}, which is neither a Bool nor a bool Tensor", jump.condition));
    }
    if (jump.target < begin || jump.target > end) {
      return path_.error(
          "destination_instruction",
          fmt::format("{}; must be 0..{}", int64_t{jump.target} - begin, end - begin));
    }
    return {};
  }

  // What only the plan record says of an instruction.
  MaybeError check_notes(const Instruction& instruction, bool is_delegate, size_t args) const {
    for (const InPlaceOption& option : instruction.in_place) {
      for (int32_t value : {option.output, option.input}) {
        if (auto error = check_index(path_, "in_place", value, method_.values.size(), "values"))
          return error;
        if (!is_tensor(value)) {
          return path_.error("in_place", fmt::format("{}, which is no Tensor value", value));
        }
      }
    }
    if (!instruction.input_count && !instruction.output_count) return {};
    if (!is_delegate || !instruction.input_count || !instruction.output_count) {
      return path_.error("input_count",
                         "counts of inputs and outputs belong together, and to a "
                         "DelegateCall");
    }
    if (uint64_t{*instruction.input_count} + *instruction.output_count > args) {
      return path_.error("input_count",
                         fmt::format("{} inputs and {} outputs, but {} arguments",
                                     *instruction.input_count, *instruction.output_count, args));
    }
    return {};
  }

  bool is_tensor(int64_t index) const {
    return method_.values[static_cast<size_t>(index)].tensor() != nullptr;
  }

  const Method& method_;
  FieldPath& path_;
};

}  // namespace

MaybeError check_instructions(const Method& method, FieldPath& path) {
  return InstructionValidator(method, path).check_chains();
}

}  // namespace berth::program
