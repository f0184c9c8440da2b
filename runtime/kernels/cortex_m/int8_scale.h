// From sums of int8 products to int8 outputs, one at a time or, with MVE, four. The arithmetic is
// mbqm of contract/fixed_point.h: two roundings. REQUIRES, of all: the multiplier is not -2^31, so
// that the high product cannot saturate; shifts are valid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/fixed_point.h"
#include "runtime/kernels/output_stage.h"
#include "runtime/kernels/scaling.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace berth::runtime {

// Channels of an output: what is added to their sums, what they are scaled by. The bias is null
// where there is none.
struct Int8Channels {
  const int32_t* bias;
  const int32_t* multipliers;
  const int32_t* shifts;
  bool one_scale;  // the first multiplier and shift are everybody's

  int32_t bias_of(size_t i) const { return bias == nullptr ? 0 : bias[i]; }
};

struct Int8Bounds {
  int32_t zero_point, low, high;
};

// high_product of half of `twice`, in fewer instructions. REQUIRES: the doubling did not overflow.
inline int32_t high_of_doubled(int32_t twice, int32_t multiplier) {
#if defined(__ARM_FEATURE_DSP)
  int32_t high = 0;
  asm("smmulr %0, %1, %2" : "=r"(high) : "r"(twice), "r"(multiplier));
  return high;
#else
  const uint64_t product = static_cast<uint64_t>(static_cast<int64_t>(twice) * multiplier);
  return static_cast<int32_t>(static_cast<uint32_t>(product >> 32) +
                              (static_cast<uint32_t>(product) >> 31));
#endif
}

// A shift to the right by `less_one` + 1. Half goes away from zero: what is negative loses one
// before half is added.
inline int32_t scale_right(int32_t sum, int32_t multiplier, int32_t less_one) {
  return round_shift(high_product(sum, multiplier), less_one);
}

inline int32_t scale_sum(int32_t sum, int32_t multiplier, int32_t shift) {
  if (shift < 0) return scale_right(sum, multiplier, ~shift);
  return high_product(wrapping_shift_left(sum, shift), multiplier);
}

// f(scale), where scale(sum) is scale_sum of one multiplier and shift: which way the shift goes is
// asked once.
template <typename F>
[[gnu::always_inline]] inline void with_scale(int32_t multiplier, int32_t shift, const F& f) {
  if (shift < 0) {
    const int32_t less_one = ~shift;
    f([=](int32_t sum) { return scale_right(sum, multiplier, less_one); });
  } else {
    f([=](int32_t sum) { return high_product(wrapping_shift_left(sum, shift), multiplier); });
  }
}

inline int8_t bound(int32_t value, const Int8Bounds& bounds) {
  return static_cast<int8_t>(
      clamp_to(wrapping_add(value, bounds.zero_point), bounds.low, bounds.high));
}

inline int8_t to_int8(int32_t sum, int32_t multiplier, int32_t shift, const Int8Bounds& bounds) {
  return bound(scale_sum(sum, multiplier, shift), bounds);
}

#if defined(__ARM_FEATURE_MVE)
// Four sums of one channel.
inline int32x4_t scale_four(int32x4_t sums, int32_t multiplier, int32_t shift) {
  if (__builtin_expect(shift >= 0, 0)) {
    return vqrdmulhq_n_s32(vshlq_r_s32(sums, shift), multiplier);
  }
  const int32x4_t high = vqrdmulhq_n_s32(sums, multiplier);
  return vrshlq_n_s32(vaddq_s32(high, vshrq_n_s32(high, 31)), shift);
}

// Four sums of a channel each.
inline int32x4_t scale_four(int32x4_t sums, int32x4_t multipliers, int32x4_t shifts) {
  const int32x4_t zero = vdupq_n_s32(0);
  const int32x4_t right = vminq_s32(shifts, zero);
  const int32x4_t high = vqrdmulhq_s32(vshlq_s32(sums, vmaxq_s32(shifts, zero)), multipliers);
  // Negative where sum and shift are: only a shift to the right rounds.
  const int32x4_t less = vshrq_n_s32(vandq_s32(high, right), 31);
  return vrshlq_s32(vaddq_s32(high, less), right);
}

// The same where no shift is positive.
inline int32x4_t scale_four_right(int32x4_t sums, int32x4_t multipliers, int32x4_t shifts) {
  const int32x4_t high = vqrdmulhq_s32(sums, multipliers);
  return vrshlq_s32(vaddq_s32(high, vshrq_n_s32(vandq_s32(high, shifts), 31)), shifts);
}

inline int32x4_t bound_four(int32x4_t values, const Int8Bounds& bounds) {
  values = vaddq_n_s32(values, bounds.zero_point);
  return vmaxq_s32(vminq_s32(values, vdupq_n_s32(bounds.high)), vdupq_n_s32(bounds.low));
}
#endif

}  // namespace berth::runtime
