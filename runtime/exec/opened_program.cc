#include "runtime/exec/opened_program.h"

namespace berth::runtime {

Status Program::open(Span<const uint8_t> bytes, LoadFault* fault) {
  return open_program(bytes, &file_, FaultNote(fault));
}

Status Program::method_name(uint32_t i, const char** out, LoadFault* fault) const {
  FaultNote note(fault);
  if (i >= method_count()) {
    return note.fail(Status::kBadIndex, "execution_plan", i, method_count(), i);
  }
  return runtime::method_name(file_, i, out, note);
}

Status Program::need(const char* method, MethodNeed* out, LoadFault* fault) const {
  FaultNote note(fault);
  MethodTables tables;
  BERTH_TRY(open_method(file_, method, &tables, note));
  MethodCounts counts;
  return measure_method(file_, tables, &counts, out, note);
}

Status Program::describe(const char* method, MethodMeta* out, LoadFault* fault) const {
  MethodTables tables;
  BERTH_TRY(open_method(file_, method, &tables, FaultNote(fault)));
  *out = MethodMeta(file_, tables);
  return Status::kOk;
}

}  // namespace berth::runtime
