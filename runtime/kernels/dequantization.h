// From quantised elements to float32.
#pragma once

#include "runtime/kernels/strided.h"

namespace berth::runtime {

// out = (in - zero point) * scale; scale and zero point are arguments 1 and 2. in: T, out: float32,
// one shape. The difference is exact in double and so is its product with a float32 scale: one
// rounding, at the end.
template <typename T>
Status dequantize(const Args& args, const Tensor& in, const Tensor& out) {
  KERNEL_REQUIRE(has_dtype(out, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  const double scale = static_cast<double>(static_cast<float>(args.number(1)));
  const int64_t zero_point = args.integer(2);
  KERNEL_REQUIRE(fits<T>(zero_point), kBadArguments);
  apply_unary<float, T>(in, out, [=](T value) {
    return static_cast<float>(scale *
                              static_cast<double>(static_cast<int64_t>(value) - zero_point));
  });
  return Status::kOk;
}

}  // namespace berth::runtime
