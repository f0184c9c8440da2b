// One-operand int8 operators as tables: 256 answers computed at import with the reference's own
// arithmetic, so that one kernel (cortex_m::quantized_activation) runs all of them and the device
// spends a load per element.
//
// table[x + 128] is the answer for x: the vendor kernel's order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "compiler/import/tflite/quantization.h"

namespace berth::import {

using Lut = std::array<int8_t, 256>;

// Scale 1/256 and zero point -128, and 1/128 and 0, are what the arithmetic produces: the output
// has no parameters.
Lut logistic_lut(const PerTensor& input);
Lut tanh_lut(const PerTensor& input);

// Those below answer nothing when the scales differ so much that the reference itself would give
// up.
std::optional<Lut> hard_swish_lut(const PerTensor& input, const PerTensor& output);
std::optional<Lut> leaky_relu_lut(const PerTensor& input, const PerTensor& output, float alpha);
// PReLU with one slope, `alpha` quantised by `slope`.
std::optional<Lut> prelu_lut(const PerTensor& input, const PerTensor& output, int32_t alpha,
                             const PerTensor& slope);
std::optional<Lut> abs_lut(const PerTensor& input, const PerTensor& output);
// x, or exp(x) - 1 below 0: in float32, as the reference's table is filled.
Lut elu_lut(const PerTensor& input, const PerTensor& output);
// Another scale and zero point, clamped to `range`: QUANTIZE, and RELU and its kin between unequal
// scales.
std::optional<Lut> requantize_lut(const PerTensor& input, const PerTensor& output, Range range);

}  // namespace berth::import
