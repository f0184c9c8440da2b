// What loading a method takes, asked before any memory is given. The numbers are exact: with one
// byte less, loading fails and says so.
#pragma once

#include <cstdint>

#include "contract/runtime_sizes.h"
#include "contract/status.h"
#include "runtime/load/method_tables.h"
#include "runtime/load/program_file.h"

namespace berth::runtime {

constexpr uint32_t kMaxPools = 16;

struct PoolNeed {
  uint32_t mem_id = 0;     // the number in the file, from 1
  uint32_t alignment = 0;  // of the start address
  uint64_t bytes = 0;
  const char* name = "";  // from the plan record, "" without one; in the program's bytes
};

struct MethodNeed {
  uint64_t method_bytes =
      0;  // for the runtime's own records; start aligned to kMethodMemoryAlignment
  uint32_t pool_count = 0;
  PoolNeed pools[kMaxPools];  // those with bytes, in the order of mem_id
};

// Counts what method memory holds and reads the pools' sizes. The values and instructions
// themselves are checked when they are loaded.
Status measure_method(const ProgramFile& file, const MethodTables& tables, MethodCounts* counts,
                      MethodNeed* need, FaultNote note);

}  // namespace berth::runtime
