// Operators of one operand whose result has its shape.
#pragma once

#include "compiler/import/tflite/operator_context.h"

namespace berth::import {

// That the output's is input 0's.
MaybeFailure expect_same_shape(const OperatorContext& c);

// layout.h's "either" for one operand.
struct UnaryForms {
  ir::ValueId input = -1, result = -1;
};
UnaryForms pick_unary_forms(OperatorContext& c);

}  // namespace berth::import
