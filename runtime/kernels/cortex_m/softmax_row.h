// A row of int8 softmax: the reference, which a host uses. Its own file, so that tests can compare.
#pragma once

#include "runtime/kernels/cortex_m/int8_exponential.h"
#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

struct SoftmaxRule {
  Scaling scaling;  // of differences, to Q5.26
  int32_t diff_min = 0;

  // exp(x - max) in Q0.31; differences below diff_min count for nothing.
  int32_t exponential(int32_t difference) const {
    if (difference < diff_min) return 0;
    const int32_t scaled =
        srdhm(wrapping_shift_left(difference, scaling.shift), scaling.multiplier);
    return exp_on_negative(scaled, 5);
  }
};

// One row of `count` elements that stand `step` apart, in and out alike. In place: the last pass
// reads each element before it writes it.
inline void softmax_row(const int8_t* in, int8_t* out, size_t count, size_t step,
                        const SoftmaxRule& rule) {
  int32_t largest = -128;
  for (size_t i = 0; i < count; ++i) {
    if (in[i * step] > largest) largest = in[i * step];
  }
  int64_t total = 0;  // Q12.19
  for (size_t i = 0; i < count; ++i) total += rdbpot(rule.exponential(in[i * step] - largest), 12);
  // More than 4095 elements as large as the largest: each is 0 in the output anyway.
  const int32_t sum = total < 1 ? 1 : total > kInt32Max ? kInt32Max : static_cast<int32_t>(total);
  const int headroom = count_leading_zeros32(static_cast<uint32_t>(sum));
  const int32_t reciprocal = one_over_one_plus_x(
      static_cast<int32_t>((static_cast<uint32_t>(sum) << headroom) - (uint32_t{1} << 31)));
  const int exponent = (12 - headroom) + 31 - 8;
  for (size_t i = 0; i < count; ++i) {
    const int32_t difference = in[i * step] - largest;
    int32_t value = -128;
    if (difference >= rule.diff_min) {
      const int32_t quotient = srdhm(reciprocal, rule.exponential(difference));
      value = clamp_to((exponent > 31 ? 0 : rdbpot(quotient, exponent)) - 128, -128, 127);
    }
    out[i * step] = static_cast<int8_t>(value);
  }
}

}  // namespace berth::runtime
