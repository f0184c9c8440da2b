// The shapes of a linear layer, int8 and int16 alike.
#pragma once

#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// in (..., depth), weights (outputs, depth), out (..., outputs), all row-major; *rows is 0 where
// nothing is to be done.
inline Status check_linear_shapes(const Tensor& in, const Tensor& weights, const Tensor& out,
                                  size_t* rows) {
  KERNEL_REQUIRE(in.rank >= 1 && weights.rank == 2 && out.rank >= 1, kBadShape);
  KERNEL_REQUIRE(is_row_major(in) && is_row_major(weights) && is_row_major(out), kBadShape);
  KERNEL_REQUIRE(weights.size(1) > 0 && in.size(in.rank - 1) == weights.size(1), kBadShape);
  KERNEL_REQUIRE(out.size(out.rank - 1) == weights.size(0), kBadShape);
  const size_t outputs = static_cast<size_t>(weights.size(0));
  *rows = out.numel() == 0 ? 0 : in.numel() / static_cast<size_t>(weights.size(1));
  KERNEL_REQUIRE(out.numel() == *rows * outputs, kBadShape);
  return Status::kOk;
}

}  // namespace berth::runtime
