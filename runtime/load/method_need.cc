#include "runtime/load/method_need.h"

#include "contract/checked.h"
#include "contract/plan_record.h"
#include "runtime/core/evalue.h"
#include "runtime/load/loaded_method.h"
#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

constexpr uint64_t kMethodBytesPerFileByte = 4;
constexpr uint64_t kMethodBytesAtLeast = 1024;

Status count_values(FlatReader& reader, const MethodTables& tables, MethodCounts* counts,
                    FaultNote note) {
  for (uint32_t i = 0; i < tables.values.count; ++i) {
    const FlatTable value = reader.table_at(tables.values, i, slots::kValues);
    const uint8_t type = reader.scalar<uint8_t>(value, slots::kValueType);
    if (type == static_cast<uint8_t>(Tag::kTensor)) {
      ++counts->tensors;
      const FlatTable tensor = reader.table(value, slots::kValue);
      if (reader.scalar<int8_t>(tensor, slots::kShapeDynamism) != 0) {
        counts->dynamic_dims += reader.vector(tensor, slots::kSizes, 4, 4).count;
      }
    }
    if (!reader.ok()) return fail_reading(note, reader, i);
  }
  return Status::kOk;
}

// Name and base alignment of a pool from the plan record; files without one are planned for
// kDefaultAlignment.
Status describe_pool(const ProgramFile& file, PoolNeed* pool, FaultNote note) {
  pool->alignment = kDefaultAlignment;
  if (!file.has_record()) return Status::kOk;
  FlatReader reader = file.record_reader();
  for (uint32_t i = 0; i < file.record_pools.count; ++i) {
    const FlatTable entry = reader.table_at(file.record_pools, i, slots::kRecordPools);
    const uint32_t mem_id = reader.scalar<uint32_t>(entry, slots::kRecordPoolMemId);
    const uint32_t alignment =
        reader.scalar<uint32_t>(entry, slots::kRecordPoolAlignment, kDefaultAlignment);
    const FlatVector name = reader.text(entry, slots::kRecordPoolName);
    if (!reader.ok()) return fail_reading(note, reader, i);
    if (mem_id != pool->mem_id) continue;
    if (!is_power_of_two(alignment)) {
      return note.fail(Status::kBadValue, slots::kRecordPoolAlignment.name(), i, kDefaultAlignment,
                       alignment);
    }
    if (name) pool->name = reader.chars(name);
    pool->alignment = alignment;
    break;
  }
  return Status::kOk;
}

Status read_pools(const ProgramFile& file, const MethodTables& tables, MethodNeed* need,
                  FaultNote note) {
  const FlatReader reader = file.reader();
  for (uint32_t i = 1; i < tables.pool_sizes.count; ++i) {
    const int64_t bytes = reader.at<int64_t>(tables.pool_sizes, i);
    if (bytes < 0) {
      return note.fail(Status::kBadValue, slots::kPoolSizes.name(), i, 0,
                       static_cast<uint64_t>(bytes));
    }
    if (static_cast<uint64_t>(bytes) > SIZE_MAX / 2) {
      return note.fail(Status::kUnsupported, slots::kPoolSizes.name(), i, SIZE_MAX / 2,
                       static_cast<uint64_t>(bytes));
    }
    if (bytes == 0) continue;
    if (need->pool_count == kMaxPools) {
      return note.fail(Status::kUnsupported, slots::kPoolSizes.name(), i, kMaxPools, kMaxPools + 1);
    }
    PoolNeed& pool = need->pools[need->pool_count++];
    pool.mem_id = i;
    pool.bytes = static_cast<uint64_t>(bytes);
    BERTH_TRY(describe_pool(file, &pool, note));
  }
  return Status::kOk;
}

}  // namespace

Status measure_method(const ProgramFile& file, const MethodTables& tables, MethodCounts* counts,
                      MethodNeed* need, FaultNote note) {
  FlatReader reader = file.reader();
  *counts = MethodCounts();
  BERTH_TRY(count_values(reader, tables, counts, note));
  for (uint32_t i = 0; i < tables.chains.count; ++i) {
    FlatVector instructions;
    BERTH_TRY(open_chain(reader, tables, i, &instructions, note));
    counts->instructions += instructions.count;
  }
  // Vectors may share their bytes, so a small file can count far: indices are 32-bit numbers.
  if (counts->instructions > INT32_MAX || counts->dynamic_dims > INT32_MAX) {
    return note.fail(Status::kBadCount, slots::kInstructions.name(), 0, INT32_MAX,
                     counts->instructions);
  }
  counts->values = tables.values.count;
  counts->operators = tables.operators.count;
  counts->delegates = tables.delegates.count;
  counts->inputs = tables.inputs.count;
  MethodNeed own;
  own.method_bytes = method_bytes(*counts, kBuildAbi);
  // An honest file spends more bytes on an item than the runtime; one whose items share their bytes
  // could ask for anything.
  const uint64_t most = kMethodBytesPerFileByte * uint64_t{file.program_size} + kMethodBytesAtLeast;
  if (own.method_bytes > most) {
    return note.fail(Status::kBadCount, slots::kValues.name(), 0, most, own.method_bytes);
  }
  BERTH_TRY(read_pools(file, tables, &own, note));
  *need = own;
  return Status::kOk;
}

}  // namespace berth::runtime
