// Operators of two operands: small models against the lines of ir that they must give (constants
// and the header left out).
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

TEST(ElementwiseOps, SumsOfOneShapeInInt8AreTheVendors) {
  const SmallModel model = one_operator(
      BuiltinOperator::ADD,
      {tensor({2, 3}, 0.5F, 1), tensor({2, 3}, 0.25F, 2), tensor({2, 3}, 0.5F, 3)}, {0, 1});
  EXPECT_EQ(
      "%t2 : i8[2,3] = cortex_m::quantized_add.out(%t0, 1, 1073741824, 0, %t1, 2, 1073741824, -1, "
      "3, 1073741824, -18, "
      "-128, 127)\n"
      "output %t2\n",
      nodes_of(model));
}

TEST(ElementwiseOps, BroadcastingSumsAndInt16GoToBerth) {
  const SmallModel broadcast = one_operator(
      BuiltinOperator::ADD, {tensor({2, 3}), constant({3}, {1, 2, 3}), tensor({2, 3})}, {0});
  EXPECT_NE(std::string::npos,
            nodes_of(broadcast).find("= berth::quantized_add.out(%t0, 0, 1073741824, 0, %t1,"));
  const SmallModel wide = one_operator(
      BuiltinOperator::ADD, {tensor16({2, 3}), tensor16({2, 3}), tensor16({2, 3})}, {0, 1});
  EXPECT_NE(
      std::string::npos,
      nodes_of(wide).find("= berth::quantized_add.out(%t0, 0, 1073741824, 0, %t1, 0, 1073741824, "
                          "0, 0, 1073741824, -13, -32768, 32767)"))
      << nodes_of(wide);
  const SmallModel difference =
      one_operator(BuiltinOperator::SUB, {tensor({2}), tensor({2}), tensor({2})}, {0, 1});
  EXPECT_NE(std::string::npos, nodes_of(difference).find("= berth::quantized_sub.out("));
}

TEST(ElementwiseOps, ProductsWithBoundsGoToBerth) {
  const auto options = [](Activation activation) {
    return options_of(BuiltinOptions::MulOptions,
                      [=](auto& b) { return fb::CreateMulOptions(b, activation); });
  };
  const std::vector<SmallTensor> tensors = {tensor({2}), tensor({2}), tensor({2}, 0.5F, -3)};
  EXPECT_EQ(
      "%t2 : i8[2] = cortex_m::quantized_mul.out(%t0, 0, %t1, 0, -3, 1073741824, 0)\noutput %t2\n",
      nodes_of(one_operator(BuiltinOperator::MUL, tensors, {0, 1}, options(Activation::NONE))));
  EXPECT_EQ(
      "%t2 : i8[2] = berth::quantized_mul.out(%t0, 0, %t1, 0, -3, 1073741824, 0, -3, 127)\noutput "
      "%t2\n",
      nodes_of(one_operator(BuiltinOperator::MUL, tensors, {0, 1}, options(Activation::RELU))));
}

TEST(ElementwiseOps, ExtremesCompareBytesOfOneScale) {
  const std::vector<SmallTensor> tensors = {tensor({2, 3}), tensor({3}), tensor({2, 3})};
  EXPECT_EQ("%t2 : i8[2,3] = cortex_m::maximum.out(%t0, %t1)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::MAXIMUM, tensors, {0, 1})));
  EXPECT_EQ("%t2 : i8[2,3] = cortex_m::minimum.out(%t0, %t1)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::MINIMUM, tensors, {0, 1})));
  const std::vector<SmallTensor> wide(3, tensor16({2, 3}));
  EXPECT_EQ("%t2 : i16[2,3] = berth::maximum.out(%t0, %t1)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::MAXIMUM, wide, {0, 1})));
  const std::vector<SmallTensor> deep(3, tensor({1, 2, 1, 2, 3}));
  EXPECT_EQ("%t2 : i8[1,2,1,2,3] = berth::minimum.out(%t0, %t1)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::MINIMUM, deep, {0, 1})));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::MINIMUM,
                                  {tensor({2}), tensor({2}, 0.25F), tensor({2})}, {0, 1}))
                .find("operators[0] MINIMUM: inputs[1]"));
}

}  // namespace
}  // namespace berth::import
