#include "runtime/load/method_tables.h"

#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

// The first table of the list whose name is `name`, or an absent one.
Status find_named(FlatReader& reader, const FlatVector& list, const Slot& list_slot,
                  const Slot& name_slot, const char* name, FlatTable* out) {
  *out = FlatTable();
  for (uint32_t i = 0; i < list.count; ++i) {
    reader.faults().item = i;
    const FlatTable table = reader.table_at(list, i, list_slot);
    const FlatVector own_name = reader.text(table, name_slot);
    BERTH_TRY(reader.status());
    if (!reader.same(own_name, name)) continue;
    *out = table;
    return Status::kOk;
  }
  return Status::kOk;
}

// CPU arenas alone: a device's memory is not ours to point into.
Status check_devices(FlatReader& reader, FlatTable plan) {
  const FlatVector devices = reader.vector(plan, slots::kPoolDevices);
  for (uint32_t i = 0; i < devices.count; ++i) {
    const FlatTable device = reader.table_at(devices, i, slots::kPoolDevices);
    const uint8_t type = reader.scalar<uint8_t>(device, slots::kPoolDeviceType);
    if (type != 0) {
      reader.faults().item = i;
      return reader.faults().fail(Status::kUnsupported, slots::kPoolDeviceType, 0, type);
    }
  }
  return reader.status();
}

}  // namespace

Status method_name(const ProgramFile& file, uint32_t i, const char** out, LoadFaults& faults) {
  FlatReader reader = file.reader(faults);
  const FlatTable plan = reader.table_at(file.plans, i, slots::kExecutionPlan);
  faults.item = i;
  const FlatVector name = reader.text(plan, slots::kPlanName);
  BERTH_TRY(reader.status());
  *out = reader.chars(name);
  return Status::kOk;
}

Status open_method(const ProgramFile& file, const char* name, MethodTables* out,
                   LoadFaults& faults) {
  FlatReader reader = file.reader(faults);
  FlatTable plan;
  BERTH_TRY(find_named(reader, file.plans, slots::kExecutionPlan, slots::kPlanName, name, &plan));
  if (!plan) return faults.fail(Status::kNoSuchMethod, slots::kExecutionPlan);
  struct Field {
    FlatVector MethodTables::*vector;
    const Slot& slot;
  };
  static constexpr Field kFields[] = {
      {&MethodTables::values, slots::kValues},        {&MethodTables::inputs, slots::kInputs},
      {&MethodTables::outputs, slots::kOutputs},      {&MethodTables::chains, slots::kChains},
      {&MethodTables::operators, slots::kOperators},  {&MethodTables::delegates, slots::kDelegates},
      {&MethodTables::pool_sizes, slots::kPoolSizes},
  };
  MethodTables tables;
  tables.name = reader.chars(reader.text(plan, slots::kPlanName));
  for (const Field& field : kFields) {
    tables.*field.vector = reader.vector(plan, field.slot);
  }
  BERTH_TRY(reader.status());
  if (tables.chains.count == 0) {
    return faults.fail(Status::kBadCount, slots::kChains, 1, 0);
  }
  if (!kTrustFile) BERTH_TRY(check_devices(reader, plan));
  *out = tables;
  return Status::kOk;
}

Status open_chain(FlatReader& reader, const MethodTables& tables, uint32_t i, FlatVector* out) {
  reader.faults().item = i;
  const FlatTable chain = reader.table_at(tables.chains, i, slots::kChains);
  const FlatVector instructions = reader.vector(chain, slots::kInstructions);
  BERTH_TRY(reader.status());
  *out = instructions;
  return Status::kOk;
}

Status find_method_record(const ProgramFile& file, const char* name, FlatTable* out,
                          LoadFaults& faults) {
  FlatReader reader = file.record_reader(faults);
  return find_named(reader, file.record_methods, slots::kRecordMethods, slots::kRecordMethodName,
                    name, out);
}

}  // namespace berth::runtime
