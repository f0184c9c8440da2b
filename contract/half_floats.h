// The two 16-bit float types: storage only, arithmetic is done in float.
#pragma once

#include <cstdint>
#include <cstring>

namespace berth {

inline uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float float_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

// IEEE binary16.
struct Half {
  uint16_t bits;

  operator float() const {  // NOLINT: exact, like the conversions of built-in types
    const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
    const uint32_t rest = bits & 0x7fffu;
    // The exponent's range moves from 15 to 127; infinities and NaNs move all the way.
    if (rest >= 0x7c00u) return float_from_bits(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x400u) return float_from_bits(sign | ((rest << 13) + (112u << 23)));
    // Below the smallest normal number the value is rest * 2^-24.
    const float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }

  // To the nearest, ties to even; too large becomes infinite.
  static Half from(float value) {
    const uint32_t bits = float_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return {static_cast<uint16_t>(sign | 0x7e00u)};  // NaN
    if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};
    if (magnitude < 0x38800000u) {
      // A number that has 2^-24 as its last place: adding 0.5 lets the float unit round there.
      const float shifted = float_from_bits(magnitude) + 0.5f;
      return {static_cast<uint16_t>(sign | (float_bits(shifted) - 0x3f000000u))};
    }
    const uint32_t odd = magnitude >> 13 & 1u;
    return {static_cast<uint16_t>(sign | (magnitude - (112u << 23) + 0xfffu + odd) >> 13)};
  }
};

// The upper half of a float.
struct BFloat16 {
  uint16_t bits;

  operator float() const { return float_from_bits(uint32_t{bits} << 16); }  // NOLINT: as above

  static BFloat16 from(float value) {
    const uint32_t magnitude = float_bits(value) & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return {0x7fc0};  // NaN
    const uint32_t odd = float_bits(value) >> 16 & 1u;
    return {static_cast<uint16_t>((float_bits(value) + 0x7fffu + odd) >> 16)};
  }
};

}  // namespace berth
