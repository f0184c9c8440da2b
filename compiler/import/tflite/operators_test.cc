// What each operator becomes: small models against the lines of ir that they must give (constants
// and the header left out).
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

OptionsBuilder pool_options(fb::Padding padding, int stride, int size,
                            Activation activation = Activation::NONE) {
  return options_of(BuiltinOptions::Pool2DOptions, [=](auto& b) {
    return fb::CreatePool2DOptions(b, padding, stride, stride, size, size, activation);
  });
}

// --- convolutions ---

TEST(Operators, ConvolutionPadsBeforeAndKnowsTheRestByTheOutput) {
  const SmallModel model =
      one_operator(BuiltinOperator::CONV_2D,
                   {tensor({1, 5, 6, 2}, 0.5F, 3), constant({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                    tensor({1, 5, 6, 1}, 0.25F, -7)},
                   {0}, conv_options(fb::Padding::SAME, 1, Activation::RELU));
  EXPECT_EQ(
      "%t0.image : i8[1,2,5,6]{0,2,3,1} = view(%t0)\n"
      "%t2 : i8[1,1,5,6]{0,2,3,1} = cortex_m::quantized_conv2d.out(%t0.image, %t2.weights, none, "
      "[1, 1], [0, 0], "
      "[1, 1], -3, -7, %t2.multipliers, %t2.shifts, -7, 127, none)\n"
      "%t2.plain : i8[1,5,6,1] = view(%t2)\n"
      "output %t2.plain\n",
      nodes_of(model));
}

TEST(Operators, ConvolutionsOfInt16GoToBerthWithoutScratch) {
  SmallTensor bias{.shape = {1},
                   .type = TensorType::INT64,
                   .scales = {1e-5F},
                   .zero_points = {0},
                   .data = std::vector<uint8_t>(8, 0)};
  const SmallModel model =
      one_operator(BuiltinOperator::CONV_2D,
                   {tensor16({1, 4, 4, 1}), constant({1, 3, 3, 1}, std::vector<uint8_t>(9, 1)),
                    bias, tensor16({1, 2, 2, 1}, 0.01F)},
                   {0}, conv_options(fb::Padding::SAME, 2));
  EXPECT_EQ(
      "%t0.image : i16[1,1,4,4]{0,2,3,1} = view(%t0)\n"
      "%t3 : i16[1,1,2,2]{0,2,3,1} = berth::quantized_conv2d.out(%t0.image, %t3.weights, %t3.bias, "
      "[2, 2], [0, 0], "
      "[1, 1], 0, 0, %t3.multipliers, %t3.shifts, -32768, 32767)\n"
      "%t3.plain : i16[1,2,2,1] = view(%t3)\n"
      "output %t3.plain\n",
      nodes_of(model));
}

TEST(Operators, GroupsFollowFromTheFiltersInputChannels) {
  const SmallModel grouped =
      one_operator(BuiltinOperator::CONV_2D,
                   {tensor({1, 1, 1, 4}), constant({6, 1, 1, 2}, std::vector<uint8_t>(12, 1)),
                    tensor({1, 1, 1, 6})},
                   {0}, conv_options(fb::Padding::VALID, 1));
  EXPECT_NE(std::string::npos, nodes_of(grouped).find("quantized_conv2d"));
  const SmallModel wrong =
      one_operator(BuiltinOperator::CONV_2D,
                   {tensor({1, 1, 1, 4}), constant({6, 1, 1, 3}, std::vector<uint8_t>(18, 1)),
                    tensor({1, 1, 1, 6})},
                   {0}, conv_options(fb::Padding::VALID, 1));
  EXPECT_NE(std::string::npos, nodes_of(wrong).find("groups of them must divide"));
}

TEST(Operators, DepthwiseConvolutionTakesItsMultiplierFromTheShapes) {
  const auto options = [](int multiplier) {
    return options_of(BuiltinOptions::DepthwiseConv2DOptions, [=](auto& b) {
      return fb::CreateDepthwiseConv2DOptions(b, fb::Padding::SAME, 1, 1, multiplier);
    });
  };
  const std::vector<SmallTensor> tensors = {tensor({1, 3, 3, 2}),
                                            constant({1, 3, 3, 4}, std::vector<uint8_t>(36, 1)),
                                            tensor({1, 3, 3, 4})};
  for (const int multiplier : {0, 2}) {
    const std::string nodes = nodes_of(
        one_operator(BuiltinOperator::DEPTHWISE_CONV_2D, tensors, {0}, options(multiplier)));
    EXPECT_NE(std::string::npos,
              nodes.find("cortex_m::quantized_depthwise_conv2d.out(%t0.image, %t2.weights, none, "
                         "[1, 1], [1, 1], [1, 1], "
                         "2, 0, 0, %t2.multipliers, %t2.shifts, -128, 127, none)"))
        << nodes;
  }
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::DEPTHWISE_CONV_2D, tensors, {0}, options(3)))
                .find("depth multiplier is 3"));
}

TEST(Operators, DepthwiseConvolutionOfABatchIsAConvolutionOfGroups) {
  const auto options = options_of(BuiltinOptions::DepthwiseConv2DOptions, [](auto& b) {
    return fb::CreateDepthwiseConv2DOptions(b, fb::Padding::VALID, 1, 1, 1);
  });
  const SmallModel model = one_operator(
      BuiltinOperator::DEPTHWISE_CONV_2D,
      {tensor({2, 1, 2, 2}), constant({1, 1, 2, 2}, {1, 2, 3, 4}), tensor({2, 1, 1, 2})}, {0},
      options);
  EXPECT_NE(
      std::string::npos,
      nodes_of(model).find(
          "cortex_m::quantized_conv2d.out(%t0.image, %t2.weights, none, [1, 1], [0, 0], [1, 1], 0, "
          "0, %t2.multipliers, %t2.shifts, -128, 127, none)"));
  const Result<ir::Module> module = import_tflite(model.build(), nullptr);
  ASSERT_TRUE(module.ok());
  for (const ir::Value& value : module.value().graphs[0].values) {
    if (value.name != "t2.weights") continue;
    EXPECT_EQ((std::vector<int32_t>{2, 1, 2, 1}), value.spec.sizes);
    EXPECT_EQ((ir::Bytes{std::byte{1}, std::byte{3}, std::byte{2}, std::byte{4}}), *value.data);
  }
}

TEST(Operators, TransposeConvolutionCutsItsOddUnitAtTheEnd) {
  const auto options = options_of(BuiltinOptions::TransposeConvOptions, [](auto& b) {
    return fb::CreateTransposeConvOptions(b, fb::Padding::SAME, 2, 2);
  });
  const SmallModel model =
      one_operator(BuiltinOperator::TRANSPOSE_CONV,
                   {numbers({4}, {1, 6, 6, 1}), constant({1, 3, 3, 2}, std::vector<uint8_t>(18, 1)),
                    tensor({1, 3, 3, 2}), tensor({1, 6, 6, 1})},
                   {2}, options);
  EXPECT_EQ(
      "%t2.image : i8[1,2,3,3]{0,2,3,1} = view(%t2)\n"
      "%t3 : i8[1,1,6,6]{0,2,3,1} = cortex_m::quantized_transpose_conv2d.out(%t2.image, "
      "%t3.weights, none, [2, 2], "
      "[0, 0], [1, 1], [1, 1], 0, 0, %t3.multipliers, %t3.shifts, -128, 127, none, none)\n"
      "%t3.plain : i8[1,6,6,1] = view(%t3)\n"
      "output %t3.plain\n",
      nodes_of(model));
}

TEST(Operators, NumbersOfWindowsMustMakeSense) {
  const auto message = [](int stride, int dilation) {
    return nodes_of(
        one_operator(BuiltinOperator::CONV_2D,
                     {tensor({1, 4, 4, 1}), constant({1, 3, 3, 1}, std::vector<uint8_t>(9, 1)),
                      tensor({1, 2, 2, 1})},
                     {0}, conv_options(fb::Padding::VALID, stride, Activation::NONE, dilation)));
  };
  EXPECT_NE(std::string::npos, message(1, 1).find("quantized_conv2d"));
  for (const int hostile :
       {0, -1, 1 << 21, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_NE(std::string::npos, message(hostile, 1).find("the stride of the height is"))
        << message(hostile, 1);
    EXPECT_NE(std::string::npos, message(1, hostile).find("the dilation of the height is"))
        << message(1, hostile);
  }
  EXPECT_NE(std::string::npos, message(1, 2).find("does not fit"));
  EXPECT_NE(std::string::npos, message(3, 1).find("makes it [1,1,1,1]"));
}

TEST(Operators, FiltersThatKernelsCannotTakeAreUnsupported) {
  const auto message = [](const std::function<void(SmallModel&)>& change) {
    SmallModel model = one_operator(
        BuiltinOperator::CONV_2D,
        {tensor({1, 1, 1, 2}), constant({2, 1, 1, 2}, {1, 2, 3, 4}), tensor({1, 1, 1, 2})}, {0},
        conv_options(fb::Padding::VALID, 1));
    change(model);
    return nodes_of(model);
  };
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(std::string::npos, text.find(words)) << text;
  };
  has(message([](SmallModel& m) { m.main().tensors[1].zero_points = {1}; }),
      "filters are symmetric");
  has(message([](SmallModel& m) { m.main().tensors[1].scales.clear(); }), "has no scale");
  has(message([](SmallModel& m) {
        m.main().tensors[1].scales = {0.1F, 0.1F};
        m.main().tensors[1].zero_points = {0, 0};
        m.main().tensors[1].dimension = 3;
      }),
      "along dimension 3");
  has(message([](SmallModel& m) { m.main().tensors[2].scales = {1e-30F}; }),
      "cannot shift that far");
  has(message([](SmallModel& m) {
        m.main().tensors[1].data.clear();
        m.main().inputs = {0, 1};
      }),
      "computed at run time");
  has(message([](SmallModel& m) { m.main().operators[0].options = {}; }), "a stride is needed");
  has(message([](SmallModel& m) {
        m.main().operators[0].options = conv_options(fb::Padding::VALID, 1, Activation::TANH);
      }),
      "the fused activation TANH");
  has(message([](SmallModel& m) {
        m.main().operators[0].options = conv_options(static_cast<fb::Padding>(7), 1);
      }),
      "the padding is 7");
}

// --- products ---

OptionsBuilder dense_options(Activation activation) {
  return options_of(BuiltinOptions::FullyConnectedOptions,
                    [=](auto& b) { return fb::CreateFullyConnectedOptions(b, activation); });
}

TEST(Operators, FullyConnectedFlattensItsInputAndKeepsTheOutputsShape) {
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

TEST(Operators, FullyConnectedWithAScalePerChannelGoesToBerth) {
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

TEST(Operators, FullyConnectedOfTheWrongDepthIsRefused) {
  const SmallModel model =
      one_operator(BuiltinOperator::FULLY_CONNECTED,
                   {tensor({1, 5}), constant({2, 2}, {1, 2, 3, 4}), tensor({1, 2})}, {0});
  EXPECT_NE(std::string::npos, nodes_of(model).find("takes rows of 2 numbers"));
}

TEST(Operators, BatchMatmulTransposesTheRightOperandAtImportWhenItIsConstant) {
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

TEST(Operators, BatchMatmulOfFourDimensionsAndAdjoints) {
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

// --- pools ---

TEST(Operators, AveragePoolWithAnActivationIsFollowedByAClamp) {
  const SmallModel model =
      one_operator(BuiltinOperator::AVERAGE_POOL_2D,
                   {tensor({1, 5, 5, 2}, 0.1F, 5), tensor({1, 3, 3, 2}, 0.1F, 5)}, {0},
                   pool_options(fb::Padding::SAME, 2, 2, Activation::RELU6));
  EXPECT_EQ(
      "%t0.image : i8[1,2,5,5]{0,2,3,1} = view(%t0)\n"
      "%t1.average : i8[1,2,3,3]{0,2,3,1} = cortex_m::quantized_avg_pool2d.out(%t0.image, [2, 2], "
      "[2, 2], [0, 0], true, "
      "5, 1073741824, 1, none)\n"
      "%t1 : i8[1,2,3,3]{0,2,3,1} = aten::clamp.out(%t1.average, 5, 65)\n"
      "%t1.plain : i8[1,3,3,2] = view(%t1)\n"
      "output %t1.plain\n",
      nodes_of(model));
}

TEST(Operators, MaxPoolHasBoundsOfItsOwn) {
  const SmallModel model = one_operator(
      BuiltinOperator::MAX_POOL_2D, {tensor({1, 4, 4, 1}, 0.1F, 5), tensor({1, 2, 2, 1}, 0.1F, 5)},
      {0}, pool_options(fb::Padding::VALID, 2, 2, Activation::RELU));
  EXPECT_NE(
      std::string::npos,
      nodes_of(model).find(
          "cortex_m::quantized_max_pool2d.out(%t0.image, [2, 2], [2, 2], [0, 0], [1, 1], false, 5, "
          "5, 5, 127)"));
}

TEST(Operators, PoolsOfInt16GoToBerth) {
  for (const auto& [code, name] :
       {std::pair{BuiltinOperator::AVERAGE_POOL_2D, "berth::quantized_avg_pool2d"},
        std::pair{BuiltinOperator::MAX_POOL_2D, "berth::quantized_max_pool2d"}}) {
    const SmallModel model = one_operator(code, {tensor16({1, 4, 4, 1}), tensor16({1, 2, 2, 1})},
                                          {0}, pool_options(fb::Padding::VALID, 2, 2));
    EXPECT_NE(std::string::npos,
              nodes_of(model).find(std::string(name) +
                                   ".out(%t0.image, [2, 2], [2, 2], [0, 0], -32768, 32767)"));
  }
}

TEST(Operators, PoolsBetweenDifferentScalesAreUnsupported) {
  const SmallModel model = one_operator(BuiltinOperator::MAX_POOL_2D,
                                        {tensor({1, 4, 4, 1}, 0.1F), tensor({1, 2, 2, 1}, 0.2F)},
                                        {0}, pool_options(fb::Padding::VALID, 2, 2));
  EXPECT_NE(std::string::npos, nodes_of(model).find("equal where bytes are only moved"));
}

// --- two operands ---

TEST(Operators, SumsOfOneShapeInInt8AreTheVendors) {
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

TEST(Operators, BroadcastingSumsAndInt16GoToBerth) {
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

TEST(Operators, ProductsWithBoundsGoToBerth) {
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

TEST(Operators, ExtremesCompareBytesOfOneScale) {
  const std::vector<SmallTensor> tensors = {tensor({2, 3}), tensor({3}), tensor({2, 3})};
  EXPECT_EQ("%t2 : i8[2,3] = cortex_m::maximum.out(%t0, %t1)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::MAXIMUM, tensors, {0, 1})));
  EXPECT_EQ("%t2 : i8[2,3] = cortex_m::minimum.out(%t0, %t1)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::MINIMUM, tensors, {0, 1})));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::MINIMUM,
                                  {tensor({2}), tensor({2}, 0.25F), tensor({2})}, {0, 1}))
                .find("operators[0] MINIMUM: inputs[1]"));
}

// --- one operand ---

TEST(Operators, ReluOfOneScaleIsAClampAndOfTwoATable) {
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

TEST(Operators, TablesOfInt16AreLookedUpByBerth) {
  EXPECT_EQ("%t1 : i16[4] = berth::quantized_tanh.out(%t0, 6, 0)\noutput %t1\n",
            nodes_of(one_operator(BuiltinOperator::TANH,
                                  {tensor16({4}, 1.0F / 2048), tensor16({4}, 1.0F / 32768)}, {0})));
  EXPECT_EQ("%t1 : i16[4] = berth::quantized_logistic.out(%t0, 3, 0)\noutput %t1\n",
            nodes_of(one_operator(BuiltinOperator::LOGISTIC,
                                  {tensor16({4}, 1.0F / 4096), tensor16({4}, 1.0F / 32768)}, {0})));
}

TEST(Operators, LeakyReluOfInt16IsBerths) {
  const auto options = options_of(BuiltinOptions::LeakyReluOptions,
                                  [](auto& b) { return fb::CreateLeakyReluOptions(b, 0.25F); });
  EXPECT_EQ(
      "%t1 : i16[4] = berth::quantized_leaky_relu.out(%t0, 0, 0, 1073741824, 1, 1073741824, "
      "-1)\noutput %t1\n",
      nodes_of(
          one_operator(BuiltinOperator::LEAKY_RELU, {tensor16({4}), tensor16({4})}, {0}, options)));
}

TEST(Operators, PreluWithManySlopesIsUnsupported) {
  EXPECT_EQ("%t2 : i8[4] = cortex_m::quantized_activation.out(%t0, %t2.table)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::PRELU,
                                  {tensor({4}), constant({1}, {3}), tensor({4})}, {0})));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::PRELU,
                                  {tensor({4}), constant({4}, {3, 3, 3, 3}), tensor({4})}, {0}))
                .find("4 slopes; one constant slope"));
}

TEST(Operators, QuantisationAtTheEdges) {
  const auto nodes = [](BuiltinOperator code, SmallTensor from, SmallTensor to) {
    return nodes_of(one_operator(code, {std::move(from), std::move(to)}, {0}));
  };
  EXPECT_EQ("%t1 : i8[4] = berth::quantize.out(%t0, 0.5, 3, -128, 127)\noutput %t1\n",
            nodes(BuiltinOperator::QUANTIZE, floats({4}), tensor({4}, 0.5F, 3)));
  EXPECT_EQ(
      "%t1 : f32[4] = cortex_m::dequantize_per_tensor.out(%t0, 0.5, 3, -128, 127, 1)\noutput %t1\n",
      nodes(BuiltinOperator::DEQUANTIZE, tensor({4}, 0.5F, 3), floats({4})));
  EXPECT_EQ(
      "%t1 : f32[4] = cortex_m::dequantize_per_tensor.out(%t0, 0.5, 0, -32768, 32767, 2)\noutput "
      "%t1\n",
      nodes(BuiltinOperator::DEQUANTIZE, tensor16({4}, 0.5F), floats({4})));
  EXPECT_EQ("%t1 : i8[4] = berth::requantize.out(%t0, 0, 3, 1073741824, 0)\noutput %t1\n",
            nodes(BuiltinOperator::QUANTIZE, tensor16({4}, 0.25F), tensor({4}, 0.5F, 3)));
  EXPECT_EQ("%t1 : i8[4] = cortex_m::quantized_activation.out(%t0, %t1.table)\noutput %t1\n",
            nodes(BuiltinOperator::QUANTIZE, tensor({4}, 0.25F), tensor({4}, 0.5F)));
  EXPECT_EQ("output %t0\n", nodes(BuiltinOperator::QUANTIZE, tensor({4}, 0.5F), tensor({4}, 0.5F)));
}

TEST(Operators, SoftmaxNeedsTheOutputScaleThatItMakes) {
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

// --- shapes ---

TEST(Operators, ReshapesAreViewsOfTheRootAndMadeOnDemand) {
  SmallModel model = one_operator(BuiltinOperator::RESHAPE, {tensor({2, 6}), tensor({3, 4})}, {0});
  SmallSubgraph& graph = model.main();
  graph.tensors.push_back(tensor({1, 3, 4, 1}));
  graph.tensors.push_back(tensor({12}));
  graph.operators.push_back({.code = BuiltinOperator::EXPAND_DIMS, .inputs = {1}, .outputs = {2}});
  graph.operators.push_back({.code = BuiltinOperator::SQUEEZE, .inputs = {2}, .outputs = {3}});
  graph.outputs = {3};
  EXPECT_EQ("%t3 : i8[12] = view(%t0)\noutput %t3\n", nodes_of(model));
}

TEST(Operators, ReshapesOfOtherSizesAreRefused) {
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::RESHAPE, {tensor({2, 6}), tensor({3, 5})}, {0}))
                .find("15 elements"));
}

TEST(Operators, TransposesOfSizeOneDimensionsMoveNothing) {
  EXPECT_EQ(
      "%t2 : i8[3,1,4] = view(%t0)\noutput %t2\n",
      nodes_of(one_operator(BuiltinOperator::TRANSPOSE,
                            {tensor({1, 3, 4}), numbers({3}, {1, 0, 2}), tensor({3, 1, 4})}, {0})));
  EXPECT_EQ("%t2 : i8[4,3] = cortex_m::transpose.out(%t0, [1, 0])\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::TRANSPOSE,
                                  {tensor({3, 4}), numbers({2}, {-1, 0}), tensor({4, 3})}, {0})));
}

TEST(Operators, AxesMustExistOnce) {
  const auto message = [](std::vector<int32_t> axes) {
    const auto count = static_cast<int32_t>(axes.size());
    return nodes_of(one_operator(BuiltinOperator::TRANSPOSE,
                                 {tensor({3, 4}), numbers({count}, axes), tensor({4, 3})}, {0}));
  };
  EXPECT_NE(std::string::npos, message({1, 2}).find("the axis is 2"));
  EXPECT_NE(std::string::npos, message({-3, 0}).find("the axis is -3"));
  EXPECT_NE(std::string::npos, message({1, 1}).find("names axis 1 twice"));
  EXPECT_NE(std::string::npos, message({1}).find("has 1 axes"));
  EXPECT_NE(std::string::npos, message(std::vector<int32_t>(100, 0)).find("at most 16"));
}

TEST(Operators, PadsHaveFourEntriesAndTheZeroPointOrAConstant) {
  EXPECT_EQ(
      "%t2 : i8[3,7] = cortex_m::pad.out(%t0, [0, 0, 1, 2], [0, 0, 0, 1], 9)\noutput %t2\n",
      nodes_of(one_operator(
          BuiltinOperator::PAD,
          {tensor({2, 4}, 0.5F, 9), numbers({2, 2}, {1, 0, 2, 1}), tensor({3, 7}, 0.5F, 9)}, {0})));
  EXPECT_EQ("%t3 : i8[3] = cortex_m::pad.out(%t0, [0, 0, 0, 1], [0, 0, 0, 0], -2)\noutput %t3\n",
            nodes_of(one_operator(
                BuiltinOperator::PADV2,
                {tensor({2}), numbers({1, 2}, {1, 0}), constant({1}, {254}), tensor({3})}, {0})));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::PAD,
                                  {tensor({2}), numbers({1, 2}, {-1, 2}), tensor({3})}, {0}))
                .find("pads dimension 0 by -1 and 2"));
}

TEST(Operators, ConcatenationsAddUpAlongTheirAxis) {
  const auto options = [](int axis) {
    return options_of(BuiltinOptions::ConcatenationOptions,
                      [=](auto& b) { return fb::CreateConcatenationOptions(b, axis); });
  };
  const std::vector<SmallTensor> tensors = {tensor({2, 3}), tensor({2, 1}), tensor({2, 4})};
  EXPECT_EQ("%t2 : i8[2,4] = aten::cat.out([%t0, %t1], 1)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::CONCATENATION, tensors, {0, 1}, options(-1))));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::CONCATENATION, tensors, {0, 1}, options(0)))
                .find("has 1 in dimension 1"));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::CONCATENATION, tensors, {0, 1}, options(2)))
                .find("the axis is 2"));
}

TEST(Operators, MeanHoldsTheCountInItsMultiplier) {
  EXPECT_EQ(
      "%t2 : i8[2,4] = berth::quantized_mean.out(%t0, [1], false, 1, 2, 715827882, 0)\noutput "
      "%t2\n",
      nodes_of(one_operator(
          BuiltinOperator::MEAN,
          {tensor({2, 3, 4}, 0.5F, 1), numbers({1}, {1}), tensor({2, 4}, 0.5F, 2)}, {0})));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::MEAN,
                                  {tensor({2, 3}), numbers({1}, {1}), tensor({2, 1})}, {0}))
                .find("the operator makes it [2]"));
}

TEST(Operators, ResizesTakeTheirSizeFromTheOutput) {
  const auto options = options_of(BuiltinOptions::ResizeNearestNeighborOptions, [](auto& b) {
    return fb::CreateResizeNearestNeighborOptions(b, false, true);
  });
  EXPECT_EQ(
      "%t0.image : i8[1,3,2,2]{0,2,3,1} = view(%t0)\n"
      "%t2 : i8[1,3,4,6]{0,2,3,1} = berth::resize_nearest.out(%t0.image, false, true)\n"
      "%t2.plain : i8[1,4,6,3] = view(%t2)\n"
      "output %t2.plain\n",
      nodes_of(one_operator(BuiltinOperator::RESIZE_NEAREST_NEIGHBOR,
                            {tensor({1, 2, 2, 3}), numbers({2}, {4, 6}), tensor({1, 4, 6, 3})}, {0},
                            options)));
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(
                         BuiltinOperator::RESIZE_BILINEAR,
                         {tensor({1, 2, 2, 3}), numbers({2}, {4, 5}), tensor({1, 4, 6, 3})}, {0}))
                .find("the operator makes it [1,4,5,3]"));
}

}  // namespace
}  // namespace berth::import
