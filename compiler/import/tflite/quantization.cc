#include "compiler/import/tflite/quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contract/fixed_point.h"

namespace berth::import {

using format::tflite::ActivationFunctionType;

std::optional<Multiplier> quantize_multiplier(double real) {
  if (real == 0) return Multiplier{};
  if (!std::isfinite(real)) return std::nullopt;
  int shift = 0;
  const double mantissa = std::frexp(real, &shift);
  auto fixed = static_cast<int64_t>(std::round(mantissa * static_cast<double>(int64_t{1} << 31)));
  if (fixed == int64_t{1} << 31) {
    fixed /= 2;
    ++shift;
  }
  if (shift < -31) return Multiplier{};
  if (shift > 31) return std::nullopt;
  // -2^31 (a negative LEAKY_RELU slope that is a power of two) fits; frexp's mantissa is below 1 in
  // magnitude.
  return Multiplier{static_cast<int32_t>(fixed), shift};
}

std::optional<Multiplier> quantize_multiplier_below_one(double real) {
  if (!(real > 0) || !(real < 1)) return std::nullopt;
  return quantize_multiplier(real);
}

Range type_range(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::kChar:
      return {-128, 127};
    case ScalarType::kByte:
      return {0, 255};
    case ScalarType::kShort:
      return {-32768, 32767};
    default:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  }
}

int64_t quantize_value(float value, const PerTensor& params) {
  // In float32 a product of 2^50, so that int64 holds it whatever the zero point.
  constexpr float kFar = 1e15F;
  const float quotient = std::round(value / params.scale);
  const float bounded = std::isnan(quotient) ? 0 : std::clamp(quotient, -kFar, kFar);
  return params.zero_point + static_cast<int64_t>(bounded);
}

std::optional<Range> activation_range(ActivationFunctionType activation, ScalarType dtype,
                                      const PerTensor& params) {
  const Range type = type_range(dtype);
  const auto at = [&](float value) {
    return static_cast<int32_t>(
        std::clamp<int64_t>(quantize_value(value, params), type.min, type.max));
  };
  switch (activation) {
    case ActivationFunctionType::NONE:
      return type;
    case ActivationFunctionType::RELU:
      return Range{at(0), type.max};
    case ActivationFunctionType::RELU6:
      return Range{at(0), at(6)};
    case ActivationFunctionType::RELU_N1_TO_1:
      return Range{at(-1), at(1)};
    default:
      return std::nullopt;
  }
}

int sum_left_shift(ScalarType dtype) { return dtype == ScalarType::kShort ? 15 : 20; }

namespace {

std::optional<SumMultipliers> sum_multipliers(double left, double right, double output) {
  const auto l = quantize_multiplier_below_one(left);
  const auto r = quantize_multiplier_below_one(right);
  const auto o = quantize_multiplier_below_one(output);
  if (!l || !r || !o) return std::nullopt;
  return SumMultipliers{*l, *r, *o};
}

}  // namespace

std::optional<SumMultipliers> add_multipliers(float left, float right, float output,
                                              ScalarType dtype) {
  const double twice = 2 * static_cast<double>(std::max(left, right));
  const double steps = static_cast<double>(1 << sum_left_shift(dtype));
  return sum_multipliers(left / twice, right / twice,
                         twice / (steps * static_cast<double>(output)));
}

std::optional<SumMultipliers> sub_multipliers(float left, float right, float output,
                                              ScalarType dtype) {
  const float twice = 2 * std::max(left, right);
  const float steps = static_cast<float>(1 << sum_left_shift(dtype));
  const float l = left / twice;
  const float r = right / twice;
  const float o = twice / (steps * output);
  return sum_multipliers(static_cast<double>(l), static_cast<double>(r), static_cast<double>(o));
}

double channel_multiplier(float input, float weight, float output) {
  return static_cast<double>(input) * static_cast<double>(weight) / static_cast<double>(output);
}

double tensor_multiplier(float input, float weight, float output) {
  const float product = input * weight;
  return static_cast<double>(product) / static_cast<double>(output);
}

Multiplier divide_by_count(Multiplier multiplier, int64_t count) {
  int shift = 0;
  while (shift < 62 && (count >> (shift + 1)) != 0) ++shift;  // floor(log2(count))
  shift = std::min({shift, 32, 31 + multiplier.shift});
  // The multiplier has 31 bits and the shift at most 32: the product fits in 63.
  const int64_t scaled = static_cast<int64_t>(multiplier.multiplier) * (int64_t{1} << shift);
  return {static_cast<int32_t>(scaled / count), multiplier.shift - shift};
}

std::optional<SoftmaxParams> softmax_params(float beta, float input_scale) {
  constexpr int kIntegerBits = 5;
  constexpr double kLargest = static_cast<double>((int64_t{1} << 31) - 1);
  const double real = std::min(static_cast<double>(beta) * static_cast<double>(input_scale) *
                                   static_cast<double>(1 << (31 - kIntegerBits)),
                               kLargest);
  if (!(real > 1)) return std::nullopt;
  const auto multiplier = quantize_multiplier(real);
  if (!multiplier) return std::nullopt;
  const double radius = std::ldexp(static_cast<double>((1 << kIntegerBits) - 1),
                                   31 - kIntegerBits - multiplier->shift);
  return SoftmaxParams{*multiplier, -static_cast<int32_t>(std::floor(radius))};
}

std::optional<TableLookup> table_lookup(float input_scale, bool is_tanh) {
  // The table has one step per 1 / 2^12 after x was stretched by 3 (its range is +-10.7 then):
  // 2^-12 needs no rounding, other scales get 15 bits.
  if (is_power_of_two_scale(input_scale, -12)) return TableLookup{3, 0};
  if (is_tanh && is_power_of_two_scale(input_scale, -11)) return TableLookup{6, 0};
  double multiplier = static_cast<double>(input_scale) * 4096.0 * 3.0;
  if (!(multiplier < 32768.0)) return std::nullopt;
  int32_t shift = 0;
  while (multiplier <= 32767.0 / 2.0 && shift <= 30) {
    ++shift;
    multiplier *= 2.0;
  }
  return TableLookup{static_cast<int32_t>(multiplier), shift};
}

bool is_power_of_two_scale(float scale, int exponent) {
  constexpr float kTolerance = 1e-3F;
  return std::fabs(std::log(scale) * (1.0F / std::log(2.0F)) - static_cast<float>(exponent)) <
         kTolerance;
}

bool same_scale(float a, float b) {
  constexpr double kRelative = 1e-6;
  const double larger = static_cast<double>(std::max(a, b));
  return std::fabs(static_cast<double>(a) - static_cast<double>(b)) <= kRelative * larger;
}

}  // namespace berth::import
