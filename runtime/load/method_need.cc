#include "runtime/load/method_need.h"

#include "contract/checked.h"
#include "contract/plan_record.h"
#include "runtime/core/evalue.h"
#include "runtime/load/loaded_method.h"
#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_kinds.h"

namespace berth::runtime {
namespace {

constexpr uint64_t kMethodBytesPerFileByte = 4;
constexpr uint64_t kMethodBytesAtLeast = 1024;

// Tensors, and the dims of those whose shape may change.
Status count_tensors(FlatReader& reader, const MethodTables& tables, MethodCounts* counts) {
  uint32_t tensors = 0;
  uint32_t dynamic_dims = 0;
  TableLayout values{kinds::kValue};
  TableLayout layout{kinds::kTensor};
  for (uint32_t i = 0; i < tables.values.count; ++i) {
    reader.faults().item = i;
    const FlatTable value = reader.enter(tables.values.position + 4 * i, &values);
    BERTH_TRY(reader.status());
    if (reader.known<uint8_t>(value, values, kinds::kType) == static_cast<uint8_t>(Tag::kTensor)) {
      ++tensors;
      const FlatTable tensor = reader.enter_field(value, values, kinds::kBody, &layout);
      if (tensor && reader.known<int8_t>(tensor, layout, kinds::kDynamism) != 0) {
        dynamic_dims += reader.known_vector(tensor, layout, kinds::kSizes, slots::kSizes).count;
        if (dynamic_dims > INT32_MAX) {
          return reader.faults().fail(Status::kBadCount, slots::kSizes, INT32_MAX, dynamic_dims);
        }
      }
    }
    BERTH_TRY(reader.status());
  }
  counts->tensors = tensors;
  counts->dynamic_dims = dynamic_dims;
  return Status::kOk;
}

// Name and base alignment of a pool from the plan record; files without one are planned for
// kDefaultAlignment.
Status describe_pool(const ProgramFile& file, PoolNeed* pool, LoadFaults& faults) {
  pool->alignment = kDefaultAlignment;
  pool->name = "";
  if (!file.has_record()) return Status::kOk;
  FlatReader reader = file.record_reader(faults);
  for (uint32_t i = 0; i < file.record_pools.count; ++i) {
    faults.item = i;
    const FlatTable entry = reader.table_at(file.record_pools, i, slots::kRecordPools);
    const uint32_t mem_id = reader.scalar<uint32_t>(entry, slots::kRecordPoolMemId);
    const uint32_t given = reader.scalar<uint32_t>(entry, slots::kRecordPoolAlignment);
    const uint32_t alignment = given == 0 ? kDefaultAlignment : given;
    const FlatVector name = reader.text(entry, slots::kRecordPoolName);
    BERTH_TRY(reader.status());
    if (mem_id != pool->mem_id) continue;
    if (!is_power_of_two(alignment)) {
      return faults.fail(Status::kBadValue, slots::kRecordPoolAlignment, kDefaultAlignment,
                         alignment);
    }
    if (name) pool->name = reader.chars(name);
    pool->alignment = alignment;
    break;
  }
  return Status::kOk;
}

}  // namespace

Status read_pools(const ProgramFile& file, const MethodTables& tables, MethodNeed* need,
                  LoadFaults& faults) {
  const FlatReader reader = file.reader(faults);
  for (uint32_t i = 1; i < tables.pool_sizes.count; ++i) {
    faults.item = i;
    const int64_t bytes = reader.at<int64_t>(tables.pool_sizes, i);
    if (static_cast<uint64_t>(bytes) > SIZE_MAX / 2) {  // negative ones too
      return faults.fail(Status::kBadValue, slots::kPoolSizes, SIZE_MAX / 2, bytes);
    }
    if (bytes == 0) continue;
    if (need->pool_count == kMaxPools) {
      return faults.fail(Status::kUnsupported, slots::kPoolSizes, kMaxPools, kMaxPools + 1);
    }
    PoolNeed& pool = need->pools[need->pool_count++];
    pool.mem_id = i;
    pool.bytes = static_cast<uint64_t>(bytes);
    BERTH_TRY(describe_pool(file, &pool, faults));
  }
  return Status::kOk;
}

Status count_items(FlatReader& reader, const MethodTables& tables, MethodCounts* counts) {
  // Chains may share their bytes, so a small file can count far.
  uint32_t instructions = 0;
  for (uint32_t i = 0; i < tables.chains.count; ++i) {
    FlatVector chain;
    BERTH_TRY(open_chain(reader, tables, i, &chain));
    instructions += chain.count;
    if (instructions > INT32_MAX) {
      return reader.faults().fail(Status::kBadCount, slots::kInstructions, INT32_MAX, instructions);
    }
  }
  counts->values = tables.values.count;
  counts->instructions = instructions;
  counts->operators = tables.operators.count;
  counts->delegates = tables.delegates.count;
  counts->inputs = tables.inputs.count;
  return Status::kOk;
}

uint64_t build_bytes(const MethodCounts& counts) { return method_bytes(counts, kBuildAbi); }

Status measure_method(const ProgramFile& file, const MethodTables& tables, MethodNeed* need,
                      LoadFaults& faults) {
  FlatReader reader = file.reader(faults);
  MethodCounts counts;
  BERTH_TRY(count_items(reader, tables, &counts));
  BERTH_TRY(count_tensors(reader, tables, &counts));
  need->method_bytes = build_bytes(counts);
  // An honest file spends more bytes on an item than the runtime; one whose items share their bytes
  // could ask for anything.
  const uint64_t most = kMethodBytesPerFileByte * uint64_t{file.program_size} + kMethodBytesAtLeast;
  if (need->method_bytes > most) {
    return faults.fail(Status::kBadCount, slots::kValues, most, need->method_bytes);
  }
  return read_pools(file, tables, need, faults);
}

}  // namespace berth::runtime
