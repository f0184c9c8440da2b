// Operators of one operand. int8: a table (lut.h), or a clamp where bytes stay what they are inside
// the bounds. int16: berth::'s operators, which compute. SOFTMAX, and the edges of quantisation,
// stand here too.
#include <cmath>

#include "compiler/import/tflite/lut.h"
#include "compiler/import/tflite/translate.h"
#include "compiler/import/tflite/unary_forms.h"

namespace berth::import {
namespace {

struct Unary {
  bool is_16 = false;
  PerTensor input, output;
};

MaybeFailure read_unary(OperatorContext& c, bool takes_16, Unary* unary) {
  unary->is_16 = takes_16 && c.input(0).dtype == ScalarType::kShort;
  if (!unary->is_16) BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  BERTH_IMPORT_TRY(c.read_params(0, &unary->input));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &unary->output));
  return expect_same_shape(c);
}

MaybeFailure add_table(OperatorContext& c, const std::optional<Lut>& lut) {
  if (!lut) {
    return unsupported("the input's scale " + std::to_string(c.input(0).quantization.scales[0]) +
                       " and the output's " + std::to_string(c.output().quantization.scales[0]) +
                       " are too far apart");
  }
  BERTH_IMPORT_TRY(c.pay(lut->size()));
  const auto bytes = std::as_bytes(std::span(*lut));
  const ir::ValueId table =
      c.add_constant(".table", ScalarType::kChar, {static_cast<int32_t>(lut->size())},
                     {bytes.begin(), bytes.end()});
  const UnaryForms forms = pick_unary_forms(c);
  c.add_node(ops::kQuantizedActivation, {ref(forms.input), ref(table)}, forms.result);
  return {};
}

MaybeFailure expect_output_params(const OperatorContext& c, const PerTensor& has, int exponent,
                                  int32_t zero_point) {
  if (is_power_of_two_scale(has.scale, exponent) && has.zero_point == zero_point) return {};
  return unsupported(c.output_text() + " has scale " + std::to_string(has.scale) +
                     " and zero point " + std::to_string(has.zero_point) +
                     "; this operator makes 2^" + std::to_string(exponent) + " and " +
                     std::to_string(zero_point));
}

MaybeFailure add_table_lookup_16(OperatorContext& c, const Unary& unary, bool is_tanh) {
  BERTH_IMPORT_TRY(expect_output_params(c, unary.output, -15, 0));
  const auto lookup = table_lookup(unary.input.scale, is_tanh);
  if (!lookup) {
    return unsupported(c.input_text(0) + " has the scale " + std::to_string(unary.input.scale) +
                       "; the table takes less than 2.67");
  }
  const UnaryForms forms = pick_unary_forms(c);
  c.add_node(is_tanh ? ops::kBerthTanh : ops::kBerthLogistic,
             {ref(forms.input), num(lookup->multiplier), num(lookup->shift)}, forms.result);
  return {};
}

}  // namespace

MaybeFailure translate_logistic(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, true, &unary));
  if (unary.is_16) return add_table_lookup_16(c, unary, false);
  BERTH_IMPORT_TRY(expect_output_params(c, unary.output, -8, -128));
  return add_table(c, logistic_lut(unary.input));
}

MaybeFailure translate_tanh(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, true, &unary));
  if (unary.is_16) return add_table_lookup_16(c, unary, true);
  BERTH_IMPORT_TRY(expect_output_params(c, unary.output, -7, 0));
  return add_table(c, tanh_lut(unary.input));
}

MaybeFailure translate_hard_swish(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, false, &unary));
  return add_table(c, hard_swish_lut(unary.input, unary.output));
}

MaybeFailure translate_leaky_relu(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, true, &unary));
  const auto* options = c.options<wire::LeakyReluOptions>();
  const float alpha = options == nullptr ? 0.0F : options->alpha();
  if (!unary.is_16) return add_table(c, leaky_relu_lut(unary.input, unary.output, alpha));
  const float identity = unary.input.scale / unary.output.scale;
  const float sloped = unary.input.scale * alpha / unary.output.scale;
  const auto above = quantize_multiplier(static_cast<double>(identity));
  const auto below = quantize_multiplier(static_cast<double>(sloped));
  if (!above || !below)
    return unsupported("the scales and the slope " + std::to_string(alpha) + " are too far apart");
  const UnaryForms forms = pick_unary_forms(c);
  c.add_node(ops::kBerthLeakyRelu,
             {ref(forms.input), num(0), num(0), num(above->multiplier), num(above->shift),
              num(below->multiplier), num(below->shift)},
             forms.result);
  return {};
}

MaybeFailure translate_prelu(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, false, &unary));
  BERTH_IMPORT_TRY(c.expect_dtype(1, ScalarType::kChar));
  PerTensor slope;
  BERTH_IMPORT_TRY(c.read_params(1, &slope));
  const FileTensor& alpha = c.input(1);
  if (!alpha.is_constant() || alpha.element_count != 1) {
    return unsupported(c.input_text(1) + " has " + std::to_string(alpha.element_count) +
                       " slopes; one constant slope for all is supported");
  }
  return add_table(c,
                   prelu_lut(unary.input, unary.output, static_cast<int8_t>(alpha.data[0]), slope));
}

MaybeFailure translate_abs(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, false, &unary));
  return add_table(c, abs_lut(unary.input, unary.output));
}

MaybeFailure translate_elu(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, false, &unary));
  return add_table(c, elu_lut(unary.input, unary.output));
}

MaybeFailure translate_relu(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, true, &unary));
  const auto activation =
      c.code() == wire::BuiltinOperator::RELU    ? wire::ActivationFunctionType::RELU
      : c.code() == wire::BuiltinOperator::RELU6 ? wire::ActivationFunctionType::RELU6
                                                 : wire::ActivationFunctionType::RELU_N1_TO_1;
  Range range;
  BERTH_IMPORT_TRY(c.read_activation(activation, unary.output, &range));
  const bool is_clamp =
      unary.input.scale == unary.output.scale && unary.input.zero_point == unary.output.zero_point;
  if (!is_clamp && !unary.is_16)
    return add_table(c, requantize_lut(unary.input, unary.output, range));
  const UnaryForms forms = pick_unary_forms(c);
  ir::ValueId clamped = forms.input;
  if (!is_clamp) {
    const double real =
        static_cast<double>(unary.input.scale) / static_cast<double>(unary.output.scale);
    const auto multiplier = quantize_multiplier(real);
    if (!multiplier)
      return unsupported("the scales ask for a multiplication by " + std::to_string(real));
    const bool image = c.layout().has_image(c.input_index(0));
    clamped = c.add_temporary(".requantized", image ? c.layout().image_spec(c.output_index())
                                                    : c.layout().plain_spec(c.output_index()));
    c.add_node(ops::kBerthRequantize,
               {ref(forms.input), num(unary.input.zero_point), num(unary.output.zero_point),
                num(multiplier->multiplier), num(multiplier->shift)},
               clamped);
  }
  c.add_node(ops::kAtenClamp, {ref(clamped), num(range.min), num(range.max)}, forms.result);
  return {};
}

MaybeFailure translate_softmax(OperatorContext& c) {
  Unary unary;
  BERTH_IMPORT_TRY(read_unary(c, false, &unary));
  BERTH_IMPORT_TRY(expect_output_params(c, unary.output, -8, -128));
  const auto* options = c.options<wire::SoftmaxOptions>();
  const float beta = options == nullptr ? 0.0F : options->beta();
  const auto params = softmax_params(beta, unary.input.scale);
  if (!params) {
    return unsupported("beta " + std::to_string(beta) + " times the input's scale " +
                       std::to_string(unary.input.scale) +
                       " is not positive, or too small to compute with");
  }
  const auto rank = static_cast<int64_t>(c.input(0).shape.size());
  if (rank == 0) return malformed(c.input_text(0) + " has no dimension to normalise along");
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  c.add_node(
      ops::kSoftmax,
      {ref(input), num(rank - 1), num(unary.input.zero_point), num(unary.output.zero_point),
       num(params->multiplier.multiplier), num(params->multiplier.shift), num(params->diff_min)},
      c.layout().define_plain(c.output_index()));
  return {};
}

MaybeFailure translate_quantize(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_same_shape(c));
  const ScalarType from = c.input(0).dtype;
  const ScalarType to = c.output().dtype;
  PerTensor out;
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &out));
  const bool small_output =
      to == ScalarType::kChar || to == ScalarType::kShort || to == ScalarType::kByte;
  if (from == ScalarType::kFloat) {
    if (!small_output)
      BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, ScalarType::kChar));
    const Range range = type_range(to);
    const UnaryForms forms = pick_unary_forms(c);
    c.add_node(ops::kBerthQuantize,
               {ref(forms.input), real(static_cast<double>(out.scale)), num(out.zero_point),
                num(range.min), num(range.max)},
               forms.result);
    return {};
  }
  const auto is_integer = [](ScalarType type) {
    return type == ScalarType::kChar || type == ScalarType::kShort || type == ScalarType::kInt ||
           type == ScalarType::kByte;
  };
  if (!is_integer(from) || !is_integer(to)) {
    return unsupported("from " + type_name(c.input(0).type) + " to " + type_name(c.output().type) +
                       "; FLOAT32, INT8, UINT8, INT16 and INT32 to integers are supported");
  }
  PerTensor in;
  BERTH_IMPORT_TRY(c.read_params(0, &in));
  if (from == to && in.scale == out.scale && in.zero_point == out.zero_point) {
    c.layout().define_alias(c.output_index(), c.input_index(0));
    return {};
  }
  if (from == ScalarType::kChar && to == ScalarType::kChar) {
    return add_table(c, requantize_lut(in, out, type_range(to)));
  }
  const double ratio = static_cast<double>(in.scale) / static_cast<double>(out.scale);
  const auto multiplier = quantize_multiplier(ratio);
  if (!multiplier)
    return unsupported("the scales ask for a multiplication by " + std::to_string(ratio));
  const UnaryForms forms = pick_unary_forms(c);
  c.add_node(ops::kBerthRequantize,
             {ref(forms.input), num(in.zero_point), num(out.zero_point),
              num(multiplier->multiplier), num(multiplier->shift)},
             forms.result);
  return {};
}

MaybeFailure translate_dequantize(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_same_shape(c));
  const ScalarType from = c.input(0).dtype;
  if (from != ScalarType::kShort && from != ScalarType::kByte)
    BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, ScalarType::kFloat));
  PerTensor in;
  BERTH_IMPORT_TRY(c.read_params(0, &in));
  const UnaryForms forms = pick_unary_forms(c);
  std::vector<ir::Arg> args = {ref(forms.input), real(static_cast<double>(in.scale)),
                               num(in.zero_point)};
  if (from == ScalarType::kChar) {
    const Range range = type_range(from);
    args.insert(args.end(), {num(range.min), num(range.max), num(static_cast<int64_t>(from))});
  }
  c.add_node(from == ScalarType::kChar ? ops::kDequantizePerTensor : ops::kBerthDequantize,
             std::move(args), forms.result);
  return {};
}

// aten:: decides by the tensors' dtypes; both cut off what stands behind the point.
MaybeFailure translate_cast(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_same_shape(c));
  for (const int i : {0, OperatorContext::kOutput}) {
    const FileTensor& it = c.at(i);
    if (!it.quantization.scales.empty())
      return unsupported(c.text(i) + " is quantised; casts of plain numbers are supported");
    if (it.dtype != ScalarType::kInt && it.dtype != ScalarType::kLong &&
        it.dtype != ScalarType::kBool && it.dtype != ScalarType::kByte)
      BERTH_IMPORT_TRY(c.expect_dtype(i, ScalarType::kFloat));
  }
  if (c.input(0).dtype == c.output().dtype) {
    c.layout().define_alias(c.output_index(), c.input_index(0));
    return {};
  }
  const UnaryForms forms = pick_unary_forms(c);
  c.add_node(ops::kAtenToCopy, {ref(forms.input), flag(false), none()}, forms.result);
  return {};
}

}  // namespace berth::import
