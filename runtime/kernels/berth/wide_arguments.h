// What int16 convolutions and linear layers share: the bias decides the accumulator. int64 or none:
// 64-bit sums and the multiplier rounded to 16 bits; int32: 32-bit sums (that wrap) and the whole
// multiplier.
#pragma once

#include "runtime/kernels/output_stage.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

struct WideArguments {
  bool narrow_bias = false;
  OutputStage narrow;
  WideOutputStage wide;

  int32_t max_shift() const { return narrow_bias ? 31 : 14; }
  void set_scaling(const ChannelScaling& scaling) { narrow.scaling = wide.scaling = scaling; }
};

struct WidePositions {
  uint32_t bias, in_offset, out_offset, low, high;
};

inline Status read_wide_arguments(const Args& args, const WidePositions& at, size_t channels,
                                  WideArguments* out) {
  const Tensor* bias = args.optional_tensor(at.bias);
  out->narrow_bias = bias != nullptr && has_dtype(*bias, ScalarType::kInt);
  if (out->narrow_bias) {
    KERNEL_TRY(read_bias(args, at.bias, channels, &out->narrow.bias));
  } else if (bias != nullptr) {
    KERNEL_REQUIRE(has_dtype(*bias, ScalarType::kLong), kBadArguments);
    KERNEL_REQUIRE(bias->numel() == channels, kBadShape);
    out->wide.bias = bias->as<int64_t>();
  }
  KERNEL_REQUIRE(args.integer(at.in_offset) == 0,
                 kBadArguments);  // int16 activations have no zero point
  KERNEL_TRY(read_zero_point<int16_t>(args, at.out_offset, &out->narrow.zero_point));
  KERNEL_TRY(read_range<int16_t>(args, at.low, at.high, &out->narrow.range));
  out->wide.zero_point = out->narrow.zero_point;
  out->wide.range = out->narrow.range;
  return Status::kOk;
}

}  // namespace berth::runtime
