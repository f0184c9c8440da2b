// What the translations of float32 operators share. They become aten:: operators, which stock
// runtimes have, under one rule more than layout.h's: those kernels want every operand of a call in
// one dim order, so filters of an image stand in its form too.
#pragma once

#include <vector>

#include "compiler/import/tflite/operator_context.h"

namespace berth::import {

// An operator of one operand and numbers that follow a layer: what TFLite fuses. No operator: none.
struct FloatActivation {
  const OperatorSchema* schema = nullptr;
  std::vector<ir::Arg> numbers;
};
// NONE, RELU, RELU6, RELU_N1_TO_1, TANH.
MaybeFailure read_float_activation(wire::ActivationFunctionType activation, FloatActivation* out);

// `schema` with `args`, whose result goes through the activation into `result`. aten:: operators
// have no bounds of their own; a later pass lets the activation work in place.
void add_activated(OperatorContext& c, const OperatorSchema& schema, std::vector<ir::Arg> args,
                   const FloatActivation& activation, ir::ValueId result);
// REQUIRES: activation.schema.
void add_activation(OperatorContext& c, const FloatActivation& activation, ir::ValueId input,
                    ir::ValueId result);

// Inputs 0 to `count` - 1 and the output are FLOAT32.
MaybeFailure expect_floats(const OperatorContext& c, int count);

// Input i, an image in plain form (N, H, W, C), with `rows` rows more below and `columns` columns
// more to the right, filled with `value`: what makes padding symmetric, as aten:: has it.
ir::ValueId pad_end(OperatorContext& c, int i, int64_t rows, int64_t columns, double value);

}  // namespace berth::import
