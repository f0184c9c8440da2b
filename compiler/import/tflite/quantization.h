// From scales and zero points to the integers that kernels compute with, exactly as TFLite's
// reference kernels prepare them. Rounding happens in a definite order and in a definite type
// (float32 in some operators, double in others), and every function here says which: one different
// bit in a multiplier is a different model.
#pragma once

#include <cstdint>
#include <optional>

#include "contract/scalar_type.h"
#include "format/tflite_generated.h"

namespace berth::import {

// real = multiplier * 2^(shift - 31): the operand of contract/fixed_point.h's mbqm.
struct Multiplier {
  int32_t multiplier = 0;
  int32_t shift = 0;
  bool operator==(const Multiplier&) const = default;
};

// A mantissa of 31 bits, rounded half away from zero; (0, 0) below 2^-32. Nothing when `real` is
// not finite or so large that no kernel can shift by it (2^31 and above).
std::optional<Multiplier> quantize_multiplier(double real);
// The same, and nothing unless 0 < real < 1: operands of ADD and SUB.
std::optional<Multiplier> quantize_multiplier_below_one(double real);

struct Range {
  int32_t min = 0;
  int32_t max = 0;
  bool operator==(const Range&) const = default;
};
// REQUIRES: kChar, kByte, kShort or kInt.
Range type_range(ScalarType dtype);

struct PerTensor {
  float scale = 1;
  int32_t zero_point = 0;
};

// zero_point + value / scale, the quotient in float32 and rounded half away from zero; saturated
// far outside any type.
int64_t quantize_value(float value, const PerTensor& params);
// The values an activation leaves in a tensor of this type; nothing for TANH, SIGN_BIT and what is
// newer.
std::optional<Range> activation_range(format::tflite::ActivationFunctionType activation,
                                      ScalarType dtype, const PerTensor& params);

// What ADD and SUB bring their operands to: a common scale, with `left_shift` bits below it.
struct SumMultipliers {
  Multiplier left, right, output;
};
int sum_left_shift(ScalarType dtype);  // 20 for int8, 15 for int16
// In double, as ADD. Nothing when the output's scale is so small that the sum would have to grow.
std::optional<SumMultipliers> add_multipliers(float left, float right, float output,
                                              ScalarType dtype);
// In float32, as the reference's SUB (and unlike its ADD).
std::optional<SumMultipliers> sub_multipliers(float left, float right, float output,
                                              ScalarType dtype);

// in * weight / out in double: convolutions, and dense layers with a scale per channel.
double channel_multiplier(float input, float weight, float output);
// The product rounded to float32 first: dense layers with one scale, batch matmul.
double tensor_multiplier(float input, float weight, float output);

// The mean's 1/count goes into its multiplier. REQUIRES: count >= 1.
Multiplier divide_by_count(Multiplier multiplier, int64_t count);

struct SoftmaxParams {
  Multiplier multiplier;  // shift >= 0
  int32_t diff_min = 0;   // what is further below the maximum than this counts as zero
};
// Nothing when beta * scale is not positive, or too small to be represented.
std::optional<SoftmaxParams> softmax_params(float beta, float input_scale);

// int16 TANH and LOGISTIC look their table up at x * multiplier / 2^shift.
struct TableLookup {
  int32_t multiplier = 0;
  int32_t shift = 0;
};
// Scales 2^-12, and for TANH 2^-11 too, are exact. Nothing for a scale that is too large for the
// table.
std::optional<TableLookup> table_lookup(float input_scale, bool is_tanh);

// Whether log2(scale) is within a thousandth of `exponent`: what the reference takes for a power of
// two.
bool is_power_of_two_scale(float scale, int exponent);
// Equal but for the last bits that another tool's decimal printing may lose.
bool same_scale(float a, float b);

}  // namespace berth::import
