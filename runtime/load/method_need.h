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
  const char* name = nullptr;  // from the plan record, "" without one; in the program's bytes
};

struct MethodNeed {
  // For the runtime's own records; they start aligned to kMethodMemoryAlignment.
  uint64_t method_bytes = 0;
  uint32_t pool_count = 0;
  PoolNeed pools[kMaxPools];  // those with bytes, in the order of mem_id
};

// What Program::need asks for. The values and instructions themselves are checked when they are
// loaded. REQUIRES: *need as its constructor leaves it; it means nothing after a failure.
Status measure_method(const ProgramFile& file, const MethodTables& tables, MethodNeed* need,
                      LoadFaults& faults);

// Its parts: what the lengths of vectors tell, all but tensors and dynamic dims; and the pools.
Status count_items(FlatReader& reader, const MethodTables& tables, MethodCounts* counts);
Status read_pools(const ProgramFile& file, const MethodTables& tables, MethodNeed* need,
                  LoadFaults& faults);
uint64_t build_bytes(const MethodCounts& counts);  // method_bytes for the ABI of this build

}  // namespace berth::runtime
