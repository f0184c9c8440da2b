// Operators of one operand: small models against the lines of ir that they must give (constants and
// the header left out).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

TEST(ActivationOps, ReluOfOneScaleIsAClampAndOfTwoATable) {
  const auto nodes = [](BuiltinOperator code, SmallTensor from, SmallTensor to) {
    return nodes_of(one_operator(code, {std::move(from), std::move(to)}, {0}));
  };
  EXPECT_EQ("%t1 : i8[4] = aten::clamp.out(%t0, -10, 127)\noutput %t1\n",
            nodes(BuiltinOperator::RELU, tensor({4}, 0.1F, -10), tensor({4}, 0.1F, -10)));
  EXPECT_EQ("%t1 : i8[4] = aten::clamp.out(%t0, -10, 50)\noutput %t1\n",
            nodes(BuiltinOperator::RELU6, tensor({4}, 0.1F, -10), tensor({4}, 0.1F, -10)));
  EXPECT_EQ("%t1 : i8[4] = aten::clamp.out(%t0, -20, 0)\noutput %t1\n",
            nodes(BuiltinOperator::RELU_N1_TO_1, tensor({4}, 0.1F, -10), tensor({4}, 0.1F, -10)));
  EXPECT_EQ("%t1 : i8[4] = cortex_m::quantized_activation.out(%t0, %t1.table)\noutput %t1\n",
            nodes(BuiltinOperator::RELU, tensor({4}, 0.1F, -10), tensor({4}, 0.2F, -128)));
  EXPECT_EQ(
      "%t1.requantized : i16[4] = berth::requantize.out(%t0, 0, 0, 1073741824, 0)\n"
      "%t1 : i16[4] = aten::clamp.out(%t1.requantized, 0, 32767)\n"
      "output %t1\n",
      nodes(BuiltinOperator::RELU, tensor16({4}, 0.001F), tensor16({4}, 0.002F)));
}

TEST(ActivationOps, TablesOfInt16AreLookedUpByBerth) {
  EXPECT_EQ("%t1 : i16[4] = berth::quantized_tanh.out(%t0, 6, 0)\noutput %t1\n",
            nodes_of(one_operator(BuiltinOperator::TANH,
                                  {tensor16({4}, 1.0F / 2048), tensor16({4}, 1.0F / 32768)}, {0})));
  EXPECT_EQ("%t1 : i16[4] = berth::quantized_logistic.out(%t0, 3, 0)\noutput %t1\n",
            nodes_of(one_operator(BuiltinOperator::LOGISTIC,
                                  {tensor16({4}, 1.0F / 4096), tensor16({4}, 1.0F / 32768)}, {0})));
}

TEST(ActivationOps, LeakyReluOfInt16IsBerths) {
  const auto options = options_of(BuiltinOptions::LeakyReluOptions,
                                  [](auto& b) { return fb::CreateLeakyReluOptions(b, 0.25F); });
  EXPECT_EQ(
      "%t1 : i16[4] = berth::quantized_leaky_relu.out(%t0, 0, 0, 1073741824, 1, 1073741824, "
      "-1)\noutput %t1\n",
      nodes_of(
          one_operator(BuiltinOperator::LEAKY_RELU, {tensor16({4}), tensor16({4})}, {0}, options)));
}

TEST(ActivationOps, PreluWithManySlopesIsUnsupported) {
  EXPECT_EQ("%t2 : i8[4] = cortex_m::quantized_activation.out(%t0, %t2.table)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::PRELU,
                                  {tensor({4}), constant({1}, {3}), tensor({4})}, {0})));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::PRELU,
                                  {tensor({4}), constant({4}, {3, 3, 3, 3}), tensor({4})}, {0}))
                .find("4 slopes; one constant slope"));
}

TEST(ActivationOps, QuantisationAtTheEdges) {
  const auto nodes = [](BuiltinOperator code, SmallTensor from, SmallTensor to) {
    return nodes_of(one_operator(code, {std::move(from), std::move(to)}, {0}));
  };
  EXPECT_EQ("%t1 : i8[4] = berth::quantize.out(%t0, 0.5, 3, -128, 127)\noutput %t1\n",
            nodes(BuiltinOperator::QUANTIZE, floats({4}), tensor({4}, 0.5F, 3)));
  EXPECT_EQ(
      "%t1 : f32[4] = cortex_m::dequantize_per_tensor.out(%t0, 0.5, 3, -128, 127, 1)\noutput %t1\n",
      nodes(BuiltinOperator::DEQUANTIZE, tensor({4}, 0.5F, 3), floats({4})));
  EXPECT_EQ("%t1 : f32[4] = berth::dequantize.out(%t0, 0.5, 0)\noutput %t1\n",
            nodes(BuiltinOperator::DEQUANTIZE, tensor16({4}, 0.5F), floats({4})));
  EXPECT_EQ("%t1 : i8[4] = berth::requantize.out(%t0, 0, 3, 1073741824, 0)\noutput %t1\n",
            nodes(BuiltinOperator::QUANTIZE, tensor16({4}, 0.25F), tensor({4}, 0.5F, 3)));
  EXPECT_EQ("%t1 : i8[4] = cortex_m::quantized_activation.out(%t0, %t1.table)\noutput %t1\n",
            nodes(BuiltinOperator::QUANTIZE, tensor({4}, 0.25F), tensor({4}, 0.5F)));
  EXPECT_EQ("output %t0\n", nodes(BuiltinOperator::QUANTIZE, tensor({4}, 0.5F), tensor({4}, 0.5F)));
}

TEST(ActivationOps, SoftmaxNeedsTheOutputScaleThatItMakes) {
  const auto options = options_of(BuiltinOptions::SoftmaxOptions,
                                  [](auto& b) { return fb::CreateSoftmaxOptions(b, 1.0F); });
  EXPECT_EQ(
      "%t1 : i8[2,3] = cortex_m::softmax.out(%t0, 1, 0, -128, 1073741824, 26, -31)\noutput %t1\n",
      nodes_of(one_operator(BuiltinOperator::SOFTMAX,
                            {tensor({2, 3}), tensor({2, 3}, 1.0F / 256, -128)}, {0}, options)));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::SOFTMAX, {tensor({2, 3}), tensor({2, 3})}, {0},
                                  options))
                .find("this operator makes 2^-8 and -128"));
}

}  // namespace
}  // namespace berth::import
