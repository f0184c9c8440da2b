// From a program file to a method that can run: one walk that verifies every value and instruction
// and builds the records of loaded_method.h in the caller's memory. What it accepts is not checked
// again when it runs.
#pragma once

#include <cstdint>

#include "contract/status.h"
#include "runtime/core/kernel.h"
#include "runtime/core/span.h"
#include "runtime/load/delegates.h"
#include "runtime/load/external_data.h"
#include "runtime/load/load_faults.h"
#include "runtime/load/loaded_method.h"
#include "runtime/load/method_need.h"
#include "runtime/load/program_file.h"

namespace berth::runtime {

// The memory behind one pool. All of it may be used.
struct PoolMemory {
  uint32_t mem_id = 1;
  Span<uint8_t> bytes;
};

struct MemoryGiven {
  Span<uint8_t> method;
  Span<const PoolMemory> pools;  // in any order; more than needed is fine
};

struct LoadOptions {
  // Searched in order; the first kernel of an operator's name counts.
  Span<const Span<const Kernel>> kernels;
  // Refuse (kNoPlanRecord) a method whose memory plan cannot be proven for want of a record.
  bool require_plan_record = false;
  // Opened .ptd files, for tensors that lie outside the program; the first of a name counts.
  Span<const ExternalData> external_data = {};
  // For methods with delegates, with the values born at run time that backends ask for.
  Backends backends = {};
};

// Nothing of the memory is meaningful after a failure. Pools are written only where state has
// initial bytes. `name` is the method's; faults about memory carry the pool's mem_id as index.
Status load_method(const ProgramFile& file, const char* name, const LoadOptions& options,
                   const MemoryGiven& memory, LoadedMethod** out, LoadFaults& faults);

}  // namespace berth::runtime
