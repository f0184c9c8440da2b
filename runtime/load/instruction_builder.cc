// The instructions: every index in range, every argument of the kind that its operator takes,
// nothing constant written.
#include <cstring>

#include "contract/operators.h"
#include "runtime/load/known_operators.h"
#include "runtime/load/load_context.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

// What a letter of a schema (contract/operator_schema.h) means: a bit per Tag that it takes, and
// what there is to do about the argument.
constexpr uint16_t kIsMore = 1u << 12;  // than to look at the tag: one of the following, or a list
constexpr uint16_t kReturns = 1u << 13;

struct LetterTable {
  uint16_t meaning['z' - 'A' + 1] = {};
  constexpr LetterTable() {
    // In the order of Tag, from kNone on.
    constexpr const char* kTakers[] = {"tnzecjkS", "insdzeY", "bszcY", "dszeY", "TOtXM", "aS",
                                       "Ij",       "Dk",      "B",     "LPl",   "l"};
    int tag = static_cast<int>(Tag::kNone);
    for (const char* letters : kTakers) {
      for (; *letters != '\0'; ++letters)
        meaning[*letters - 'A'] |= static_cast<uint16_t>(1u << tag);
      ++tag;
    }
    for (char letter = 'A'; letter <= 'z'; ++letter) {
      uint16_t& bits = meaning[letter - 'A'];
      if (is_written(letter)) bits |= kIsMore;
      if (is_returned(letter)) bits |= kReturns;
      if (letter == 'L' || letter == 'l') bits |= kIsMore;
      if (letter == 'Y') bits |= kIsMore;
    }
  }
};
constexpr LetterTable kLetters;
static_assert(static_cast<int>(Tag::kOptionalTensorList) < 12, "tags and what calls do have bits");

// `length`: of the name as the file counts it.
const Kernel* find_kernel(const LoadContext& c, const char* name, [[maybe_unused]] uint32_t length,
                          const char* overload) {
#ifndef __OPTIMIZE_SIZE__
  for (const Span<const Kernel>& table : c.options.kernels) {
    for (const Kernel& kernel : table) {
      const OperatorSchema& schema = *kernel.schema;
      if (schema.name_length != length || memcmp(schema.name, name, length) != 0) continue;
      if (same_text(schema.overload, overload)) return &kernel;
    }
  }
  // One with a NUL in it ends there.
  if (strlen(name) == length) return nullptr;
#endif
  for (const Span<const Kernel>& table : c.options.kernels) {
    for (const Kernel& kernel : table) {
      if (is_named(*kernel.schema, name, overload)) return &kernel;
    }
  }
  return nullptr;
}

// An index of the value table, or a fault.
Status read_index(LoadContext& c, FlatTable call, const Slot& slot, uint32_t* out) {
  const int32_t index = c.reader.scalar<int32_t>(call, slot);
  BERTH_TRY(c.reader.status());
  if (static_cast<uint32_t>(index) >= c.method->value_count) {
    return c.fail(Status::kBadIndex, slot, c.method->value_count, index);
  }
  *out = static_cast<uint32_t>(index);
  return Status::kOk;
}

// A tensor that instruction k writes at position `at` of its arguments.
Status check_written(LoadContext& c, uint32_t at, const OperatorSchema& schema, EValue& value,
                     EValue& first) {
  const char letter = schema.args[at];
  Tensor& tensor = *value.tensor;
  const auto refuse = [&](Status status) { return c.fail(status, slots::kArgs, at, tensor.home); };
  if (tensor.home == Home::kConstant) return refuse(Status::kBadArguments);
  if (tensor.home == Home::kInput) return refuse(Status::kUnsupported);
  if (letter == 'X' && tensor.dtype != ScalarType::kByte && tensor.dtype != ScalarType::kChar) {
    return refuse(Status::kBadArguments);
  }
  if (letter == 'O' && is_et_view(schema)) {
    // From here on only et_view gives it bytes: those of some other tensor, which may be a
    // constant. Only a view of an output's own memory may be written, and that output stays what
    // it is.
    if ((value.flags & (kInputCell | kWritten | kViewed)) != 0) return refuse(Status::kUnsupported);
    const bool of_output =
        first.tensor->home == Home::kCaller && ((first.flags | value.flags) & kRepointed) == 0;
    if (of_output) first.flags |= kViewed;
    tensor.home = of_output ? Home::kOutputView : Home::kView;
    value.flags |= kRepointed;
    c.any_repointed = true;
    return Status::kOk;
  }
  if (tensor.home == Home::kView) return refuse(Status::kUnsupported);
  value.flags |= kWritten;
  return Status::kOk;
}

// Whether the last slot of a call names its results again: the out, or a list of all outs.
bool repeats_results(const LoadedMethod& method, const char* letters, const int32_t* args,
                     const int32_t& last) {
  const Span<const int32_t> named = method.entries(last);
  uint32_t results = 0;
  for (uint32_t j = 0; letters[j] != '\0'; ++j) {
    if (!is_returned(letters[j])) continue;
    for (const int32_t entry : method.entries(args[j])) {
      if (results == named.size() || named[results] != entry) return false;
      ++results;
    }
  }
  return results == named.size();
}

// Whether it is a planned tensor that any operator but et_view may write: what check_written would
// find out, and true of nearly all.
inline bool is_plain_result(const OperatorSchema& schema, char letter, const EValue& value) {
  if (value.tag != Tag::kTensor || value.tensor->home != Home::kPool) return false;
  const ScalarType type = value.tensor->dtype;
  if (letter == 'X') return type == ScalarType::kByte || type == ScalarType::kChar;
  return letter != 'O' || !is_et_view(schema);
}

// What there is to do about an argument besides looking at its tag.
[[maybe_unused]] BERTH_APART Status mark_argument(LoadContext& c, const OperatorSchema& schema,
                                                  const int32_t* indices, uint32_t at) {
  const char letter = schema.args[at];
  EValue& value = c.method->values[indices[at]];
  if (letter == 'Y') {
    value.flags |= kWritten;
    return Status::kOk;
  }
  if (kForSpeed && is_plain_result(schema, letter, value) && c.count_list_use(1)) {
    value.flags |= kWritten;
    return Status::kOk;
  }
  const Span<const int32_t> entries = c.method->entries(indices[at]);
  if (!c.count_list_use(entries.size())) {
    return c.fail(Status::kBadCount, slots::kArgs, at, entries.size());
  }
  if (!is_written(letter)) return Status::kOk;
  for (const int32_t entry : entries) {
    BERTH_TRY(check_written(c, at, schema, c.method->values[entry], c.method->values[indices[0]]));
  }
  return Status::kOk;
}

// Most of a load's time goes by here: kept apart, so that a call's numbers stay in registers.
[[maybe_unused]] __attribute__((noinline)) Status check_arguments(LoadContext& c,
                                                                  const OperatorSchema& schema,
                                                                  const int32_t* indices,
                                                                  uint32_t count) {
  const char* letters = schema.args;
  const EValue* values = c.method->values;
  const uint32_t value_count = c.method->value_count;
  uint32_t results = 0;  // arguments that the call names again
  uint32_t result = 0;   // the last of them
  uint32_t j = 0;
  for (; letters[j] != '\0' && j < count; ++j) {
    const uint32_t index = static_cast<uint32_t>(indices[j]);
    if (index >= value_count) return c.fail(Status::kBadIndex, slots::kArgs, value_count, index);
    const uint32_t meaning = kLetters.meaning[letters[j] - 'A'];
    const Tag tag = values[index].tag;
    if ((meaning >> static_cast<uint32_t>(tag) & 1) == 0) {
      return c.fail(Status::kBadArguments, slots::kArgs, j, tag);
    }
    if ((meaning & kIsMore) == 0) continue;
    BERTH_TRY(mark_argument(c, schema, indices, j));
    if ((meaning & kReturns) == 0) continue;
    ++results;
    result = j;
  }
  if (results != 0 && is_prim(schema)) results = 0;
  const uint32_t expected = j + (results != 0 ? 1 : 0);
  if (letters[j] != '\0' || count != expected) {
    return c.fail(Status::kBadCount, slots::kArgs, expected, count);
  }
  if (results == 0) return Status::kOk;
  const uint32_t last = static_cast<uint32_t>(indices[j]);
  if (last >= value_count) return c.fail(Status::kBadIndex, slots::kArgs, value_count, last);
  // One result is mostly named as it is.
  if (results == 1 && indices[j] == indices[result]) return Status::kOk;
  return repeats_results(*c.method, letters, indices, indices[j])
             ? Status::kOk
             : c.fail(Status::kBadArguments, slots::kArgs, j, last);
}

Status build_kernel_call(LoadContext& c, FlatTable call, Instruction* out) {
  const int32_t op = c.reader.known<int32_t>(call, c.call_layout, kinds::kOperator);
  const FlatVector args =
      c.reader.known_vector(call, c.call_layout, kinds::kArguments, slots::kArgs);
  BERTH_TRY(c.reader.status());
  if (static_cast<uint32_t>(op) >= c.tables.operators.count) {
    return c.fail(Status::kBadIndex, slots::kOpIndex, c.tables.operators.count, op);
  }
  if (args.count > kMaxArgs || !c.count_list(args.count, 2)) {
    return c.fail(Status::kBadCount, slots::kArgs, kMaxArgs, args.count);
  }
  const Kernel* kernel = c.operators[op];
  const int32_t* indices = c.reader.elements<int32_t>(args);
  if constexpr (!kTrustFile) {
    BERTH_TRY(check_arguments(c, *kernel->schema, indices, args.count));
  } else if (is_et_view(*kernel->schema)) {
    EValue* values = c.method->values;
    BERTH_TRY(check_written(c, 2, *kernel->schema, values[indices[2]], values[indices[0]]));
  }
  out->args = indices;
  out->kernel = kernel;
  out->count = args.count & kMaxArgs;
  out->kind = static_cast<uint32_t>(InstructionKind::kKernel);
  return Status::kOk;
}

// A move lets its target stand for the source's bytes, so kernels must find in it what they were
// promised.
Status build_move(LoadContext& c, FlatTable call, Instruction* out) {
  BERTH_TRY(read_index(c, call, slots::kMoveFrom, &out->from));
  BERTH_TRY(read_index(c, call, slots::kMoveTo, &out->to));
  const EValue& from = c.method->values[out->from];
  EValue& to = c.method->values[out->to];
  const bool same_kind =
      from.tag == to.tag && (from.tag != Tag::kTensor || from.tensor->dtype == to.tensor->dtype);
  const bool is_view = to.tag == Tag::kTensor &&
                       (to.tensor->home == Home::kView || to.tensor->home == Home::kOutputView);
  if (!same_kind || is_view || (to.flags & (kInputCell | kViewed)) != 0) {
    return c.fail(Status::kBadArguments, slots::kMoveTo, out->from, out->to);
  }
  to.flags |= kRepointed | kWritten;
  c.any_repointed = true;
  out->kind = static_cast<uint32_t>(InstructionKind::kMove);
  return Status::kOk;
}

Status build_jump(LoadContext& c, FlatTable call, uint32_t chain_begin, uint32_t chain_count,
                  Instruction* out) {
  BERTH_TRY(read_index(c, call, slots::kCondition, &out->condition));
  const EValue& condition = c.method->values[out->condition];
  const bool is_bool =
      condition.tag == Tag::kBool ||
      (condition.tag == Tag::kTensor && condition.tensor->dtype == ScalarType::kBool);
  if (!is_bool) {
    return c.fail(Status::kBadArguments, slots::kCondition, Tag::kBool, condition.tag);
  }
  // One past the last instruction ends the chain.
  const int32_t target = c.reader.scalar<int32_t>(call, slots::kDestination);
  BERTH_TRY(c.reader.status());
  if (static_cast<uint32_t>(target) > chain_count) {
    return c.fail(Status::kBadIndex, slots::kDestination, chain_count, target);
  }
  out->target = chain_begin + static_cast<uint32_t>(target);
  out->kind = static_cast<uint32_t>(InstructionKind::kJumpFalse);
  return Status::kOk;
}

Status build_free(LoadContext& c, FlatTable call, Instruction* out) {
  BERTH_TRY(read_index(c, call, slots::kFreed, &out->from));
  if (c.method->values[out->from].tag != Tag::kTensor) {
    return c.fail(Status::kBadArguments, slots::kFreed, Tag::kTensor,
                  c.method->values[out->from].tag);
  }
  out->kind = static_cast<uint32_t>(InstructionKind::kFree);
  return Status::kOk;
}

// `at`: of the offset that leads to it.
Status build_instruction(LoadContext& c, uint32_t at, uint32_t chain_begin, uint32_t chain_count,
                         Instruction* out) {
  const TableLayout& layout = c.instruction_layout;
  const FlatTable instruction = c.reader.enter(at, &c.instruction_layout);
  const uint8_t type = c.reader.known<uint8_t>(instruction, layout, kinds::kType);
  const FlatTable call =
      type == static_cast<uint8_t>(slots::CallType::kKernel)
          ? c.reader.enter_field(instruction, layout, kinds::kBody, &c.call_layout)
          : c.reader.known_table(instruction, layout, kinds::kBody, slots::kCall);
  BERTH_TRY(c.reader.status());
  *out = Instruction();
  if (type == 0 || type > static_cast<uint8_t>(slots::CallType::kFree)) {
    return c.fail(Status::kBadValue, slots::kCallType, slots::CallType::kFree, type);
  }
  if (!call) return c.fail(Status::kMissingField, slots::kCall);
  switch (static_cast<slots::CallType>(type)) {
    case slots::CallType::kKernel:
      return build_kernel_call(c, call, out);
    case slots::CallType::kMove:
      return build_move(c, call, out);
    case slots::CallType::kJumpFalse:
      return build_jump(c, call, chain_begin, chain_count, out);
    case slots::CallType::kFree:
      return build_free(c, call, out);
    case slots::CallType::kDelegate:
      // The rest of it is built when all others are there.
      if (c.options.backends.functions() == nullptr) break;
      out->kind = static_cast<uint32_t>(InstructionKind::kDelegate);
      return Status::kOk;
  }
  return c.fail(Status::kNoSuchBackend, slots::kCallType);
}

// Calls whose arguments may stand for other bytes than their own are looked at again when they run.
void mark_checked_calls(LoadedMethod& method) {
  for (uint32_t k = 0; k < method.instruction_count; ++k) {
    Instruction& instruction = method.instructions[k];
    if (!instruction.is_kernel()) continue;
    bool repointed = false;
    for (uint32_t j = 0; j < instruction.count; ++j) {
      for (const int32_t entry : method.entries(instruction.args[j])) {
        repointed |= entry >= 0 && (method.values[entry].flags & kRepointed) != 0;
      }
    }
    if (repointed) instruction.kind = static_cast<uint32_t>(InstructionKind::kCheckedKernel);
  }
}

}  // namespace

Status resolve_operators(LoadContext& context) {
  FlatReader& reader = context.reader;
#ifndef __OPTIMIZE_SIZE__
  TableLayout layout{kinds::kOperatorEntry};
#endif
  for (uint32_t i = 0; i < context.tables.operators.count; ++i) {
    context.faults.item = i;
#ifndef __OPTIMIZE_SIZE__
    const FlatTable entry = reader.enter(context.tables.operators.position + 4 * i, &layout);
    BERTH_TRY(reader.status());
    const FlatVector name = reader.known_text(entry, layout, kinds::kName, slots::kOperatorName);
    const FlatVector overload =
        reader.known_text(entry, layout, kinds::kOverload, slots::kOperatorOverload);
#else
    const FlatTable entry = reader.table_at(context.tables.operators, i, slots::kOperators);
    const FlatVector name = reader.text(entry, slots::kOperatorName);
    const FlatVector overload = reader.text(entry, slots::kOperatorOverload);
#endif
    BERTH_TRY(context.reader.status());
    const Kernel* kernel = find_kernel(context, reader.chars(name), name.count,
                                       overload ? reader.chars(overload) : "");
    if (kernel == nullptr) {
      return context.fail(Status::kNoSuchOperator, slots::kOperatorName);
    }
    context.operators[i] = kernel;
  }
  return Status::kOk;
}

Status build_instructions(LoadContext& context) {
  uint32_t k = 0;
  for (uint32_t chain = 0; chain < context.tables.chains.count; ++chain) {
    FlatVector list;
    BERTH_TRY(open_chain(context.reader, context.tables, chain, &list));
    const uint32_t begin = k;
    for (uint32_t i = 0; i < list.count; ++i, ++k) {
      context.faults.item = k;
      BERTH_TRY(build_instruction(context, list.position + 4 * i, begin, list.count,
                                  &context.method->instructions[k]));
    }
  }
  if (context.any_repointed) mark_checked_calls(*context.method);
  return Status::kOk;
}

}  // namespace berth::runtime
