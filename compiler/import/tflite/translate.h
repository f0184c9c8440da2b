// Every TFLite operator that is translated; importer.cc's table says how many inputs each takes.
#pragma once

#include "compiler/import/tflite/operator_context.h"

namespace berth::import {

// convolution_ops.cc
MaybeFailure translate_conv_2d(OperatorContext& c);
MaybeFailure translate_depthwise_conv_2d(OperatorContext& c);
MaybeFailure translate_transpose_conv(OperatorContext& c);
// matmul_ops.cc
MaybeFailure translate_fully_connected(OperatorContext& c);
MaybeFailure translate_batch_matmul(OperatorContext& c);
// pooling_ops.cc
MaybeFailure translate_average_pool_2d(OperatorContext& c);
MaybeFailure translate_max_pool_2d(OperatorContext& c);
// elementwise_ops.cc: two operands
MaybeFailure translate_add(OperatorContext& c);
MaybeFailure translate_sub(OperatorContext& c);
MaybeFailure translate_mul(OperatorContext& c);
MaybeFailure translate_maximum(OperatorContext& c);
MaybeFailure translate_minimum(OperatorContext& c);
// activation_ops.cc: one operand
MaybeFailure translate_logistic(OperatorContext& c);
MaybeFailure translate_tanh(OperatorContext& c);
MaybeFailure translate_hard_swish(OperatorContext& c);
MaybeFailure translate_leaky_relu(OperatorContext& c);
MaybeFailure translate_prelu(OperatorContext& c);
MaybeFailure translate_abs(OperatorContext& c);
MaybeFailure translate_elu(OperatorContext& c);
MaybeFailure translate_relu(OperatorContext& c);  // RELU, RELU6, RELU_N1_TO_1
MaybeFailure translate_softmax(OperatorContext& c);
MaybeFailure translate_quantize(OperatorContext& c);
MaybeFailure translate_dequantize(OperatorContext& c);
MaybeFailure translate_cast(OperatorContext& c);  // of float32 too
// shape_ops.cc
MaybeFailure translate_reshape(OperatorContext& c);  // RESHAPE, SQUEEZE, EXPAND_DIMS
MaybeFailure translate_transpose(OperatorContext& c);
MaybeFailure translate_pad(OperatorContext& c);  // PAD, PADV2
MaybeFailure translate_concatenation(OperatorContext& c);
MaybeFailure translate_mean(OperatorContext& c);         // MEAN, SUM
MaybeFailure translate_arg_extreme(OperatorContext& c);  // ARG_MAX, ARG_MIN, of float32 too
MaybeFailure translate_depth_to_space(OperatorContext& c);
MaybeFailure translate_space_to_depth(OperatorContext& c);
MaybeFailure translate_tile(OperatorContext& c);
// resize_ops.cc
MaybeFailure translate_resize_bilinear(OperatorContext& c);
MaybeFailure translate_resize_nearest_neighbor(OperatorContext& c);
// parts_ops.cc: of every dtype, float32 too
MaybeFailure translate_slice(OperatorContext& c);
MaybeFailure translate_strided_slice(OperatorContext& c);
MaybeFailure translate_split(OperatorContext& c);
MaybeFailure translate_split_v(OperatorContext& c);
MaybeFailure translate_unpack(OperatorContext& c);
MaybeFailure translate_pack(OperatorContext& c);
MaybeFailure translate_gather(OperatorContext& c);

// The same of float32 tensors, for aten:: operators; some have no integer form.
// float_convolution_ops.cc
MaybeFailure translate_float_conv_2d(OperatorContext& c);
MaybeFailure translate_float_depthwise_conv_2d(OperatorContext& c);
MaybeFailure translate_float_transpose_conv(OperatorContext& c);
// matmul_ops.cc
MaybeFailure translate_float_fully_connected(OperatorContext& c);
MaybeFailure translate_float_batch_matmul(OperatorContext& c);
// pooling_ops.cc
MaybeFailure translate_float_average_pool_2d(OperatorContext& c);
MaybeFailure translate_float_max_pool_2d(OperatorContext& c);
// elementwise_ops.cc
MaybeFailure translate_float_add(OperatorContext& c);
MaybeFailure translate_float_sub(OperatorContext& c);
MaybeFailure translate_float_mul(OperatorContext& c);
MaybeFailure translate_float_div(OperatorContext& c);
MaybeFailure translate_float_pow(OperatorContext& c);
MaybeFailure translate_float_maximum(OperatorContext& c);
MaybeFailure translate_float_minimum(OperatorContext& c);
MaybeFailure translate_float_squared_difference(OperatorContext& c);
// float_activation_ops.cc
MaybeFailure translate_float_unary(OperatorContext& c);  // ABS, EXP, RELU, ...
MaybeFailure translate_float_relu6(OperatorContext& c);
MaybeFailure translate_float_relu_n1_to_1(OperatorContext& c);
MaybeFailure translate_float_leaky_relu(OperatorContext& c);
MaybeFailure translate_float_elu(OperatorContext& c);
MaybeFailure translate_float_gelu(OperatorContext& c);
MaybeFailure translate_float_square(OperatorContext& c);
MaybeFailure translate_float_hard_swish(OperatorContext& c);
MaybeFailure translate_float_prelu(OperatorContext& c);
MaybeFailure translate_float_softmax(OperatorContext& c);
MaybeFailure translate_float_log_softmax(OperatorContext& c);
// shape_ops.cc
MaybeFailure translate_float_reduction(OperatorContext& c);  // MEAN, SUM, REDUCE_MAX, REDUCE_MIN
MaybeFailure translate_float_resize_bilinear(OperatorContext& c);
MaybeFailure translate_float_resize_nearest_neighbor(OperatorContext& c);

}  // namespace berth::import
