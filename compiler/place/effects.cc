// Roles of arguments, per instruction.
//
// Known operators: by the letters of contract/operators.h. Operators we do not know follow the
// format's convention: a single out is the last schema argument, repeated in the return slot;
// several outs are the items of a TensorList in the return slot, which stand before it as
// arguments; everything else is read. Delegates say nothing of their arguments unless the plan
// record gives counts: then inputs, outputs, scratch, and what the delegate keeps. Without: an
// argument that no earlier instruction wrote, that is neither input, state nor constant and stands
// behind all those is a result; the others are read and perhaps written. What stands behind them
// all and is nobody else's is work memory (delegates_memory.h).
#include "compiler/place/effects.h"

#include <algorithm>

#include "compiler/place/delegates_memory.h"
#include "contract/operators.h"

namespace berth::place {
namespace {

using program::DelegateCall;
using program::KernelCall;
using program::Method;
using program::Value;

class EffectFinder {
 public:
  explicit EffectFinder(const Method& method)
      : method_(method), written_(method.values.size(), false), work_(find_delegates_work(method)) {
    for (const program::Operator& op : method.operators) {
      schemas_.push_back(find_operator(op.name.c_str(), op.overload.c_str()));
    }
  }

  std::vector<Effects> run() {
    std::vector<Effects> all;
    all.reserve(method_.instructions.size());
    for (const program::Instruction& instruction : method_.instructions) {
      Effects effects;
      if (const auto* call = std::get_if<KernelCall>(&instruction.call)) {
        kernel_call(*call, &effects);
      } else if (const auto* delegate = std::get_if<DelegateCall>(&instruction.call)) {
        delegate_call(*delegate, instruction, &effects);
      } else if (const auto* move = std::get_if<program::MoveCall>(&instruction.call)) {
        effects.repoints.push_back({move->from, move->to});
      } else if (const auto* jump = std::get_if<program::JumpFalseCall>(&instruction.call)) {
        add_tensors(jump->condition, &effects.reads);
      }
      for (int32_t v : effects.writes) written_[v] = true;
      for (const Effects::Repoint& r : effects.repoints) written_[r.to] = true;
      all.push_back(std::move(effects));
    }
    return all;
  }

 private:
  const Value& value(int32_t v) const { return method_.values[v]; }

  // The tensors a value stands for: itself, or the items of a list.
  void add_tensors(int32_t v, std::vector<int32_t>* out) const {
    const Value& val = value(v);
    if (val.tensor() != nullptr) {
      out->push_back(v);
    } else if (const auto* list = std::get_if<program::TensorList>(&val.data)) {
      out->insert(out->end(), list->values.begin(), list->values.end());
    } else if (const auto* optional = std::get_if<program::OptionalTensorList>(&val.data)) {
      for (int32_t item : optional->values) {
        if (item >= 0 && value(item).tensor() != nullptr) out->push_back(item);
      }
    }
  }

  void kernel_call(const KernelCall& call, Effects* effects) const {
    const OperatorSchema* schema = schemas_[call.op];
    if (schema == nullptr) return unknown_kernel_call(call, effects);
    // A stranger's call may have the name, and other arguments.
    if (schema == &ops::kPrimEtView && call.args.size() >= 3 &&
        value(call.args[0]).tensor() != nullptr && value(call.args[2]).tensor() != nullptr) {
      effects->repoints.push_back({call.args[0], call.args[2]});
      return;
    }
    size_t i = 0;
    for (const char* letter = schema->args; *letter != '\0' && i < call.args.size();
         ++letter, ++i) {
      switch (*letter) {
        case 'O':
        case 'P':
          add_tensors(call.args[i], &effects->writes);
          break;
        case 'X':
          add_tensors(call.args[i], &effects->scratch);
          break;
        case 'M':
          add_tensors(call.args[i], &effects->reads);
          add_tensors(call.args[i], &effects->writes);
          break;
        default:
          add_tensors(call.args[i], &effects->reads);
      }
    }
  }

  void unknown_kernel_call(const KernelCall& call, Effects* effects) const {
    if (call.args.empty()) return;
    const int32_t returned = call.args.back();
    std::vector<int32_t> outs;
    add_tensors(returned, &outs);
    for (size_t i = 0; i + 1 < call.args.size(); ++i) {
      std::vector<int32_t> tensors;
      add_tensors(call.args[i], &tensors);
      for (int32_t t : tensors) {
        const bool is_out = std::find(outs.begin(), outs.end(), t) != outs.end();
        // In-place operators return an early argument, which they read too.
        if (!is_out || i + 2 < call.args.size()) {
          if (!(is_out && outs.size() > 1)) effects->reads.push_back(t);
        }
      }
    }
    effects->writes = std::move(outs);
  }

  void delegate_call(const DelegateCall& call, const program::Instruction& instruction,
                     Effects* effects) const {
    // Results stand behind arguments: what stands before something that holds bytes already is no
    // result, but a static view.
    size_t others = call.args.size();
    while (others > 0 && work_[call.args[others - 1]] == call.delegate) --others;
    size_t results = 0;
    for (size_t i = 0; i < others; ++i) {
      std::vector<int32_t> tensors;
      add_tensors(call.args[i], &tensors);
      for (int32_t t : tensors) {
        if (starts_written(t) || written_[t]) results = i + 1;
      }
    }
    for (size_t i = 0; i < call.args.size(); ++i) {
      std::vector<int32_t> tensors;
      add_tensors(call.args[i], &tensors);
      for (int32_t t : tensors) {
        if (instruction.input_count && instruction.output_count) {
          const size_t inputs = *instruction.input_count;
          if (i < inputs) {
            effects->reads.push_back(t);
          } else if (i < inputs + *instruction.output_count) {
            effects->writes.push_back(t);
          } else if (method_.storages[value(t).tensor()->storage].role == Role::kPersistent) {
            effects->reads.push_back(t);
          } else {
            effects->scratch.push_back(t);
          }
        } else if (i >= others) {
          const bool is_kept =
              method_.storages[value(t).tensor()->storage].role == Role::kPersistent;
          (is_kept ? effects->reads : effects->scratch).push_back(t);
        } else if (i < results || starts_written(t) || written_[t]) {
          effects->reads.push_back(t);
        } else {
          effects->writes.push_back(t);
        }
      }
    }
  }

  // Inputs, state and constants hold something before the first instruction.
  bool starts_written(int32_t v) const {
    if (std::find(method_.inputs.begin(), method_.inputs.end(), v) != method_.inputs.end())
      return true;
    const program::Storage& storage = method_.storages[value(v).tensor()->storage];
    return storage.kind == program::StorageKind::kState ||
           storage.kind == program::StorageKind::kConstant ||
           storage.kind == program::StorageKind::kExternal;
  }

  const Method& method_;
  std::vector<const OperatorSchema*> schemas_;  // parallel to method_.operators; null: unknown
  std::vector<bool> written_;
  const std::vector<int32_t> work_;  // per value: the delegate whose own it is, or -1
};

}  // namespace

std::vector<Effects> find_effects(const Method& method) { return EffectFinder(method).run(); }

}  // namespace berth::place
