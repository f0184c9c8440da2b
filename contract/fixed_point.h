// The fixed-point arithmetic that quantised operators are defined by: that of TFLite's reference
// kernels with double rounding. Both halves use it: kernels at run time, the importer when it fills
// look-up tables. Every function is exact and total within its REQUIRES; nothing here overflows a
// signed integer, whatever the operands.
//
// Qm.n below means n fraction bits: the int32 a stands for a / 2^n.
#pragma once

#include <cstdint>

namespace berth {

constexpr int32_t kInt32Max = INT32_MAX;
constexpr int32_t kInt32Min = INT32_MIN;

// Multiplication by 2^shift that wraps, as the reference's int32 product does. REQUIRES: 0 <= shift
// <= 31.
constexpr int32_t wrapping_shift_left(int32_t value, int shift) {
  return static_cast<int32_t>(static_cast<uint32_t>(value) << shift);
}

constexpr int32_t wrapping_add(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

constexpr int32_t wrapping_sub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

constexpr int32_t wrapping_mul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// Saturating rounding doubling high multiply: a * b / 2^31, half rounded up. The reference writes
// it with a nudge that depends on the sign and a truncating division; both give floor((a*b + 2^30)
// / 2^31).
constexpr int32_t srdhm(int32_t a, int32_t b) {
  if (a == kInt32Min && b == kInt32Min) return kInt32Max;
  return static_cast<int32_t>((static_cast<int64_t>(a) * b + (int64_t{1} << 30)) >> 31);
}

// x / 2^exponent, half rounded away from zero. REQUIRES: 0 <= exponent <= 31.
constexpr int32_t rdbpot(int32_t x, int exponent) {
  const int32_t mask = static_cast<int32_t>((uint32_t{1} << exponent) - 1);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// What a shift may be; a kernel refuses anything else before it computes.
constexpr bool is_valid_shift(int64_t shift) { return shift >= -31 && shift <= 31; }

// x * multiplier * 2^(shift - 31). REQUIRES: is_valid_shift(shift).
constexpr int32_t mbqm(int32_t x, int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  return rdbpot(srdhm(wrapping_shift_left(x, left), multiplier), right);
}

constexpr bool is_valid_shift64(int64_t shift) { return shift >= -31 && shift <= 14; }

// The multiplier rounded to 16 bits, as mbqm64 takes it.
constexpr int32_t reduced_multiplier(int32_t multiplier) {
  return multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
}

// mbqm for 64-bit accumulators (int16 activations), rounded once. REQUIRES:
// is_valid_shift64(shift).
constexpr int32_t mbqm64(int64_t x, int32_t multiplier, int shift) {
  const int total = 15 - shift;
  const uint64_t product =
      static_cast<uint64_t>(x) * static_cast<uint64_t>(int64_t{reduced_multiplier(multiplier)});
  const int64_t rounded = static_cast<int64_t>(product + (uint64_t{1} << (total - 1)));
  return static_cast<int32_t>(rounded >> total);
}

constexpr int32_t clamp_to(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

// Saturating value * 2^shift. REQUIRES: 0 <= shift <= 31.
constexpr int32_t saturating_shift_left(int32_t value, int shift) {
  const int64_t wide = static_cast<int64_t>(value) * (int64_t{1} << shift);
  return wide > kInt32Max ? kInt32Max : wide < kInt32Min ? kInt32Min : static_cast<int32_t>(wide);
}

// (a + b) / 2, half away from zero.
constexpr int32_t rounding_half_sum(int32_t a, int32_t b) {
  const int64_t sum = static_cast<int64_t>(a) + b;
  return static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
}

constexpr int count_leading_zeros32(uint32_t value) {
  int count = 0;
  for (uint32_t bit = uint32_t{1} << 31; bit != 0 && (value & bit) == 0; bit >>= 1) ++count;
  return count;
}

// exp(a) in Q0.31 for a in Q0.31, -1/4 <= a < 0: a Taylor polynomial of degree 4 around -1/8.
constexpr int32_t exp_near_minus_eighth(int32_t a) {
  constexpr int32_t kExpMinusEighth = 1895147668;  // exp(-1/8)
  constexpr int32_t kThird = 715827883;
  const int32_t x = wrapping_add(a, 1 << 28);
  const int32_t x2 = srdhm(x, x);
  const int32_t x3 = srdhm(x2, x);
  const int32_t x4 = srdhm(x2, x2);
  const int32_t tail = rdbpot(srdhm(rdbpot(x4, 2) + x3, kThird) + x2, 1);
  return kExpMinusEighth + srdhm(kExpMinusEighth, wrapping_add(x, tail));
}

// exp(a) in Q0.31 for a <= 0 with `integer_bits` integer bits (4: Q4.27, 5: Q5.26): the part below
// 1/4 by the polynomial, the rest as a product of exp(-2^i), one factor per bit that is set.
// REQUIRES: a <= 0, 0 <= integer_bits <= 5.
constexpr int32_t exp_on_negative(int32_t a, int integer_bits) {
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};  // exp(-2^-2) ...
  if (a == 0) return kInt32Max;
  const int fraction_bits = 31 - integer_bits;
  const int32_t quarter = 1 << (fraction_bits - 2);
  const int32_t fine = (a & (quarter - 1)) - quarter;
  int32_t result = exp_near_minus_eighth(wrapping_shift_left(fine, integer_bits));
  const uint32_t rest = static_cast<uint32_t>(fine) - static_cast<uint32_t>(a);
  for (int i = 0; i < 7; ++i) {
    const int exponent = i - 2;
    if (integer_bits > exponent && ((rest >> (fraction_bits + exponent)) & 1) != 0)
      result = srdhm(result, kFactors[i]);
  }
  return result;
}

// 2 / (1 + a) in Q2.29 for a in Q0.31, 0 <= a: three steps of Newton's method.
constexpr int32_t two_over_one_plus_x(int32_t a) {
  constexpr int32_t k48Over17 = 1515870810;  // Q2.29
  constexpr int32_t kMinus32Over17 = -1010580540;
  const int32_t half = rounding_half_sum(a, kInt32Max);
  int32_t x = k48Over17 + srdhm(half, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = wrapping_sub(1 << 29, srdhm(half, x));
    x = wrapping_add(x, saturating_shift_left(srdhm(x, error), 2));
  }
  return x;
}

// 1 / (1 + a), Q0.31 in and out. REQUIRES: 0 <= a.
constexpr int32_t one_over_one_plus_x(int32_t a) {
  return saturating_shift_left(two_over_one_plus_x(a), 1);
}

// (1 - a) / (1 + a), Q0.31 in and out. REQUIRES: 0 <= a.
constexpr int32_t one_minus_x_over_one_plus_x(int32_t a) {
  return saturating_shift_left(wrapping_sub(two_over_one_plus_x(a), 1 << 29), 2);
}

constexpr int32_t minus_magnitude(int32_t value) { return value > 0 ? -value : value; }

// 1 / (1 + exp(-a)) in Q0.31 for a in Q4.27: what int8 LOGISTIC is made of.
constexpr int32_t logistic_q4_27(int32_t a) {
  if (a == 0) return 1 << 30;
  const int32_t positive = one_over_one_plus_x(exp_on_negative(minus_magnitude(a), 4));
  return a > 0 ? positive : wrapping_sub(kInt32Max, positive);
}

// tanh(a) in Q0.31 for a in Q4.27: what int8 TANH is made of. Reading the same bits as Q5.26
// doubles the argument.
constexpr int32_t tanh_q4_27(int32_t a) {
  if (a == 0) return 0;
  const int32_t positive = one_minus_x_over_one_plus_x(exp_on_negative(minus_magnitude(a), 5));
  return a > 0 ? positive : wrapping_sub(0, positive);
}

// The 16-bit counterpart of srdhm, as HARD_SWISH uses it: a * b / 2^15, half rounded up, saturated.
constexpr int16_t srdhm16(int16_t a, int16_t b) {
  if (a == INT16_MIN && b == INT16_MIN) return INT16_MAX;
  return static_cast<int16_t>((static_cast<int32_t>(a) * b + (1 << 14)) >> 15);
}

// Saturating value * 2^shift in 16 bits. REQUIRES: 0 <= shift <= 15.
constexpr int16_t saturating_shift_left16(int16_t value, int shift) {
  const int32_t wide = static_cast<int32_t>(value) * (1 << shift);
  return static_cast<int16_t>(clamp_to(wide, INT16_MIN, INT16_MAX));
}

}  // namespace berth
