// Watches the instructions of a run, to measure times and to look at values on the way. A caller
// derives from it and gives it to Method::set_tracer; when it loads and runs a method it knows
// itself. Steps within a delegate call are told in between, by backends that tell them. A method
// without a tracer pays two comparisons with null per instruction.
#pragma once

#include <cstdint>

#include "contract/status.h"
#include "runtime/core/backend.h"
#include "runtime/load/loaded_method.h"

namespace berth::runtime {

// Called from within Method::execute; the method may be looked at, not changed. `instruction`
// counts through all chains of the method, as stopped_at() does.
class Tracer : public StepTracer {
 public:
  virtual void instruction_begins(const LoadedMethod& method, uint32_t instruction) = 0;
  // The results are there when `status` is kOk.
  virtual void instruction_ends(const LoadedMethod& method, uint32_t instruction,
                                Status status) = 0;

 protected:
  ~Tracer() = default;  // nobody owns a tracer through this class
};

}  // namespace berth::runtime
