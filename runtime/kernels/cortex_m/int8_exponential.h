// A row of int8 softmax on a Cortex-M, with MVE four elements at a time. The arithmetic is that of
// contract/fixed_point.h (exp_on_negative with 5 integer bits): the same roundings. What is shifted
// to the right is never negative here, so half goes up.
#pragma once

#include <cstddef>

#include "contract/fixed_point.h"
#include "runtime/kernels/cortex_m/int8_scale.h"
#include "runtime/kernels/scaling.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace berth::runtime {

#if defined(__ARM_FEATURE_MVE)

// values, times a factor where a bit of `bits` is set. gcc 12 breaks down at a vpsel here.
template <int kBit>
int32x4_t times_where(int32x4_t values, int32x4_t bits, int32_t factor) {
  const mve_pred16_t set = vcmpltq_n_s32(vshlq_n_s32(bits, 31 - kBit), 0);
  return vqrdmulhq_m_n_s32(values, values, factor, set);
}

// exp(a) in Q0.31 for a <= 0 in Q5.26.
inline int32x4_t exp_four(int32x4_t a) {
  constexpr int32_t kQuarter = 1 << 24, kExpMinusEighth = 1895147668, kThird = 715827883;
  const int32x4_t fine = vsubq_n_s32(vandq_s32(a, vdupq_n_s32(kQuarter - 1)), kQuarter);
  const int32x4_t rest = vsubq_s32(fine, a);
  const int32x4_t x = vaddq_n_s32(vshlq_n_s32(fine, 5), 1 << 28);
  const int32x4_t x2 = vqrdmulhq_s32(x, x);
  const int32x4_t x3 = vqrdmulhq_s32(x2, x);
  const int32x4_t x4 = vqrdmulhq_s32(x2, x2);
  const int32x4_t inner = vqrdmulhq_n_s32(vaddq_s32(vrshrq_n_s32(x4, 2), x3), kThird);
  const int32x4_t tail = vrshrq_n_s32(vaddq_s32(inner, x2), 1);
  int32x4_t result =
      vaddq_n_s32(vqrdmulhq_n_s32(vaddq_s32(x, tail), kExpMinusEighth), kExpMinusEighth);
  result = times_where<24>(result, rest, 1672461947);  // exp(-2^-2) ...
  result = times_where<25>(result, rest, 1302514674);
  result = times_where<26>(result, rest, 790015084);
  result = times_where<27>(result, rest, 290630308);
  result = times_where<28>(result, rest, 39332535);
  result = times_where<29>(result, rest, 720401);
  result = times_where<30>(result, rest, 242);
  return vdupq_m_n_s32(result, kInt32Max, vcmpeqq_n_s32(a, 0));
}

struct Int8Exponents {
  const int8_t* in;
  uint32x4_t offsets;  // of four neighbours
  size_t count, step;
  int32_t largest, diff_min;
  Scaling scaling;

  // f(lanes, exponentials in Q0.31, where in the row); differences below diff_min count for
  // nothing.
  template <typename F>
  [[gnu::always_inline]] void for_each_four(const F& f) const {
    for (size_t i = 0; i < count; i += 4) {
      const mve_pred16_t present = vctp32q(static_cast<uint32_t>(count - i));
      const int32x4_t difference =
          vsubq_n_s32(vldrbq_gather_offset_z_s32(in + i * step, offsets, present), largest);
      const int32x4_t scaled =
          vqrdmulhq_n_s32(vshlq_r_s32(difference, scaling.shift), scaling.multiplier);
      const mve_pred16_t counts = vcmpgeq_m_n_s32(difference, diff_min, present);
      f(present, vpselq_s32(exp_four(scaled), vdupq_n_s32(0), counts), i * step);
    }
  }
};

// As softmax_row of softmax_row.h. Right in place: the last pass reads four elements before it
// writes them.
inline void softmax_int8_row(const int8_t* in, int8_t* out, size_t count, size_t step,
                             const Scaling& scaling, int32_t diff_min) {
  const uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(step));
  int32x4_t highest = vdupq_n_s32(-128);
  for (size_t i = 0; i < count; i += 4) {
    const mve_pred16_t present = vctp32q(static_cast<uint32_t>(count - i));
    highest = vmaxq_m_s32(highest, highest,
                          vldrbq_gather_offset_z_s32(in + i * step, offsets, present), present);
  }
  const Int8Exponents exponents{in,       offsets, count, step, vmaxvq_s32(-128, highest),
                                diff_min, scaling};
  int64_t total = 0;  // Q12.19
  exponents.for_each_four([&](mve_pred16_t present, int32x4_t values, size_t) {
    total = vaddlvaq_p_s32(total, vrshrq_n_s32(values, 12), present);
  });
  const int32_t sum = total < 1 ? 1 : total > kInt32Max ? kInt32Max : static_cast<int32_t>(total);
  const int headroom = __builtin_clz(static_cast<uint32_t>(sum));
  const int32_t reciprocal = one_over_one_plus_x(
      static_cast<int32_t>((static_cast<uint32_t>(sum) << headroom) - (uint32_t{1} << 31)));
  const int32_t shift = headroom - (12 + 31 - 8);  // -34 .. -4: beyond 31 nothing is left
  exponents.for_each_four([&](mve_pred16_t present, int32x4_t values, size_t at) {
    const int32x4_t quotient = vrshlq_n_s32(vqrdmulhq_n_s32(values, reciprocal), shift);
    const int32x4_t bounded = vminq_s32(vsubq_n_s32(quotient, 128), vdupq_n_s32(127));
    vstrbq_scatter_offset_p_s32(out + at, offsets, bounded, present);
  });
}

#else

// srdhm of half of `twice`; neither is negative as a signed number.
inline uint32_t high_of_unsigned(uint32_t twice, uint32_t multiplier) {
  const uint64_t product = static_cast<uint64_t>(twice) * multiplier;
  return static_cast<uint32_t>(product >> 32) + (static_cast<uint32_t>(product) >> 31);
}

// exp(a) in Q0.31 for a <= 0 in Q5.26.
inline uint32_t exp_short(int32_t a) {
  constexpr int32_t kQuarter = 1 << 24, kExpMinusEighth = 1895147668, kThird = 715827883;
  constexpr uint32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                   39332535,   720401,     242};  // exp(-2^-2) ...
  if (a == 0) return kInt32Max;
  const int32_t fine = (a & (kQuarter - 1)) - kQuarter;
  const int32_t x = fine * 32 + (1 << 28);  // within 2^28 of 0: twice of it is an int32
  const int32_t x2 = high_of_doubled(2 * x, x);
  const int32_t x3 = high_of_doubled(2 * x2, x);
  const int32_t x4 = high_of_doubled(2 * x2, x2);
  const int32_t inner = high_of_doubled(2 * (((x4 + 2) >> 2) + x3), kThird);
  const int32_t tail = (inner + x2 + 1) >> 1;
  auto result =
      static_cast<uint32_t>(kExpMinusEighth + high_of_doubled(2 * (x + tail), kExpMinusEighth));
  const uint32_t rest = static_cast<uint32_t>(fine) - static_cast<uint32_t>(a);
  for (int i = 0; i < 7; ++i) {
    if ((rest >> (24 + i) & 1) != 0) result = high_of_unsigned(2 * result, kFactors[i]);
  }
  return result;
}

// The exponential of a difference to the largest element; differences below diff_min count for
// nothing. A function of its own: two loops ask it.
[[gnu::noinline]] inline uint32_t exp_of_difference(int32_t difference, const Scaling& scaling,
                                                    int32_t diff_min) {
  if (difference < diff_min) return 0;
  return exp_short(
      high_product(wrapping_shift_left(difference, scaling.shift), scaling.multiplier));
}

// As softmax_row of softmax_row.h. Right in place: the last pass reads each element before it
// writes it.
inline void softmax_int8_row(const int8_t* in, int8_t* out, size_t count, size_t step,
                             const Scaling& scaling, int32_t diff_min) {
  int32_t largest = -128;
  for (size_t i = 0; i < count; ++i) {
    if (in[i * step] > largest) largest = in[i * step];
  }
  uint64_t total = 0;  // Q12.19
  for (size_t i = 0; i < count; ++i) {
    total += (exp_of_difference(in[i * step] - largest, scaling, diff_min) + (1 << 11)) >> 12;
  }
  const uint32_t sum = total < 1 ? 1 : total > kInt32Max ? kInt32Max : static_cast<uint32_t>(total);
  const int headroom = __builtin_clz(sum);
  const auto reciprocal = static_cast<uint32_t>(
      one_over_one_plus_x(static_cast<int32_t>((sum << headroom) - (uint32_t{1} << 31))));
  const int right = (12 - headroom) + 31 - 8;  // 4 .. 34: beyond 31 nothing is left
  for (size_t i = 0; i < count; ++i) {
    const uint32_t exponential = exp_of_difference(in[i * step] - largest, scaling, diff_min);
    const uint32_t quotient = high_of_unsigned(2 * reciprocal, exponential);
    const uint32_t share = right > 31 ? 0 : (quotient + (uint32_t{1} << (right - 1))) >> right;
    out[i * step] = static_cast<int8_t>(share > 255 ? 127 : static_cast<int32_t>(share) - 128);
  }
}

#endif

}  // namespace berth::runtime
