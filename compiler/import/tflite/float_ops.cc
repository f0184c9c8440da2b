#include "compiler/import/tflite/float_ops.h"

#include <string>
#include <utility>

namespace berth::import {

using Activation = wire::ActivationFunctionType;

MaybeFailure read_float_activation(Activation activation, FloatActivation* out) {
  switch (activation) {
    case Activation::NONE:
      *out = {};
      return {};
    case Activation::RELU:
      *out = {&ops::kAtenRelu, {}};
      return {};
    case Activation::RELU6:
      *out = {&ops::kAtenHardtanh, {real(0), real(6)}};
      return {};
    case Activation::RELU_N1_TO_1:
      *out = {&ops::kAtenHardtanh, {real(-1), real(1)}};
      return {};
    case Activation::TANH:
      *out = {&ops::kAtenTanh, {}};
      return {};
    default:
      break;
  }
  const std::string name = wire::EnumNameActivationFunctionType(activation);
  return unsupported("the fused activation " +
                     (name.empty() ? std::to_string(static_cast<int>(activation)) : name) +
                     "; NONE, RELU, RELU6, RELU_N1_TO_1 and TANH are supported");
}

void add_activated(OperatorContext& c, const OperatorSchema& schema, std::vector<ir::Arg> args,
                   const FloatActivation& activation, ir::ValueId result) {
  if (activation.schema == nullptr) {
    c.add_node(schema, std::move(args), result);
    return;
  }
  const ir::ValueId linear = c.add_temporary(".linear", c.spec(result));
  c.add_node(schema, std::move(args), linear);
  add_activation(c, activation, linear, result);
}

void add_activation(OperatorContext& c, const FloatActivation& activation, ir::ValueId input,
                    ir::ValueId result) {
  std::vector<ir::Arg> args = {ref(input)};
  args.insert(args.end(), activation.numbers.begin(), activation.numbers.end());
  c.add_node(*activation.schema, std::move(args), result);
}

MaybeFailure expect_floats(const OperatorContext& c, int count) {
  for (int i = 0; i < count; ++i) BERTH_IMPORT_TRY(c.expect_dtype(i, ScalarType::kFloat));
  return c.expect_dtype(OperatorContext::kOutput, ScalarType::kFloat);
}

ir::ValueId pad_end(OperatorContext& c, int i, int64_t rows, int64_t columns, double value) {
  ir::TensorSpec plain = c.layout().plain_spec(c.input_index(i));
  plain.sizes[1] += static_cast<int32_t>(rows);
  plain.sizes[2] += static_cast<int32_t>(columns);
  const ir::ValueId input = c.layout().plain(c.input_index(i));
  const ir::ValueId padded = c.add_temporary(".padded", std::move(plain));
  // Pairs from the last dimension on.
  c.add_node(ops::kAtenConstantPadNd, {ref(input), ints({0, 0, 0, columns, 0, rows}), real(value)},
             padded);
  return padded;
}

}  // namespace berth::import
