#include "runtime/load/method_tables.h"

#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

Status read_name(FlatReader& reader, const FlatTable& plan, uint32_t i, FlatVector* out,
                 FaultNote note) {
  *out = reader.text(plan, slots::kPlanName);
  if (!reader.ok()) return fail_reading(note, reader, i);
  return *out ? Status::kOk : note.fail(Status::kMissingField, slots::kPlanName.name(), i);
}

// CPU arenas alone: a device's memory is not ours to point into.
Status check_devices(FlatReader& reader, const FlatTable& plan, FaultNote note) {
  const FlatVector devices = reader.vector(plan, slots::kPoolDevices, 4, 4);
  for (uint32_t i = 0; i < devices.count; ++i) {
    const FlatTable device = reader.table_at(devices, i, slots::kPoolDevices);
    const uint8_t type = reader.scalar<uint8_t>(device, slots::kPoolDeviceType);
    if (!reader.ok()) break;
    if (type != 0) {
      return note.fail(Status::kUnsupported, slots::kPoolDeviceType.name(), i, 0, type);
    }
  }
  return reader.ok() ? Status::kOk : fail_reading(note, reader);
}

}  // namespace

Status method_name(const ProgramFile& file, uint32_t i, const char** out, FaultNote note) {
  FlatReader reader = file.reader();
  FlatVector name;
  const FlatTable plan = reader.table_at(file.plans, i, slots::kExecutionPlan);
  BERTH_TRY(read_name(reader, plan, i, &name, note));
  *out = reader.chars(name);
  return Status::kOk;
}

Status open_method(const ProgramFile& file, const char* name, MethodTables* out, FaultNote note) {
  FlatReader reader = file.reader();
  for (uint32_t i = 0; i < file.plans.count; ++i) {
    const FlatTable plan = reader.table_at(file.plans, i, slots::kExecutionPlan);
    FlatVector own_name;
    BERTH_TRY(read_name(reader, plan, i, &own_name, note));
    if (!reader.same(own_name, name)) continue;

    struct Field {
      FlatVector MethodTables::*vector;
      const Slot* slot;
      uint32_t element_bytes;
      bool required;
    };
    // Indices are pointed at in place, so their alignment counts.
    constexpr Field kFields[] = {
        {&MethodTables::values, &slots::kValues, 4, true},
        {&MethodTables::inputs, &slots::kInputs, 4, true},
        {&MethodTables::outputs, &slots::kOutputs, 4, true},
        {&MethodTables::chains, &slots::kChains, 4, true},
        {&MethodTables::operators, &slots::kOperators, 4, false},
        {&MethodTables::delegates, &slots::kDelegates, 4, true},
        {&MethodTables::pool_sizes, &slots::kPoolSizes, 8, true},
    };
    MethodTables tables;
    tables.name = reader.chars(own_name);
    for (const Field& field : kFields) {
      const FlatVector vector =
          reader.vector(plan, *field.slot, field.element_bytes, field.element_bytes);
      if (!reader.ok()) return fail_reading(note, reader, i);
      if (!vector && field.required) {
        return note.fail(Status::kMissingField, field.slot->name(), i);
      }
      tables.*field.vector = vector;
    }
    if (tables.chains.count == 0) {
      return note.fail(Status::kBadCount, slots::kChains.name(), i, 1, 0);
    }
    BERTH_TRY(check_devices(reader, plan, note));
    *out = tables;
    return Status::kOk;
  }
  return note.fail(Status::kNoSuchMethod, slots::kExecutionPlan.name(), file.plans.count);
}

Status open_chain(FlatReader& reader, const MethodTables& tables, uint32_t i, FlatVector* out,
                  FaultNote note) {
  const FlatTable chain = reader.table_at(tables.chains, i, slots::kChains);
  const FlatVector instructions = reader.vector(chain, slots::kInstructions, 4, 4);
  if (!reader.ok()) return fail_reading(note, reader, i);
  if (!instructions) return note.fail(Status::kMissingField, slots::kInstructions.name(), i);
  *out = instructions;
  return Status::kOk;
}

Status find_method_record(const ProgramFile& file, const char* name, FlatTable* out,
                          FaultNote note) {
  FlatReader reader = file.record_reader();
  for (uint32_t i = 0; i < file.record_methods.count; ++i) {
    const FlatTable method = reader.table_at(file.record_methods, i, slots::kRecordMethods);
    const FlatVector own_name = reader.text(method, slots::kRecordMethodName);
    if (!reader.ok()) return fail_reading(note, reader, i);
    if (own_name && reader.same(own_name, name)) {
      *out = method;
      return Status::kOk;
    }
  }
  *out = FlatTable();
  return Status::kOk;
}

}  // namespace berth::runtime
