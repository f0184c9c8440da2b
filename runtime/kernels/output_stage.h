// From accumulators to output elements: bias, multiplier and shift (per channel or one for all),
// output zero point, clamp. The last step of every convolution, linear and matmul.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/fixed_point.h"
#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// Multipliers and shifts of one output channel each, or of all of them (step 0).
struct ChannelScaling {
  const int32_t* multipliers = nullptr;
  const int32_t* shifts = nullptr;
  size_t step = 1;
};

// 32-bit accumulators: int8 operators, and int16 ones with int32 bias.
struct OutputStage {
  ChannelScaling scaling;
  const int32_t* bias = nullptr;  // null: none
  int32_t zero_point = 0;
  Range range;
};

// out[i] of channels first .. first + count. Sums are int32 that may have wrapped.
// REQUIRES: check_channel_scaling has passed.
void finish_channels(const OutputStage& stage, size_t first, int count, const uint32_t* sums,
                     int8_t* out);
void finish_channels(const OutputStage& stage, size_t first, int count, const uint32_t* sums,
                     int16_t* out);

// 64-bit accumulators of int16 operators: the multiplier is reduced to 16 bits first. A null bias
// is none; bias is int64.
struct WideOutputStage {
  ChannelScaling scaling;
  const int64_t* bias = nullptr;
  int32_t zero_point = 0;
  Range range;
};
void finish_channels(const WideOutputStage& stage, size_t first, int count, const int64_t* sums,
                     int16_t* out);

// A sink of multiply(): row r's outputs stand at out + r * row_stride.
template <typename Stage, typename T>
struct RowSink {
  Stage stage;
  T* out;
  size_t row_stride;
  size_t first_channel = 0;  // of the group

  template <typename Sum>
  void store(size_t row, size_t first, int count, const Sum* sums) const {
    finish_channels(stage, first_channel + first, count, sums,
                    out + row * row_stride + first_channel + first);
  }
};

}  // namespace berth::runtime
