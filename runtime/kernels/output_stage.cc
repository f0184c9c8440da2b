#include "runtime/kernels/output_stage.h"

namespace berth::runtime {
namespace {

// mbqm without its one saturating case, which a multiplier other than -2^31 cannot reach.
inline int32_t scale_down(int32_t value, int32_t multiplier, int32_t shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const int64_t product = static_cast<int64_t>(wrapping_shift_left(value, left)) * multiplier;
  const int32_t high = static_cast<int32_t>((product + (int64_t{1} << 30)) >> 31);
  return rdbpot(high, right);
}

template <typename T>
void finish(const OutputStage& stage, size_t first, int count, const uint32_t* sums, T* out) {
  const int32_t* multiplier = stage.scaling.multipliers + first * stage.scaling.step;
  const int32_t* shift = stage.scaling.shifts + first * stage.scaling.step;
  const int32_t* bias = stage.bias == nullptr ? nullptr : stage.bias + first;
  const size_t step = stage.scaling.step;
  const int32_t low = stage.range.low, high = stage.range.high, zero_point = stage.zero_point;
  for (int i = 0; i < count; ++i) {
    const int32_t sum =
        static_cast<int32_t>(sums[i] + (bias == nullptr ? 0u : static_cast<uint32_t>(bias[i])));
    const int32_t scaled = scale_down(sum, multiplier[i * step], shift[i * step]);
    out[i] = static_cast<T>(clamp_to(wrapping_add(scaled, zero_point), low, high));
  }
}

}  // namespace

void finish_channels(const OutputStage& stage, size_t first, int count, const uint32_t* sums,
                     int8_t* out) {
  finish(stage, first, count, sums, out);
}

void finish_channels(const OutputStage& stage, size_t first, int count, const uint32_t* sums,
                     int16_t* out) {
  finish(stage, first, count, sums, out);
}

void finish_channels(const WideOutputStage& stage, size_t first, int count, const int64_t* sums,
                     int16_t* out) {
  const size_t step = stage.scaling.step;
  for (int i = 0; i < count; ++i) {
    const size_t channel = first + i;
    const uint64_t bias = stage.bias == nullptr ? 0 : static_cast<uint64_t>(stage.bias[channel]);
    const int64_t sum = static_cast<int64_t>(static_cast<uint64_t>(sums[i]) + bias);
    const int32_t scaled = mbqm64(sum, stage.scaling.multipliers[channel * step],
                                  stage.scaling.shifts[channel * step]);
    out[i] = static_cast<int16_t>(
        clamp_to(wrapping_add(scaled, stage.zero_point), stage.range.low, stage.range.high));
  }
}

}  // namespace berth::runtime
