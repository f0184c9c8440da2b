// Float to integer as quantisation needs it: total (any float, NaN too), without libm.
#pragma once

#include <cstdint>

namespace berth::runtime {

// 2^30: beyond every quantised value, and far inside int32.
constexpr float kRoundingLimit = 1073741824.0f;

// What is left after the part before the point is taken off; *whole gets that part. NaN counts as
// 0.
inline float split(float value, int32_t* whole) {
  if (!(value > -kRoundingLimit)) value = value != value ? 0.0f : -kRoundingLimit;
  if (value > kRoundingLimit) value = kRoundingLimit;
  *whole = static_cast<int32_t>(value);
  return value - static_cast<float>(*whole);
}

inline int32_t round_half_away(float value) {
  int32_t whole = 0;
  const float rest = split(value, &whole);
  return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}

inline int32_t round_half_even(float value) {
  int32_t whole = 0;
  const float rest = split(value, &whole);
  const bool odd = (whole & 1) != 0;
  return whole + ((rest > 0.5f || (rest == 0.5f && odd)) ? 1 : 0) -
         ((rest < -0.5f || (rest == -0.5f && odd)) ? 1 : 0);
}

}  // namespace berth::runtime
