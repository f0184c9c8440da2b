// The instructions: every index in range, every argument of the kind that its operator takes,
// nothing constant written.
#include "contract/operators.h"
#include "runtime/load/load_context.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

constexpr uint32_t bit(Tag tag) { return 1u << static_cast<uint32_t>(tag); }
constexpr uint32_t kScalarTags = bit(Tag::kInt) | bit(Tag::kDouble) | bit(Tag::kBool);

// The kinds of value that a letter of a schema takes (contract/operators.h).
uint32_t tags_of(char letter) {
  switch (letter) {
    case 'T':
    case 'X':
    case 'O':
    case 'M':
      return bit(Tag::kTensor);
    case 't':
      return bit(Tag::kTensor) | bit(Tag::kNone);
    case 'L':
      return bit(Tag::kTensorList);
    case 'i':
      return bit(Tag::kInt);
    case 'n':
      return bit(Tag::kInt) | bit(Tag::kNone);
    case 'd':
      return bit(Tag::kDouble) | bit(Tag::kInt);
    case 's':
    case 'Y':
      return kScalarTags;
    case 'z':
      return kScalarTags | bit(Tag::kNone);
    case 'b':
      return bit(Tag::kBool);
    case 'I':
      return bit(Tag::kIntList);
    case 'D':
      return bit(Tag::kDoubleList);
    case 'B':
      return bit(Tag::kBoolList);
    case 'a':
      return bit(Tag::kString);
    default:
      return 0;
  }
}

const Kernel* find_kernel(const LoadContext& c, const char* name, const char* overload) {
  for (const Span<const Kernel>& table : c.options.kernels) {
    for (const Kernel& kernel : table) {
      if (same_text(kernel.schema->name, name) && same_text(kernel.schema->overload, overload)) {
        return &kernel;
      }
    }
  }
  return nullptr;
}

// An index of the value table, or a fault.
Status read_index(LoadContext& c, uint32_t k, const FlatTable& call, const Slot& slot,
                  uint32_t* out) {
  const int32_t index = c.reader.scalar<int32_t>(call, slot);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, k);
  if (static_cast<uint32_t>(index) >= c.method->value_count) {
    return c.note.fail(Status::kBadIndex, slot.name(), k, c.method->value_count,
                       static_cast<uint64_t>(index));
  }
  *out = static_cast<uint32_t>(index);
  return Status::kOk;
}

// A tensor that instruction k writes at position `at` of its arguments.
Status check_written(LoadContext& c, uint32_t k, uint32_t at, const OperatorSchema& schema,
                     char letter, EValue& value, const EValue& first) {
  Tensor& tensor = *value.tensor;
  const auto refuse = [&](Status status) {
    return c.note.fail(status, slots::kArgs.name(), k, at, static_cast<uint64_t>(tensor.home));
  };
  if (tensor.home == Home::kConstant) return refuse(Status::kBadArguments);
  if (tensor.home == Home::kInput) return refuse(Status::kUnsupported);
  if (letter == 'X' && tensor.dtype != ScalarType::kByte && tensor.dtype != ScalarType::kChar) {
    return refuse(Status::kBadArguments);
  }
  if (letter == 'O' && same_operator(schema, ops::kEtView)) {
    // From here on only et_view gives it bytes: those of some other tensor, which may be a
    // constant. Only a view of an output's own memory may be written.
    const Tensor& self = *first.tensor;
    const bool of_output = self.home == Home::kCaller && (value.flags & kRepointed) == 0;
    if ((value.flags & (kInputCell | kWritten)) != 0) return refuse(Status::kUnsupported);
    tensor.home = of_output ? Home::kOutputView : Home::kView;
    value.flags |= kRepointed;
    c.any_repointed = true;
    return Status::kOk;
  }
  if (tensor.home == Home::kView) return refuse(Status::kUnsupported);
  value.flags |= kWritten;
  return Status::kOk;
}

// The last slot of a call repeats what the operator returns: its out, or a list of its outs.
bool is_return_slot(const LoadContext& c, const OperatorSchema& schema, const int32_t* args,
                    uint32_t length) {
  uint32_t outs = 0;
  uint32_t only = 0;
  char wanted = 'M';
  for (uint32_t j = 0; j < length; ++j) {
    if (schema.args[j] == 'O') wanted = 'O';
  }
  for (uint32_t j = 0; j < length; ++j) {
    if (schema.args[j] != wanted) continue;
    ++outs;
    only = j;
  }
  if (outs == 1) return args[length] == args[only];
  const EValue& list = c.method->values[args[length]];
  if (list.tag != Tag::kTensorList || list.count != outs) return false;
  for (uint32_t j = 0, e = 0; j < length; ++j) {
    if (schema.args[j] == wanted && list.tensor_list[e++] != args[j]) return false;
  }
  return true;
}

Status build_kernel_call(LoadContext& c, uint32_t k, const FlatTable& call, Instruction* out) {
  const int32_t op = c.reader.scalar<int32_t>(call, slots::kOpIndex);
  const FlatVector args = c.reader.vector(call, slots::kArgs, 4, 4);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, k);
  if (static_cast<uint32_t>(op) >= c.tables.operators.count) {
    return c.note.fail(Status::kBadIndex, slots::kOpIndex.name(), k, c.tables.operators.count,
                       static_cast<uint64_t>(op));
  }
  if (!args) return c.note.fail(Status::kMissingField, slots::kArgs.name(), k);
  if (args.count > kMaxArgs || !c.count_list(args.count, 4)) {
    return c.note.fail(Status::kBadCount, slots::kArgs.name(), k, kMaxArgs, args.count);
  }
  const Kernel* kernel = c.operators[op];
  const OperatorSchema& schema = *kernel->schema;
  const int32_t* indices = c.reader.elements<int32_t>(args);
  for (uint32_t j = 0; j < args.count; ++j) {
    if (static_cast<uint32_t>(indices[j]) >= c.method->value_count) {
      return c.note.fail(Status::kBadIndex, slots::kArgs.name(), k, c.method->value_count,
                         static_cast<uint64_t>(indices[j]));
    }
  }
  uint32_t length = 0;
  for (; schema.args[length] != '\0'; ++length) {
    if (length == args.count) break;
    const char letter = schema.args[length];
    EValue& value = c.method->values[indices[length]];
    if ((tags_of(letter) & bit(value.tag)) == 0) {
      return c.note.fail(Status::kBadArguments, slots::kArgs.name(), k, length,
                         static_cast<uint64_t>(value.tag));
    }
    if (letter == 'O' || letter == 'M' || letter == 'X') {
      BERTH_TRY(check_written(c, k, length, schema, letter, value, c.method->values[indices[0]]));
    } else if (letter == 'Y') {
      value.flags |= kWritten;
    }
  }
  const uint32_t expected = length + (has_return_slot(schema) ? 1 : 0);
  if (schema.args[length] != '\0' || args.count != expected) {
    return c.note.fail(Status::kBadCount, slots::kArgs.name(), k, expected, args.count);
  }
  if (expected != length && !is_return_slot(c, schema, indices, length)) {
    return c.note.fail(Status::kBadArguments, slots::kArgs.name(), k, length,
                       static_cast<uint64_t>(indices[length]));
  }
  out->args = indices;
  out->kernel = kernel;
  out->count = args.count & kMaxArgs;
  out->kind = static_cast<uint32_t>(InstructionKind::kKernel);
  return Status::kOk;
}

// A move lets its target stand for the source's bytes, so kernels must find in it what they were
// promised.
Status build_move(LoadContext& c, uint32_t k, const FlatTable& call, Instruction* out) {
  BERTH_TRY(read_index(c, k, call, slots::kMoveFrom, &out->from));
  BERTH_TRY(read_index(c, k, call, slots::kMoveTo, &out->to));
  const EValue& from = c.method->values[out->from];
  EValue& to = c.method->values[out->to];
  const bool same_kind =
      from.tag == to.tag && (from.tag != Tag::kTensor || from.tensor->dtype == to.tensor->dtype);
  const bool is_view = to.tag == Tag::kTensor && to.tensor->home == Home::kView;
  if (!same_kind || is_view || (to.flags & kInputCell) != 0) {
    return c.note.fail(Status::kBadArguments, slots::kMoveTo.name(), k, out->from, out->to);
  }
  to.flags |= kRepointed | kWritten;
  c.any_repointed = true;
  out->kind = static_cast<uint32_t>(InstructionKind::kMove);
  return Status::kOk;
}

Status build_jump(LoadContext& c, uint32_t k, const FlatTable& call, uint32_t chain_begin,
                  uint32_t chain_count, Instruction* out) {
  BERTH_TRY(read_index(c, k, call, slots::kCondition, &out->condition));
  const EValue& condition = c.method->values[out->condition];
  const bool is_bool =
      condition.tag == Tag::kBool ||
      (condition.tag == Tag::kTensor && condition.tensor->dtype == ScalarType::kBool);
  if (!is_bool) {
    return c.note.fail(Status::kBadArguments, slots::kCondition.name(), k,
                       static_cast<uint64_t>(Tag::kBool), static_cast<uint64_t>(condition.tag));
  }
  // One past the last instruction ends the chain.
  const int32_t target = c.reader.scalar<int32_t>(call, slots::kDestination);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, k);
  if (static_cast<uint32_t>(target) > chain_count) {
    return c.note.fail(Status::kBadIndex, slots::kDestination.name(), k, chain_count,
                       static_cast<uint64_t>(target));
  }
  out->target = chain_begin + static_cast<uint32_t>(target);
  out->kind = static_cast<uint32_t>(InstructionKind::kJumpFalse);
  return Status::kOk;
}

Status build_free(LoadContext& c, uint32_t k, const FlatTable& call, Instruction* out) {
  BERTH_TRY(read_index(c, k, call, slots::kFreed, &out->from));
  if (c.method->values[out->from].tag != Tag::kTensor) {
    return c.note.fail(Status::kBadArguments, slots::kFreed.name(), k,
                       static_cast<uint64_t>(Tag::kTensor),
                       static_cast<uint64_t>(c.method->values[out->from].tag));
  }
  out->kind = static_cast<uint32_t>(InstructionKind::kFree);
  return Status::kOk;
}

Status build_instruction(LoadContext& c, uint32_t k, const FlatTable& instruction,
                         uint32_t chain_begin, uint32_t chain_count, Instruction* out) {
  const uint8_t type = c.reader.scalar<uint8_t>(instruction, slots::kCallType);
  const FlatTable call = c.reader.table(instruction, slots::kCall);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, k);
  *out = Instruction();
  switch (static_cast<slots::CallType>(type)) {
    case slots::CallType::kKernel:
    case slots::CallType::kDelegate:
    case slots::CallType::kMove:
    case slots::CallType::kJumpFalse:
    case slots::CallType::kFree:
      break;
    default:
      return c.note.fail(Status::kBadValue, slots::kCallType.name(), k,
                         static_cast<uint64_t>(slots::CallType::kFree), type);
  }
  if (!call) return c.note.fail(Status::kMissingField, slots::kCall.name(), k);
  switch (static_cast<slots::CallType>(type)) {
    case slots::CallType::kKernel:
      return build_kernel_call(c, k, call, out);
    case slots::CallType::kMove:
      return build_move(c, k, call, out);
    case slots::CallType::kJumpFalse:
      return build_jump(c, k, call, chain_begin, chain_count, out);
    case slots::CallType::kFree:
      return build_free(c, k, call, out);
    case slots::CallType::kDelegate:
      break;
  }
  return c.note.fail(Status::kNoSuchBackend, slots::kCallType.name(), k);
}

// A view of an output stays one: nothing points the output's own cell elsewhere.
Status check_output_views(LoadContext& c) {
  for (uint32_t k = 0; k < c.method->instruction_count; ++k) {
    const Instruction& instruction = c.method->instructions[k];
    if (!instruction.is_kernel() || !same_operator(*instruction.kernel->schema, ops::kEtView))
      continue;
    const EValue& self = c.method->values[instruction.args[0]];
    const EValue& out = c.method->values[instruction.args[2]];
    if (out.tensor->home != Home::kOutputView) continue;
    if (self.tensor->home != Home::kCaller || (self.flags & kRepointed) != 0) {
      return c.note.fail(Status::kUnsupported, slots::kArgs.name(), k, 0,
                         static_cast<uint64_t>(self.tensor->home));
    }
  }
  return Status::kOk;
}

// Calls whose arguments may stand for other bytes than their own are looked at again when they run.
void mark_checked_calls(LoadedMethod& method) {
  for (uint32_t k = 0; k < method.instruction_count; ++k) {
    Instruction& instruction = method.instructions[k];
    if (!instruction.is_kernel()) continue;
    bool repointed = false;
    for (uint32_t j = 0; j < instruction.count; ++j) {
      const EValue& value = method.values[instruction.args[j]];
      repointed |= (value.flags & kRepointed) != 0;
      if (value.tag != Tag::kTensorList && value.tag != Tag::kOptionalTensorList) continue;
      for (uint32_t e = 0; e < value.count; ++e) {
        const int32_t element = value.tensor_list[e];
        repointed |= element >= 0 && (method.values[element].flags & kRepointed) != 0;
      }
    }
    if (repointed) instruction.kind = static_cast<uint32_t>(InstructionKind::kCheckedKernel);
  }
}

}  // namespace

Status resolve_operators(LoadContext& context) {
  FlatReader& reader = context.reader;
  for (uint32_t i = 0; i < context.tables.operators.count; ++i) {
    const FlatTable entry = reader.table_at(context.tables.operators, i, slots::kOperators);
    const FlatVector name = reader.text(entry, slots::kOperatorName);
    const FlatVector overload = reader.text(entry, slots::kOperatorOverload);
    if (!reader.ok()) return fail_reading(context.note, reader, i);
    if (!name) return context.note.fail(Status::kMissingField, slots::kOperatorName.name(), i);
    const Kernel* kernel =
        find_kernel(context, reader.chars(name), overload ? reader.chars(overload) : "");
    if (kernel == nullptr) {
      return context.note.fail(Status::kNoSuchOperator, slots::kOperatorName.name(), i);
    }
    context.operators[i] = kernel;
  }
  return Status::kOk;
}

Status build_instructions(LoadContext& context) {
  uint32_t k = 0;
  for (uint32_t chain = 0; chain < context.tables.chains.count; ++chain) {
    FlatVector list;
    BERTH_TRY(open_chain(context.reader, context.tables, chain, &list, context.note));
    const uint32_t begin = k;
    for (uint32_t i = 0; i < list.count; ++i, ++k) {
      const FlatTable entry = context.reader.table_at(list, i, slots::kInstructions);
      BERTH_TRY(build_instruction(context, k, entry, begin, list.count,
                                  &context.method->instructions[k]));
    }
  }
  if (!context.any_repointed) return Status::kOk;
  mark_checked_calls(*context.method);
  return check_output_views(context);
}

}  // namespace berth::runtime
