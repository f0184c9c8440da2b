// What the library takes from the heap behind the scratchpad that it is given. It allocates all of
// it by posix_memalign, so a program that links this has one that counts, and else does what the C
// library's does.
#pragma once

#include <cstdint>

#include "backends/onednn/shared/onednn_primitive.h"

namespace berth::onednn {

struct HeapCount {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};
// Of this process, since it began. All 0 under a sanitizer, which has an allocator of its own, and
// with other C libraries than glibc.
HeapCount aligned_heap();

// Runs the primitive on zeros, and answers the bytes that its second execution takes: the first one
// may set up what stays. 0 also where nothing is counted. REQUIRES: ThreadCount of the op's
// threads.
uint64_t measure_heap(const Op& op, const Primitive& primitive);

}  // namespace berth::onednn
