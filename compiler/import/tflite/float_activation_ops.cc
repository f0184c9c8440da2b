// Operators of one float operand: aten:: operators one for one, or a few of them where stock
// runtimes have no kernel for it.
#include <cstring>

#include "compiler/import/tflite/float_ops.h"
#include "compiler/import/tflite/translate.h"
#include "compiler/import/tflite/unary_forms.h"

namespace berth::import {
namespace {

using Code = wire::BuiltinOperator;

// Operators without options.
struct Plain {
  Code code;
  const OperatorSchema* schema;
};
constexpr Plain kPlain[] = {
    {Code::ABS, &ops::kAtenAbs},     {Code::CEIL, &ops::kAtenCeil},
    {Code::COS, &ops::kAtenCos},     {Code::EXP, &ops::kAtenExp},
    {Code::FLOOR, &ops::kAtenFloor}, {Code::LOG, &ops::kAtenLog},
    {Code::NEG, &ops::kAtenNeg},     {Code::LOGISTIC, &ops::kAtenSigmoid},
    {Code::RELU, &ops::kAtenRelu},   {Code::ROUND, &ops::kAtenRound},
    {Code::RSQRT, &ops::kAtenRsqrt}, {Code::SIN, &ops::kAtenSin},
    {Code::SQRT, &ops::kAtenSqrt},   {Code::TANH, &ops::kAtenTanh},
};

MaybeFailure read_unary(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_floats(c, 1));
  return expect_same_shape(c);
}

// schema(input, numbers).
MaybeFailure translate_unary(OperatorContext& c, const OperatorSchema& schema,
                             const std::vector<ir::Arg>& numbers = {}) {
  BERTH_IMPORT_TRY(read_unary(c));
  const UnaryForms forms = pick_unary_forms(c);
  std::vector<ir::Arg> args = {ref(forms.input)};
  args.insert(args.end(), numbers.begin(), numbers.end());
  c.add_node(schema, std::move(args), forms.result);
  return {};
}

}  // namespace

MaybeFailure translate_float_unary(OperatorContext& c) {
  for (const Plain& it : kPlain) {
    if (it.code == c.code()) return translate_unary(c, *it.schema);
  }
  return unsupported("");
}

MaybeFailure translate_float_relu6(OperatorContext& c) {
  return translate_unary(c, ops::kAtenHardtanh, {real(0), real(6)});
}

MaybeFailure translate_float_relu_n1_to_1(OperatorContext& c) {
  return translate_unary(c, ops::kAtenHardtanh, {real(-1), real(1)});
}

MaybeFailure translate_float_leaky_relu(OperatorContext& c) {
  const auto* options = c.options<wire::LeakyReluOptions>();
  const float alpha = options == nullptr ? 0.0F : options->alpha();
  return translate_unary(c, ops::kAtenLeakyRelu, {real(static_cast<double>(alpha))});
}

// alpha, scale, input_scale.
MaybeFailure translate_float_elu(OperatorContext& c) {
  return translate_unary(c, ops::kAtenElu, {num(1), num(1), num(1)});
}

MaybeFailure translate_float_gelu(OperatorContext& c) {
  const auto* options = c.options<wire::GeluOptions>();
  const bool approximate = options != nullptr && options->approximate();
  return translate_unary(c, ops::kAtenGelu, {std::string(approximate ? "tanh" : "none")});
}

MaybeFailure translate_float_square(OperatorContext& c) {
  BERTH_IMPORT_TRY(read_unary(c));
  const UnaryForms forms = pick_unary_forms(c);
  c.add_node(ops::kAtenMul, {ref(forms.input), ref(forms.input)}, forms.result);
  return {};
}

// x * clamp(x + 3, 0, 6) / 6.
MaybeFailure translate_float_hard_swish(OperatorContext& c) {
  BERTH_IMPORT_TRY(read_unary(c));
  const UnaryForms forms = pick_unary_forms(c);
  const ir::TensorSpec spec = c.spec(forms.result);
  const ir::ValueId shifted = c.add_temporary(".shifted", spec);
  const ir::ValueId gate = c.add_temporary(".gate", spec);
  const ir::ValueId product = c.add_temporary(".product", spec);
  c.add_node(ops::kAtenAddScalar, {ref(forms.input), real(3), num(1)}, shifted);
  c.add_node(ops::kAtenHardtanh, {ref(shifted), real(0), real(6)}, gate);
  c.add_node(ops::kAtenMul, {ref(gate), ref(forms.input)}, product);
  c.add_node(ops::kAtenDivScalar, {ref(product), real(6)}, forms.result);
  return {};
}

// max(x, 0) + alpha * min(x, 0), one alpha or one per element of the last dimensions.
MaybeFailure translate_float_prelu(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_floats(c, 2));
  BERTH_IMPORT_TRY(expect_same_shape(c));
  const FileTensor& slopes = c.input(1);
  if (slopes.is_constant() && slopes.element_count == 1) {
    float slope = 0;
    std::memcpy(&slope, slopes.data.data(), sizeof(slope));
    return translate_unary(c, ops::kAtenLeakyRelu, {real(static_cast<double>(slope))});
  }
  if (!broadcasts_to(slopes.shape, c.input(0).shape)) {
    return malformed(c.input_text(1) + " has the shape " + c.shape_text(1) +
                     ", which does not broadcast to the input's, " + c.shape_text(0));
  }
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  const ir::ValueId alpha = c.layout().plain(c.input_index(1));
  const ir::ValueId result = c.layout().define_plain(c.output_index());
  const ir::TensorSpec spec = c.spec(result);
  const ir::ValueId below = c.add_temporary(".below", spec);
  const ir::ValueId sloped = c.add_temporary(".sloped", spec);
  const ir::ValueId above = c.add_temporary(".above", spec);
  c.add_node(ops::kAtenClamp, {ref(input), none(), real(0)}, below);
  c.add_node(ops::kAtenMul, {ref(below), ref(alpha)}, sloped);
  c.add_node(ops::kAtenRelu, {ref(input)}, above);
  c.add_node(ops::kAtenAdd, {ref(above), ref(sloped), num(1)}, result);
  return {};
}

namespace {

MaybeFailure translate_normaliser(OperatorContext& c, const OperatorSchema& schema, float beta) {
  BERTH_IMPORT_TRY(read_unary(c));
  const auto rank = static_cast<int64_t>(c.input(0).shape.size());
  if (rank == 0) return malformed(c.input_text(0) + " has no dimension to normalise along");
  ir::ValueId input = c.layout().plain(c.input_index(0));
  if (beta != 1.0F) {
    const ir::ValueId scaled = c.add_temporary(".scaled", c.spec(input));
    c.add_node(ops::kAtenMulScalar, {ref(input), real(static_cast<double>(beta))}, scaled);
    input = scaled;
  }
  c.add_node(schema, {ref(input), num(rank - 1), flag(false)},
             c.layout().define_plain(c.output_index()));
  return {};
}

}  // namespace

MaybeFailure translate_float_softmax(OperatorContext& c) {
  const auto* options = c.options<wire::SoftmaxOptions>();
  return translate_normaliser(c, ops::kAtenSoftmax, options == nullptr ? 0.0F : options->beta());
}

MaybeFailure translate_float_log_softmax(OperatorContext& c) {
  return translate_normaliser(c, ops::kAtenLogSoftmax, 1.0F);
}

}  // namespace berth::import
