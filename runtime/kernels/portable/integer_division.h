// Division of int64 in the ways that operators round, total but for a divisor of 0.
#pragma once

#include <cstdint>

#include "runtime/core/tensor.h"
#include "runtime/kernels/portable/element_blocks.h"

namespace berth::runtime {

// REQUIRES for all: b != 0. A quotient of 2^63 wraps.
constexpr int64_t truncated_quotient(int64_t a, int64_t b) {
  return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
}
// The sign of a.
constexpr int64_t truncated_rest(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }

constexpr int64_t floored_quotient(int64_t a, int64_t b) {
  const int64_t rest = truncated_rest(a, b);
  return truncated_quotient(a, b) - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
}
// The sign of b.
constexpr int64_t floored_rest(int64_t a, int64_t b) {
  const int64_t rest = truncated_rest(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// REQUIRES: an integer dtype.
inline bool holds_zero(const Tensor& tensor) {
  int64_t block[kBlock];
  const size_t count = tensor.numel();
  bool found = false;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t length = count - begin < kBlock ? count - begin : kBlock;
    load_block(Compute::kInteger, tensor.dtype, tensor.data, begin, 1, length, block);
    for (size_t i = 0; i < length; ++i) found = found || block[i] == 0;
  }
  return found;
}

}  // namespace berth::runtime
