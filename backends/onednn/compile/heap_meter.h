// What the library takes from the heap behind the scratchpad that it is given.
//
// It allocates all of it by posix_memalign, with no hook of its own, and gives it back before the
// call ends: only who stands in that function's place sees it. So a program that links this (the
// compile half alone: who only runs files does not) has a posix_memalign that, while a HeapMeter
// lives, counts; otherwise, and for everybody else in the process, it does what the C library's
// does.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/onednn/shared/onednn_primitive.h"

namespace berth::onednn {

struct HeapCount {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};

// Counts what this process allocates by posix_memalign while it lives, on all threads. Not two at a
// time.
class HeapMeter {
 public:
  HeapMeter();
  ~HeapMeter();
  HeapMeter(const HeapMeter&) = delete;
  HeapMeter& operator=(const HeapMeter&) = delete;

  // Since it was made. None where nobody can count: under a sanitizer, which has an allocator of
  // its own, and with other C libraries than glibc.
  std::optional<HeapCount> count() const;
};

// Runs the primitive on zeros, and answers the bytes that its second execution takes: the first one
// may set up what stays. None where nobody can count, or the library fails. REQUIRES: ThreadCount
// of the op's threads.
std::optional<uint64_t> measure_heap(const Op& op, const Primitive& primitive);

}  // namespace berth::onednn
