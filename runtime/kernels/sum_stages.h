// Sums of products (convolutions, linear layers) by the type of the activations: what they add to,
// and how they become outputs.
//   int8    the input has an offset; int32 bias or none: 32-bit sums (that wrap)
//   int16   the input's zero point is 0, and the bias decides. int64 or none: 64-bit sums and the
//           multiplier rounded to 16 bits; int32: 32-bit sums (that wrap) and the whole multiplier
#pragma once

#include "runtime/kernels/output_stage.h"

namespace berth::runtime {

// Where the arguments stand.
struct SumSlots {
  uint32_t bias, in_offset, out_offset, low, high;
};

// The bias of `channels` outputs: null when the argument is none.
template <typename T>
Status read_bias(const Args& args, uint32_t index, ScalarType dtype, size_t channels,
                 const T** out) {
  const Tensor* bias = args.optional_tensor(index);
  *out = nullptr;
  if (bias == nullptr) return Status::kOk;
  KERNEL_REQUIRE(has_dtype(*bias, dtype), kBadArguments);
  KERNEL_REQUIRE(has_elements(*bias, channels), kBadShape);
  *out = bias->as<T>();
  return Status::kOk;
}

// An int8 input's offset is minus a zero point, so that element plus offset stays within +-255.
inline Status read_input_offset(const Args& args, uint32_t index, int32_t* out) {
  KERNEL_TRY(read_int32(args, index, out));
  KERNEL_REQUIRE(*out >= -127 && *out <= 128, kBadArguments);
  return Status::kOk;
}

// T: the activations. read() takes all arguments but the scaling. run(f) calls f(zero, in_offset,
// stage) once: zero is of the sums' type. REQUIRES: read and set_scaling.
template <typename T>
struct SumStages;

template <>
struct SumStages<int8_t> {
  int32_t in_offset = 0;
  OutputStage stage;

  Status read(const Args& args, const SumSlots& at, size_t channels) {
    KERNEL_TRY(read_input_offset(args, at.in_offset, &in_offset));
    KERNEL_TRY(read_zero_point<int8_t>(args, at.out_offset, &stage.zero_point));
    KERNEL_TRY(read_range<int8_t>(args, at.low, at.high, &stage.range));
    return read_bias(args, at.bias, ScalarType::kInt, channels, &stage.bias);
  }
  int32_t max_shift() const { return 31; }
  void set_scaling(const ChannelScaling& scaling) { stage.scaling = scaling; }
  template <typename Run>
  void run(const Run& run) const {
    run(uint32_t{0}, in_offset, stage);
  }
};

template <>
struct SumStages<int16_t> {
  bool is_narrow = false;  // which of the two stages counts
  OutputStage narrow;
  WideOutputStage wide;

  Status read(const Args& args, const SumSlots& at, size_t channels) {
    const Tensor* bias = args.optional_tensor(at.bias);
    is_narrow = bias != nullptr && has_dtype(*bias, ScalarType::kInt);
    if (is_narrow) {
      KERNEL_TRY(read_bias(args, at.bias, ScalarType::kInt, channels, &narrow.bias));
    } else {
      KERNEL_TRY(read_bias(args, at.bias, ScalarType::kLong, channels, &wide.bias));
    }
    KERNEL_REQUIRE(args.integer(at.in_offset) == 0, kBadArguments);
    KERNEL_TRY(read_zero_point<int16_t>(args, at.out_offset, &narrow.zero_point));
    KERNEL_TRY(read_range<int16_t>(args, at.low, at.high, &narrow.range));
    wide.zero_point = narrow.zero_point;
    wide.range = narrow.range;
    return Status::kOk;
  }
  int32_t max_shift() const { return is_narrow ? 31 : 14; }
  void set_scaling(const ChannelScaling& scaling) { narrow.scaling = wide.scaling = scaling; }
  template <typename Run>
  void run(const Run& run) const {
    if (is_narrow) {
      run(uint32_t{0}, 0, narrow);
    } else {
      run(int64_t{0}, 0, wide);
    }
  }
};

}  // namespace berth::runtime
