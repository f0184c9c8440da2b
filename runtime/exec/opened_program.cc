#include "runtime/exec/opened_program.h"

#include "runtime/load/pte_slots.h"

namespace berth::runtime {

Status Program::open(Span<const uint8_t> bytes, LoadFault* fault) {
  LoadFaults faults(fault);
  return faults.tell(open_program(bytes, &file_, faults));
}

Status Program::method_name(uint32_t i, const char** out, LoadFault* fault) const {
  LoadFaults faults(fault);
  return faults.tell(i < method_count() ? runtime::method_name(file_, i, out, faults)
                                        : faults.refuse(Status::kBadIndex, slots::kExecutionPlan,
                                                        method_count(), i));
}

Status Program::need(const char* method, MethodNeed* out, LoadFault* fault) const {
  LoadFaults faults(fault);
  MethodTables tables;
  MethodNeed need;
  Status status = open_method(file_, method, &tables, faults);
  if (status == Status::kOk) status = measure_method(file_, tables, &need, faults);
  if (status == Status::kOk) *out = need;
  return faults.tell(status);
}

Status Program::describe(const char* method, MethodMeta* out, LoadFault* fault) const {
  LoadFaults faults(fault);
  MethodTables tables;
  const Status status = open_method(file_, method, &tables, faults);
  if (status == Status::kOk) *out = MethodMeta(file_, tables);
  return faults.tell(status);
}

}  // namespace berth::runtime
