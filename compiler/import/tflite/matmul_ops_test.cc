// FULLY_CONNECTED and BATCH_MATMUL: small models against the lines of ir that they must give
// (constants and the header left out).
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

OptionsBuilder dense_options(Activation activation) {
  return options_of(BuiltinOptions::FullyConnectedOptions,
                    [=](auto& b) { return fb::CreateFullyConnectedOptions(b, activation); });
}

TEST(MatmulOps, FullyConnectedFlattensItsInputAndKeepsTheOutputsShape) {
  const SmallModel model =
      one_operator(BuiltinOperator::FULLY_CONNECTED,
                   {tensor({2, 3, 4}, 0.5F, 1), constant({5, 4}, std::vector<uint8_t>(20, 1)),
                    tensor({2, 3, 5}, 0.5F, 2)},
                   {0}, dense_options(Activation::RELU));
  EXPECT_EQ(
      "%t0.view : i8[6,4] = view(%t0)\n"
      "%t2 : i8[6,5] = cortex_m::quantized_linear.out(%t0.view, %t2.weights, none, none, -1, 0, 2, "
      "[1073741824], [0], "
      "127, 2)\n"
      "%t2.plain : i8[2,3,5] = view(%t2)\n"
      "output %t2.plain\n",
      nodes_of(model));
}

TEST(MatmulOps, FullyConnectedWithAScalePerChannelGoesToBerth) {
  SmallTensor weights = constant({2, 2}, {1, 2, 3, 4});
  weights.scales = {0.5F, 1.0F};
  weights.zero_points = {0, 0};
  const SmallModel model = one_operator(BuiltinOperator::FULLY_CONNECTED,
                                        {tensor({1, 2}), weights, tensor({1, 2})}, {0});
  EXPECT_EQ(
      "%t2 : i8[1,2] = berth::quantized_linear.out(%t0, %t2.weights, none, none, 0, 0, 0, "
      "[1073741824, 1073741824], "
      "[0, 1], 127, -128)\n"
      "output %t2\n",
      nodes_of(model));
}

TEST(MatmulOps, FullyConnectedOfTheWrongDepthIsRefused) {
  const SmallModel model =
      one_operator(BuiltinOperator::FULLY_CONNECTED,
                   {tensor({1, 5}), constant({2, 2}, {1, 2, 3, 4}), tensor({1, 2})}, {0});
  EXPECT_NE(std::string::npos, nodes_of(model).find("takes rows of 2 numbers"));
}

TEST(MatmulOps, BatchMatmulTransposesTheRightOperandAtImportWhenItIsConstant) {
  SmallModel model = one_operator(
      BuiltinOperator::BATCH_MATMUL,
      {tensor({1, 2, 3}, 0.5F, 1), constant({1, 3, 1}, {1, 2, 3}), tensor({1, 2, 1})}, {0});
  EXPECT_EQ(
      "%t2 : i8[1,2,1] = cortex_m::quantized_batch_matmul.out(%t0, -1, %t2.rhs_transposed, 0, 0, "
      "1073741824, 0, none)\n"
      "output %t2\n",
      nodes_of(model));
  model.main().tensors[1].data.clear();
  model.main().inputs = {0, 1};
  EXPECT_EQ(
      "%t2.rhs_transposed : i8[1,1,3] = cortex_m::transpose.out(%t1, [0, 2, 1])\n"
      "%t2 : i8[1,2,1] = cortex_m::quantized_batch_matmul.out(%t0, -1, %t2.rhs_transposed, 0, 0, "
      "1073741824, 0, none)\n"
      "output %t2\n",
      nodes_of(model));
}

TEST(MatmulOps, BatchesThatDifferAreUnsupported) {
  const std::string nodes =
      nodes_of(one_operator(BuiltinOperator::BATCH_MATMUL,
                            {tensor({2, 3, 4}), tensor({3, 4, 5}), tensor({3, 3, 5})}, {0, 1}));
  EXPECT_NE(std::string::npos,
            nodes.find("have the shapes [2,3,4] and [3,4,5]; equal batches are supported"))
      << nodes;
}

TEST(MatmulOps, BatchMatmulOfFourDimensionsAndAdjoints) {
  const auto options = options_of(BuiltinOptions::BatchMatMulOptions, [](auto& b) {
    return fb::CreateBatchMatMulOptions(b, true, true);
  });
  const SmallModel model = one_operator(
      BuiltinOperator::BATCH_MATMUL,
      {tensor({2, 3, 4, 5}), tensor({2, 3, 6, 4}), tensor({2, 3, 5, 6})}, {0, 1}, options);
  EXPECT_EQ(
      "%t0.view : i8[6,4,5] = view(%t0)\n"
      "%t2.lhs_transposed : i8[6,5,4] = cortex_m::transpose.out(%t0.view, [0, 2, 1])\n"
      "%t1.view : i8[6,6,4] = view(%t1)\n"
      "%t2 : i8[6,5,6] = cortex_m::quantized_batch_matmul.out(%t2.lhs_transposed, 0, %t1.view, 0, "
      "0, 1073741824, 0, "
      "none)\n"
      "%t2.plain : i8[2,3,5,6] = view(%t2)\n"
      "output %t2.plain\n",
      nodes_of(model));
}

}  // namespace
}  // namespace berth::import
