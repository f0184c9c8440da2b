// Values of 32 bits that are scaled, moved and clamped, a block at a time: what requantize and mean
// end with.
#pragma once

#include "runtime/kernels/cortex_m/int8_scale.h"
#include "runtime/kernels/scaling.h"

namespace berth::runtime {

struct Rescaling {
  Scaling scaling;
  int32_t zero_point;
  int32_t least, most;  // of the values before the zero point is added, which then cannot overflow

  // REQUIRES: low <= zero point <= high.
  Rescaling(const Scaling& by, int32_t zero, int32_t low, int32_t high)
      : scaling(by), zero_point(zero) {
    const int64_t below = int64_t{low} - zero, above = int64_t{high} - zero;
    least = below < kInt32Min ? kInt32Min : static_cast<int32_t>(below);
    most = above > kInt32Max ? kInt32Max : static_cast<int32_t>(above);
  }
};

// REQUIRES, where there is MVE: room for the values up to a multiple of four, whatever they are.
inline void rescale(const Rescaling& by, size_t count, int32_t* values) {
#if defined(__ARM_FEATURE_MVE)
  const int32x4_t least = vdupq_n_s32(by.least), most = vdupq_n_s32(by.most);
  for (size_t i = 0; i < count; i += 4) {
    const int32x4_t scaled =
        scale_four(vld1q_s32(values + i), by.scaling.multiplier, by.scaling.shift);
    const int32x4_t bounded = vmaxq_s32(vminq_s32(scaled, most), least);
    vst1q_s32(values + i, vaddq_n_s32(bounded, by.zero_point));
  }
#else
  const Rescaling with = by;
  for (int32_t *value = values, *const end = values + count; value != end; ++value) {
    *value = clamp_to(with.scaling.apply(*value), with.least, with.most) + with.zero_point;
  }
#endif
}

}  // namespace berth::runtime
