// What this process takes from the heap, other people's libraries included: the allocator's
// functions, with a counter. Link it into the test that asks.
#pragma once

#include <cstdint>

namespace berth::testing {

struct AllocationCount {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};

// Since the process began.
AllocationCount allocations();

// False where a sanitizer has the allocator: nothing is counted then.
bool counts_allocations();

}  // namespace berth::testing
