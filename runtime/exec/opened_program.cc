#include "runtime/exec/opened_program.h"

#include "runtime/load/pte_slots.h"

namespace berth::runtime {

Status Program::open(Span<const uint8_t> bytes, LoadFault* fault) {
  LoadFaults faults(fault);
  return open_program(bytes, &file_, faults);
}

Status Program::method_name(uint32_t i, const char** out, LoadFault* fault) const {
  LoadFaults faults(fault);
  if (i >= method_count()) {
    return faults.fail(Status::kBadIndex, slots::kExecutionPlan, method_count(), i);
  }
  return runtime::method_name(file_, i, out, faults);
}

Status Program::need(const char* method, MethodNeed* out, LoadFault* fault) const {
  LoadFaults faults(fault);
  MethodTables tables;
  BERTH_TRY(open_method(file_, method, &tables, faults));
  MethodNeed need;
  BERTH_TRY(measure_method(file_, tables, &need, faults));
  *out = need;
  return Status::kOk;
}

Status Program::describe(const char* method, MethodMeta* out, LoadFault* fault) const {
  LoadFaults faults(fault);
  MethodTables tables;
  BERTH_TRY(open_method(file_, method, &tables, faults));
  *out = MethodMeta(file_, tables);
  return Status::kOk;
}

}  // namespace berth::runtime
