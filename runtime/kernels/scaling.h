// Multiplying by a fixed-point factor, in a form that plain loops become vector instructions with.
//
// mbqm of contract/fixed_point.h is two roundings: the high half of a signed 32 x 32 product, then
// a shift to the right that rounds half away from zero. Most vector units have neither a signed
// widening product nor a shift per lane, but unsigned products they have. So, for multipliers >= 0
// and shifts <= 0 (what real layers have):
//   * work on the magnitude and put the sign back at the end. The first rounding is half up, not
//     half away; one less in the rounding term of negative values makes up for it:
//     floor((-m + h) / d) = -floor((m + h - 1) / d) with d = 2 h;
//   * a shift by r with rounding is (value + half) * 2^(31 - r) / 2^31, a product with a factor
//     that each lane has.
#pragma once

#include <cstdint>

#include "contract/fixed_point.h"
#include "contract/isa.h"

namespace berth::runtime {

// srdhm where it cannot saturate. REQUIRES: the multiplier is not -2^31.
inline int32_t high_product(int32_t value, int32_t multiplier) {
  return static_cast<int32_t>((static_cast<int64_t>(value) * multiplier + (int64_t{1} << 30)) >>
                              31);
}

// A shift to the right by `less_one` + 1 that rounds half away from zero: what is negative loses
// one before half is added. REQUIRES: the value is not -2^31.
inline int32_t round_shift(int32_t value, int32_t less_one) {
  return (((value + (value >> 31)) >> less_one) + 1) >> 1;
}

// A multiplier and a shift as mbqm takes them; the multiplier is not -2^31.
struct Scaling {
  int32_t multiplier = 0;
  int32_t shift = 0;

  int32_t apply(int32_t value) const {
    if constexpr (kBuildIsa == Isa::kHost) return mbqm(value, multiplier, shift);
    int32_t factor = multiplier;
    asm("" : "+r"(factor));  // gcc would take its sign out of a loop, and make three products
    if (shift < 0) return round_shift(high_product(value, factor), ~shift);
    return high_product(wrapping_shift_left(value, shift), factor);
  }
  // Whether a PlainScaling of it is worth while: without vector units it is not.
  bool is_plain() const { return kBuildIsa == Isa::kHost && multiplier >= 0 && shift <= 0; }
};

// Rounding term and factor of a shift to the right by `right`.
constexpr uint32_t rounding_term(int right) { return right == 0 ? 0 : uint32_t{1} << (right - 1); }
constexpr uint32_t shift_factor(int right) { return uint32_t{1} << (31 - right); }

// mbqm(value, multiplier, -right). REQUIRES: multiplier below 2^31.
inline int32_t scale_plain(int32_t value, uint32_t multiplier, uint32_t term, uint32_t factor) {
  const uint32_t sign = static_cast<uint32_t>(value >> 31);  // all ones when negative
  const uint32_t magnitude = (static_cast<uint32_t>(value) ^ sign) - sign;
  const uint64_t product =
      static_cast<uint64_t>(magnitude) * multiplier + ((uint32_t{1} << 30) + sign);
  const uint32_t high = static_cast<uint32_t>(product >> 31);
  const uint32_t shifted =
      static_cast<uint32_t>((static_cast<uint64_t>(high + term) * factor) >> 31);
  return static_cast<int32_t>((shifted ^ sign) - sign);
}

// A Scaling that is_plain, ready for loops.
struct PlainScaling {
  uint32_t multiplier, term, factor;
  explicit PlainScaling(const Scaling& from)
      : multiplier(static_cast<uint32_t>(from.multiplier)),
        term(rounding_term(-from.shift)),
        factor(shift_factor(-from.shift)) {}
  int32_t apply(int32_t value) const { return scale_plain(value, multiplier, term, factor); }
};

}  // namespace berth::runtime
