// Operators of two operands, element by element: ADD, SUB, MUL, MAXIMUM, MINIMUM. Equal shapes in
// int8 run on the cortex_m:: operators; broadcasting (but in MAXIMUM and MINIMUM), int16, SUB and a
// MUL with bounds run on berth::'s; floats on aten::'s, and DIV and SQUARED_DIFFERENCE are theirs
// alone.
#include <algorithm>

#include "compiler/import/tflite/float_ops.h"
#include "compiler/import/tflite/translate.h"

namespace berth::import {
namespace {

struct Operands {
  ir::ValueId left = -1, right = -1, result = -1;
};

struct Pair {
  ScalarType dtype = ScalarType::kChar;
  bool same_shape = false;
  PerTensor left, right, out;
};

// Whether both operands have the output's shape; a failure when the output is not what they
// broadcast to.
MaybeFailure check_shapes(const OperatorContext& c, bool* same_shape) {
  const std::span<const int32_t> out = c.output().shape;
  const std::span<const int32_t> left = c.input(0).shape;
  const std::span<const int32_t> right = c.input(1).shape;
  *same_shape = std::equal(left.begin(), left.end(), right.begin(), right.end()) &&
                std::equal(left.begin(), left.end(), out.begin(), out.end());
  // Every dimension of the output is one operand's at least.
  bool covered = broadcasts_to(left, out) && broadcasts_to(right, out) &&
                 out.size() == std::max(left.size(), right.size());
  for (size_t back = 1; covered && back <= out.size(); ++back) {
    const int32_t size = out[out.size() - back];
    const bool from_left = back <= left.size() && left[left.size() - back] == size;
    const bool from_right = back <= right.size() && right[right.size() - back] == size;
    covered = from_left || from_right || size == 1;
  }
  if (covered) return {};
  return malformed(c.output_text() + " has the shape " + c.shape_text(OperatorContext::kOutput) +
                   "; the operands broadcast from " + c.shape_text(0) + " and " + c.shape_text(1));
}

MaybeFailure read_pair(OperatorContext& c, Pair* pair) {
  pair->dtype = c.input(0).dtype;
  if (pair->dtype != ScalarType::kShort) BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(1, pair->dtype));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, pair->dtype));
  BERTH_IMPORT_TRY(c.read_params(0, &pair->left));
  BERTH_IMPORT_TRY(c.read_params(1, &pair->right));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &pair->out));
  return check_shapes(c, &pair->same_shape);
}

// Both operands and the result in one form (layout.h's "either").
Operands pick_forms(OperatorContext& c, bool same_shape) {
  const int32_t left = c.input_index(0);
  const int32_t right = c.input_index(1);
  if (same_shape && c.layout().has_image(left) && c.layout().has_image(right)) {
    return {c.layout().image(left), c.layout().image(right),
            c.layout().define_image(c.output_index())};
  }
  return {c.layout().plain(left), c.layout().plain(right),
          c.layout().define_plain(c.output_index())};
}

MaybeFailure translate_sum(OperatorContext& c, wire::ActivationFunctionType activation,
                           bool is_sub) {
  Pair pair;
  BERTH_IMPORT_TRY(read_pair(c, &pair));
  Range range;
  BERTH_IMPORT_TRY(c.read_activation(activation, pair.out, &range));
  const auto multipliers =
      is_sub ? sub_multipliers(pair.left.scale, pair.right.scale, pair.out.scale, pair.dtype)
             : add_multipliers(pair.left.scale, pair.right.scale, pair.out.scale, pair.dtype);
  if (!multipliers) {
    return unsupported("the output's scale " + std::to_string(pair.out.scale) +
                       " is too small for operands of scale " + std::to_string(pair.left.scale) +
                       " and " + std::to_string(pair.right.scale));
  }
  const bool is_vendor = !is_sub && pair.same_shape && pair.dtype == ScalarType::kChar;
  const OperatorSchema& schema = is_sub      ? ops::kBerthSub
                                 : is_vendor ? ops::kQuantizedAdd
                                             : ops::kBerthAdd;
  const Operands operands = pick_forms(c, pair.same_shape);
  c.add_node(schema,
             {ref(operands.left), num(pair.left.zero_point), num(multipliers->left.multiplier),
              num(multipliers->left.shift), ref(operands.right), num(pair.right.zero_point),
              num(multipliers->right.multiplier), num(multipliers->right.shift),
              num(pair.out.zero_point), num(multipliers->output.multiplier),
              num(multipliers->output.shift), num(range.min), num(range.max)},
             operands.result);
  return {};
}

MaybeFailure translate_extreme(OperatorContext& c, const OperatorSchema& vendor,
                               const OperatorSchema& ours) {
  Pair pair;
  BERTH_IMPORT_TRY(read_pair(c, &pair));
  BERTH_IMPORT_TRY(c.expect_same_params(0));
  BERTH_IMPORT_TRY(c.expect_same_params(1));
  const Operands operands = pick_forms(c, pair.same_shape);
  c.add_node(vendor_takes(c.output()) ? vendor : ours, {ref(operands.left), ref(operands.right)},
             operands.result);
  return {};
}

// An aten:: operator of two tensors, with `numbers` behind them.
MaybeFailure translate_floats(OperatorContext& c, const OperatorSchema& schema,
                              wire::ActivationFunctionType fused,
                              const std::vector<ir::Arg>& numbers = {}) {
  BERTH_IMPORT_TRY(expect_floats(c, 2));
  bool same_shape = false;
  BERTH_IMPORT_TRY(check_shapes(c, &same_shape));
  FloatActivation activation;
  BERTH_IMPORT_TRY(read_float_activation(fused, &activation));
  const Operands operands = pick_forms(c, same_shape);
  std::vector<ir::Arg> args = {ref(operands.left), ref(operands.right)};
  args.insert(args.end(), numbers.begin(), numbers.end());
  add_activated(c, schema, std::move(args), activation, operands.result);
  return {};
}

}  // namespace

MaybeFailure translate_add(OperatorContext& c) {
  return translate_sum(c, c.fused_activation<wire::AddOptions>(), false);
}

MaybeFailure translate_sub(OperatorContext& c) {
  return translate_sum(c, c.fused_activation<wire::SubOptions>(), true);
}

MaybeFailure translate_mul(OperatorContext& c) {
  Pair pair;
  BERTH_IMPORT_TRY(read_pair(c, &pair));
  Range range;
  BERTH_IMPORT_TRY(c.read_activation(c.fused_activation<wire::MulOptions>(), pair.out, &range));
  const double real = channel_multiplier(pair.left.scale, pair.right.scale, pair.out.scale);
  const auto multiplier = quantize_multiplier(real);
  if (!multiplier) {
    return unsupported("the scales ask for a multiplication by " + std::to_string(real) +
                       "; kernels cannot shift that far");
  }
  const bool is_vendor =
      pair.same_shape && pair.dtype == ScalarType::kChar && range == type_range(ScalarType::kChar);
  const Operands operands = pick_forms(c, pair.same_shape);
  std::vector<ir::Arg> args = {ref(operands.left),       num(pair.left.zero_point),
                               ref(operands.right),      num(pair.right.zero_point),
                               num(pair.out.zero_point), num(multiplier->multiplier),
                               num(multiplier->shift)};
  if (!is_vendor) {
    args.push_back(num(range.min));
    args.push_back(num(range.max));
  }
  c.add_node(is_vendor ? ops::kQuantizedMul : ops::kBerthMul, std::move(args), operands.result);
  return {};
}

MaybeFailure translate_maximum(OperatorContext& c) {
  return translate_extreme(c, ops::kMaximum, ops::kBerthMaximum);
}

MaybeFailure translate_minimum(OperatorContext& c) {
  return translate_extreme(c, ops::kMinimum, ops::kBerthMinimum);
}

MaybeFailure translate_float_add(OperatorContext& c) {
  return translate_floats(c, ops::kAtenAdd, c.fused_activation<wire::AddOptions>(), {num(1)});
}

MaybeFailure translate_float_sub(OperatorContext& c) {
  return translate_floats(c, ops::kAtenSub, c.fused_activation<wire::SubOptions>(), {num(1)});
}

MaybeFailure translate_float_mul(OperatorContext& c) {
  return translate_floats(c, ops::kAtenMul, c.fused_activation<wire::MulOptions>());
}

MaybeFailure translate_float_div(OperatorContext& c) {
  return translate_floats(c, ops::kAtenDiv, c.fused_activation<wire::DivOptions>());
}

MaybeFailure translate_float_pow(OperatorContext& c) {
  return translate_floats(c, ops::kAtenPowTensorTensor, wire::ActivationFunctionType::NONE);
}

MaybeFailure translate_float_maximum(OperatorContext& c) {
  return translate_floats(c, ops::kAtenMaximum, wire::ActivationFunctionType::NONE);
}

MaybeFailure translate_float_minimum(OperatorContext& c) {
  return translate_floats(c, ops::kAtenMinimum, wire::ActivationFunctionType::NONE);
}

MaybeFailure translate_float_squared_difference(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_floats(c, 2));
  bool same_shape = false;
  BERTH_IMPORT_TRY(check_shapes(c, &same_shape));
  const Operands operands = pick_forms(c, same_shape);
  const ir::ValueId difference = c.add_temporary(".difference", c.spec(operands.result));
  c.add_node(ops::kAtenSub, {ref(operands.left), ref(operands.right), num(1)}, difference);
  c.add_node(ops::kAtenMul, {ref(difference), ref(difference)}, operands.result);
  return {};
}

}  // namespace berth::import
