#include "compiler/import/tflite/lut.h"

#include <cmath>
#include <cstdlib>

#include "contract/fixed_point.h"

namespace berth::import {
namespace {

constexpr Range kInt8{-128, 127};

template <typename Answer>
Lut fill(Answer answer) {
  Lut lut;
  for (int32_t x = kInt8.min; x <= kInt8.max; ++x) {
    lut[static_cast<size_t>(x - kInt8.min)] =
        static_cast<int8_t>(clamp_to(answer(x), kInt8.min, kInt8.max));
  }
  return lut;
}

int32_t apply(const Multiplier& multiplier, int32_t value) {
  return mbqm(value, multiplier.multiplier, multiplier.shift);
}

// The input of LOGISTIC and TANH as Q4.27. Beyond +-radius the answer is the limit, and nothing is
// multiplied.
struct Q4Input {
  int32_t zero_point = 0;
  int32_t radius = 0;
  int32_t multiplier = 0;
  int shift = 0;

  explicit Q4Input(const PerTensor& input) : zero_point(input.zero_point) {
    constexpr int kIntegerBits = 4;
    const double mantissa = std::frexp(
        static_cast<double>(input.scale) * static_cast<double>(1 << (31 - kIntegerBits)), &shift);
    // A float32 scale has 24 bits: the rounded mantissa stays below 2^31.
    multiplier = static_cast<int32_t>(std::round(mantissa * static_cast<double>(int64_t{1} << 31)));
    const double largest =
        std::ldexp(static_cast<double>((1 << kIntegerBits) - 1), 31 - kIntegerBits - shift);
    radius = static_cast<int32_t>(std::floor(std::fmin(largest, kInt32Max)));
  }

  // REQUIRES: -radius < value < radius, which keeps the shift at 31 and below.
  int32_t to_q4_27(int32_t value) const { return shift < -31 ? 0 : mbqm(value, multiplier, shift); }
};

// `answer` gets x in Q4.27 and gives the quantised result.
template <typename Answer>
Lut saturating_lut(const PerTensor& input, Answer answer) {
  const Q4Input q4(input);
  return fill([&](int32_t x) -> int32_t {
    const int32_t value = x - q4.zero_point;
    if (value <= -q4.radius) return kInt8.min;
    if (value >= q4.radius) return kInt8.max;
    return answer(q4.to_q4_27(value));
  });
}

double ratio(float a, float b) { return static_cast<double>(a) / static_cast<double>(b); }

// HARD_SWISH computes in 16 bits: the multiplier's upper half, rounded.
int16_t upper_half(int32_t multiplier) {
  constexpr int32_t kRoundsUpTooFar = kInt32Max - (1 << 15) + 1;
  return multiplier >= kRoundsUpTooFar ? INT16_MAX
                                       : static_cast<int16_t>((multiplier + (1 << 15)) >> 16);
}

}  // namespace

Lut logistic_lut(const PerTensor& input) {
  return saturating_lut(input, [](int32_t x) { return rdbpot(logistic_q4_27(x), 23) - 128; });
}

Lut tanh_lut(const PerTensor& input) {
  return saturating_lut(input, [](int32_t x) { return rdbpot(tanh_q4_27(x), 24); });
}

std::optional<Lut> hard_swish_lut(const PerTensor& input, const PerTensor& output) {
  // x * relu6(x + 3) / 6. The inner part is held as x * 3 / 32768 so that its clamp to +-1 is
  // int16's own.
  constexpr int kInputShift = 7;
  const float fine_scale = input.scale / 128.0F;
  const auto to_output = quantize_multiplier(static_cast<double>(fine_scale / output.scale));
  constexpr float kReluScale = 3.0F / 32768.0F;
  const auto to_relu = quantize_multiplier(static_cast<double>(fine_scale / kReluScale));
  if (!to_output || !to_relu) return std::nullopt;
  if (to_output->shift > 0 || to_output->shift < -15 || to_relu->shift > 15) return std::nullopt;
  const int16_t output_multiplier = upper_half(to_output->multiplier);
  const int16_t relu_multiplier = upper_half(to_relu->multiplier);
  return fill([&](int32_t x) -> int32_t {
    // 255 * 128 = 32640 at most: fits.
    const auto fine = static_cast<int16_t>((x - input.zero_point) * (1 << kInputShift));
    const int16_t scaled = srdhm16(fine, output_multiplier);
    int16_t relu = fine;
    if (to_relu->shift > 0) relu = saturating_shift_left16(relu, to_relu->shift - 1);
    relu = srdhm16(relu, relu_multiplier);
    if (to_relu->shift > 0) relu = saturating_shift_left16(relu, 1);
    if (to_relu->shift < 0) relu = static_cast<int16_t>(rdbpot(relu, -to_relu->shift));
    // From [-1, 1] to [0, 1], still 15 fraction bits.
    const int32_t gate = (relu + 32768) >> 1;
    const int32_t product = clamp_to(gate * scaled / 32768, INT16_MIN, INT16_MAX);
    return rdbpot(product, -to_output->shift) + output.zero_point;
  });
}

std::optional<Lut> leaky_relu_lut(const PerTensor& input, const PerTensor& output, float alpha) {
  const float identity = input.scale / output.scale;
  const float sloped = input.scale * alpha / output.scale;
  const auto above = quantize_multiplier(static_cast<double>(identity));
  const auto below = quantize_multiplier(static_cast<double>(sloped));
  if (!above || !below) return std::nullopt;
  return fill([&](int32_t x) {
    const int32_t value = x - input.zero_point;
    return wrapping_add(apply(value >= 0 ? *above : *below, value), output.zero_point);
  });
}

std::optional<Lut> prelu_lut(const PerTensor& input, const PerTensor& output, int32_t alpha,
                             const PerTensor& slope) {
  const auto above = quantize_multiplier(ratio(input.scale, output.scale));
  const auto below =
      quantize_multiplier(channel_multiplier(input.scale, slope.scale, output.scale));
  if (!above || !below) return std::nullopt;
  return fill([&](int32_t x) {
    const int32_t value = x - input.zero_point;
    const int32_t result =
        value >= 0 ? apply(*above, value) : apply(*below, value * (alpha - slope.zero_point));
    return wrapping_add(result, output.zero_point);
  });
}

std::optional<Lut> abs_lut(const PerTensor& input, const PerTensor& output) {
  const auto multiplier = quantize_multiplier(ratio(input.scale, output.scale));
  if (!multiplier) return std::nullopt;
  const bool rescale = input.scale != output.scale;
  return fill([&](int32_t x) {
    const int32_t value = std::abs(x - input.zero_point);
    return wrapping_add(rescale ? apply(*multiplier, value) : value, output.zero_point);
  });
}

Lut elu_lut(const PerTensor& input, const PerTensor& output) {
  const float inverse = 1.0F / output.scale;
  return fill([&](int32_t x) {
    const float value = input.scale * static_cast<float>(x - input.zero_point);
    const float answer = value < 0 ? std::exp(value) - 1.0F : value;
    const float steps = std::round(answer * inverse);
    // Far beyond int8 on both sides, so that the sum with a zero point stays what it is.
    const float bounded = std::isnan(steps) ? 0 : std::fmin(std::fmax(steps, -1e6F), 1e6F);
    return static_cast<int32_t>(bounded) + output.zero_point;
  });
}

std::optional<Lut> requantize_lut(const PerTensor& input, const PerTensor& output, Range range) {
  const auto multiplier = quantize_multiplier(ratio(input.scale, output.scale));
  if (!multiplier) return std::nullopt;
  return fill([&](int32_t x) {
    const int32_t value = wrapping_add(apply(*multiplier, x - input.zero_point), output.zero_point);
    return clamp_to(value, range.min, range.max);
  });
}

}  // namespace berth::import
