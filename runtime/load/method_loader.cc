#include "runtime/load/method_loader.h"

#include <cstring>
#include <new>

#include "runtime/load/certificate.h"
#include "runtime/load/load_context.h"
#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

// Hands out the blocks of method memory in the order of contract/runtime_sizes.h.
class Blocks {
 public:
  explicit Blocks(uint8_t* start) : next_(start) {}
  template <typename T>
  T* take(uint64_t count, uint32_t bytes_each = sizeof(T)) {
    uint8_t* block = next_;
    next_ += (count * bytes_each + 7) & ~uint64_t{7};
    return reinterpret_cast<T*>(block);
  }

 private:
  uint8_t* next_;
};

Status bind_pools(const MemoryGiven& memory, LoadContext& c) {
  for (uint32_t p = 0; p < c.need.pool_count; ++p) {
    const PoolNeed& need = c.need.pools[p];
    c.faults.item = need.mem_id;
    Span<uint8_t> bytes;
    for (const PoolMemory& pool : memory.pools) {
      if (pool.mem_id == need.mem_id) bytes = pool.bytes;
    }
    if (bytes.size() < need.bytes) {
      return c.faults.fail(Status::kTooSmall, slots::kPoolMemory, need.bytes, bytes.size());
    }
    const uintptr_t misplaced = reinterpret_cast<uintptr_t>(bytes.data()) % need.alignment;
    if (misplaced != 0) {
      return c.faults.fail(Status::kMisaligned, slots::kPoolMemory, need.alignment, misplaced);
    }
    c.pool_bases[p] = bytes.data();
  }
  return Status::kOk;
}

Status mark_cells(LoadContext& c, const FlatVector& list, const Slot& slot, uint8_t flag) {
  const int32_t* indices = c.reader.elements<int32_t>(list);
  for (uint32_t i = 0; i < list.count; ++i) {
    c.faults.item = i;
    if (static_cast<uint32_t>(indices[i]) >= c.method->value_count) {
      return c.faults.fail(Status::kBadIndex, slot, c.method->value_count, indices[i]);
    }
    EValue& value = c.method->values[indices[i]];
    if (flag == kInputCell && (value.flags & kInputCell) != 0) {
      return c.faults.fail(Status::kBadValue, slot, 1, 2);  // listed twice
    }
    value.flags |= flag;
    if (flag != kInputCell || value.tag != Tag::kTensor) continue;
    if (value.tensor->home == Home::kConstant) {
      // A caller's bytes cannot be copied over a constant.
      return c.faults.fail(Status::kBadValue, slot, 0, indices[i]);
    }
    if (value.tensor->home == Home::kCaller) value.tensor->home = Home::kInput;
  }
  return Status::kOk;
}

// What the caller has to give before the first run: all inputs, and memory for outputs that have
// none. Any other tensor has bytes from somewhere, or could never be used.
Status count_missing(LoadContext& c) {
  LoadedMethod& method = *c.method;
  method.missing = method.input_count;
  if (kForSpeed && !c.any_unplaced) return Status::kOk;
  for (uint32_t i = 0; i < method.value_count; ++i) {
    EValue& value = method.values[i];
    c.faults.item = i;
    if (value.tag != Tag::kTensor || value.tensor->home != Home::kCaller) continue;
    if ((value.flags & kRepointed) != 0 || value.tensor->capacity == 0) continue;
    if ((value.flags & kOutputCell) == 0) {
      return c.faults.fail(Status::kMissingField, slots::kAllocationInfo);
    }
    value.flags |= kAwaited;
    ++method.missing;
  }
  return Status::kOk;
}

// Scratch sized for another instruction set may be too small here; the host's kernels take it from
// any.
Status check_isa(const ProgramFile& file, LoadFaults& faults) {
  const bool is_own = file.record_isa == kBuildIsa || file.record_isa == Isa::kUnstated;
  if (kBuildIsa == Isa::kHost || is_own) return Status::kOk;
  return faults.fail(Status::kWrongIsa, slots::kRecordIsa, kBuildIsa, file.record_isa);
}

Status check_plan(LoadContext& c) {
  c.faults.item = 0;
  FlatTable record;
  if (c.file.has_record()) {
    BERTH_TRY(check_isa(c.file, c.faults));
    c.method->isa = c.file.record_isa;
    BERTH_TRY(find_method_record(c.file, c.method->name, &record, c.faults));
  }
  if (!record) {
    return c.options.require_plan_record
               ? c.faults.fail(Status::kNoPlanRecord, slots::kRecordMethods)
               : Status::kOk;
  }
#if defined(BERTH_NO_CERTIFICATE) || defined(BERTH_TRUST_FILE)
  // The prover is compiled out: who demands a proof must not be told there was one.
  return c.options.require_plan_record ? Status::kUnsupported : Status::kOk;
#else
  BERTH_TRY(prove_plan(*c.method, c.file.record_reader(c.faults), record));
  c.method->proven = true;
  return Status::kOk;
#endif
}

// What can be said once all values and instructions are there.
Status check_whole(LoadContext& c) {
  BERTH_TRY(count_missing(c));
  return check_plan(c);
}

}  // namespace

Status LoadContext::too_small() {
  // The bytes are told to nobody, and nothing else can be wrong.
  if (kTrustFile && !kTellsFaults) return Status::kTooSmall;
  MethodNeed whole;
  BERTH_TRY(measure_method(file, tables, &whole, faults));
  faults.item = 0;
  return faults.fail(Status::kTooSmall, slots::kMethodMemory, whole.method_bytes, own_size);
}

Status load_method(const ProgramFile& file, const char* name, const LoadOptions& options,
                   const MemoryGiven& memory, LoadedMethod** out, LoadFaults& faults) {
  MethodTables tables;
  BERTH_TRY(open_method(file, name, &tables, faults));
  faults.item = 0;
  const DelegateFunctions* const delegates = options.backends.functions();
  if (tables.delegates.count != 0 && delegates == nullptr) {
    return faults.fail(Status::kNoSuchBackend, slots::kDelegates, 0, tables.delegates.count);
  }
  const Span<uint8_t>& own = memory.method;
  const uintptr_t misplaced = reinterpret_cast<uintptr_t>(own.data()) % kMethodMemoryAlignment;
  if (misplaced != 0) {
    return faults.fail(Status::kMisaligned, slots::kMethodMemory, kMethodMemoryAlignment,
                       misplaced);
  }
  MethodNeed need;
  BERTH_TRY(read_pools(file, tables, &need, faults));
  LoadContext context{file, tables, options, need, faults, file.reader(faults)};
  BERTH_TRY(bind_pools(memory, context));

  MethodCounts counts;
  BERTH_TRY(count_items(context.reader, tables, &counts));
  context.own_size = own.size();
  context.dims = reinterpret_cast<int32_t*>(own.data() + own.size() / 8 * 8);
  if (build_bytes(counts) > own.size()) return context.too_small();
  Blocks blocks(own.data());
  LoadedMethod* method = new (blocks.take<LoadedMethod>(1)) LoadedMethod();
  context.method = method;
  method->name = tables.name;
  method->program = file.data;
  method->program_size = file.program_size;
  method->values_at = tables.values.position;
  method->values = blocks.take<EValue>(counts.values);
  method->instructions = blocks.take<Instruction>(counts.instructions);
  context.operators = blocks.take<const Kernel*>(counts.operators);
  blocks.take<DelegateEntry>(counts.delegates);
  method->delegate_count = static_cast<uint16_t>(counts.delegates);
  method->input_set = blocks.take<uint8_t>(counts.inputs);
  context.next_tensor = blocks.take<Tensor>(0);
  method->value_count = static_cast<uint32_t>(counts.values);
  method->instruction_count = static_cast<uint32_t>(counts.instructions);
  method->input_count = tables.inputs.count;
  method->output_count = tables.outputs.count;
  method->inputs = context.reader.elements<int32_t>(tables.inputs);
  method->outputs = context.reader.elements<int32_t>(tables.outputs);
  memset(method->input_set, 0, method->input_count);

  BERTH_TRY(build_values(context));
  // Both blocks end at a multiple of 8, as they are counted.
  if (context.room() < (0 - reinterpret_cast<uintptr_t>(context.next_tensor)) % 8) {
    return context.too_small();
  }
  BERTH_TRY(mark_cells(context, tables.inputs, slots::kInputs, kInputCell));
  BERTH_TRY(mark_cells(context, tables.outputs, slots::kOutputs, kOutputCell));
  BERTH_TRY(resolve_operators(context));
  BERTH_TRY(build_instructions(context));
  BERTH_TRY(delegates == nullptr ? check_whole(context) : delegates->load(context, check_whole));
  *out = method;
  return Status::kOk;
}

}  // namespace berth::runtime
