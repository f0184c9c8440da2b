#include "program/read_instructions.h"

#include <fmt/format.h>

#include <utility>

namespace berth::program {
namespace {

class InstructionReader {
 public:
  InstructionReader(ReadContext& context, Method& method) : c_(context), method_(method) {}

  MaybeError read_chains(const pte::ExecutionPlan& plan) {
    if (plan.chains() == nullptr) return c_.missing("chains");
    if (plan.chains()->size() == 0)
      return c_.path.error("chains", "empty; a method has at least one");
    Method& m = method_;
    if (!c_.budget.take(plan.chains()->size(), sizeof(int32_t))) return c_.exhausted();
    m.chain_begins.clear();
    uint64_t total = 0;
    bool traced = false;
    for (uint32_t c = 0; c < plan.chains()->size(); ++c) {
      const pte::Chain& chain = *plan.chains()->Get(c);
      Scope scope(c_.path, "chains", c);
      if (chain.instructions() == nullptr) return c_.missing("instructions");
      total += chain.instructions()->size();
      traced = traced || (chain.stacktrace() != nullptr && chain.stacktrace()->size() > 0);
    }
    if (!c_.budget.take(total, sizeof(Instruction) + (traced ? sizeof(FrameList) : 0))) {
      return c_.exhausted();
    }
    m.instructions.reserve(static_cast<size_t>(total));
    if (traced) m.stacktrace.resize(static_cast<size_t>(total));
    for (uint32_t c = 0; c < plan.chains()->size(); ++c) {
      Scope scope(c_.path, "chains", c);
      if (auto error = read_chain(*plan.chains()->Get(c))) return error;
    }
    return {};
  }

 private:
  MaybeError read_chain(const pte::Chain& chain) {
    c_.unknown.look(chain, pte::Chain::VT_STACKTRACE, c_.path);
    if (chain.inputs() != nullptr && chain.inputs()->size() > 0) {
      c_.unknown.note(c_.path.text("inputs") + " (unused by all known runtimes, but not empty)");
    }
    if (chain.outputs() != nullptr && chain.outputs()->size() > 0) {
      c_.unknown.note(c_.path.text("outputs") + " (unused by all known runtimes, but not empty)");
    }
    Method& m = method_;
    const size_t begin = m.instructions.size();
    m.chain_begins.push_back(static_cast<int32_t>(begin));
    const uint32_t count = chain.instructions()->size();
    for (uint32_t i = 0; i < count; ++i) {
      Scope scope(c_.path, "instructions", i);
      m.instructions.emplace_back();
      if (auto error =
              read_instruction(*chain.instructions()->Get(i), begin, count, &m.instructions.back()))
        return error;
    }
    const auto* traces = chain.stacktrace();
    if (traces == nullptr || traces->size() == 0) return {};
    if (traces->size() != count) {
      c_.unknown.note(fmt::format("{} ({} lists for {} instructions)", c_.path.text("stacktrace"),
                                  traces->size(), count));
      return {};
    }
    for (uint32_t i = 0; i < count; ++i) {
      Scope scope(c_.path, "stacktrace", i);
      if (auto error = read_frames(*traces->Get(i), &m.stacktrace[begin + i])) return error;
    }
    return {};
  }

  MaybeError read_frames(const pte::FrameList& list, FrameList* out) {
    c_.unknown.look(list, pte::FrameList::VT_ITEMS, c_.path);
    if (list.items() == nullptr) return {};
    if (!c_.budget.take(list.items()->size(), sizeof(Frame))) return c_.exhausted();
    out->resize(list.items()->size());
    for (uint32_t i = 0; i < list.items()->size(); ++i) {
      Scope scope(c_.path, "items", i);
      const pte::Frame& frame = *list.items()->Get(i);
      c_.unknown.look(frame, pte::Frame::VT_CONTEXT, c_.path);
      Frame& target = (*out)[i];
      target.lineno = frame.lineno();
      if (auto error = c_.read_text("filename", frame.filename(), false, &target.filename))
        return error;
      if (auto error = c_.read_text("name", frame.name(), false, &target.name)) return error;
      if (auto error = c_.read_text("context", frame.context(), false, &target.context))
        return error;
    }
    return {};
  }

  MaybeError read_instruction(const pte::Instruction& instruction, size_t chain_begin,
                              uint32_t count, Instruction* out) {
    c_.unknown.look(instruction, pte::Instruction::VT_INSTR_ARGS, c_.path);
    const auto type = static_cast<int>(instruction.instr_args_type());
    if (type < 1 || type > static_cast<int>(pte::InstructionArguments::MAX)) {
      return c_.path.error(
          "instr_args_type",
          fmt::format("{}; must be 1..{}", type, static_cast<int>(pte::InstructionArguments::MAX)));
    }
    if (instruction.instr_args() == nullptr) return c_.missing("instr_args");
    Scope scope(c_.path, "instr_args");
    if (const pte::KernelCall* call = instruction.instr_args_as_KernelCall()) {
      c_.unknown.look(*call, pte::KernelCall::VT_ARGS, c_.path);
      KernelCall kernel;
      kernel.op = call->op_index();
      if (auto error = c_.read_numbers("args", call->args(), &kernel.args)) return error;
      out->call = std::move(kernel);
    } else if (const pte::DelegateCall* delegate = instruction.instr_args_as_DelegateCall()) {
      DelegateCall target;
      target.newer_fields = c_.unknown.look(*delegate, pte::DelegateCall::VT_ARGS, c_.path);
      target.delegate = delegate->delegate_index();
      if (auto error = c_.read_numbers("args", delegate->args(), &target.args)) return error;
      out->call = std::move(target);
    } else if (const pte::MoveCall* move = instruction.instr_args_as_MoveCall()) {
      c_.unknown.look(*move, pte::MoveCall::VT_MOVE_TO, c_.path);
      out->call = MoveCall{move->move_from(), move->move_to()};
    } else if (const pte::JumpFalseCall* jump = instruction.instr_args_as_JumpFalseCall()) {
      c_.unknown.look(*jump, pte::JumpFalseCall::VT_DESTINATION_INSTRUCTION, c_.path);
      const int32_t target = jump->destination_instruction();
      if (target < 0 || static_cast<uint32_t>(target) > count) {
        return c_.path.error("destination_instruction",
                             fmt::format("{}; must be 0..{}", target, count));
      }
      out->call =
          JumpFalseCall{jump->cond_value_index(), static_cast<int32_t>(chain_begin) + target};
    } else if (const pte::FreeCall* free = instruction.instr_args_as_FreeCall()) {
      c_.unknown.look(*free, pte::FreeCall::VT_VALUE_INDEX, c_.path);
      out->call = FreeCall{free->value_index()};
    }
    return {};
  }

  ReadContext& c_;
  Method& method_;
};

}  // namespace

MaybeError read_instructions(ReadContext& context, const pte::ExecutionPlan& plan, Method& method) {
  return InstructionReader(context, method).read_chains(plan);
}

}  // namespace berth::program
