// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV: small models against the lines of ir that they
// must give (constants and the header left out).
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

TEST(ConvolutionOps, ConvolutionPadsBeforeAndKnowsTheRestByTheOutput) {
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

TEST(ConvolutionOps, ConvolutionsOfInt16GoToBerthWithoutScratch) {
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

TEST(ConvolutionOps, GroupsFollowFromTheFiltersInputChannels) {
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

TEST(ConvolutionOps, DepthwiseConvolutionTakesItsMultiplierFromTheShapes) {
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

TEST(ConvolutionOps, DepthwiseConvolutionOfABatchIsAConvolutionOfGroups) {
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

TEST(ConvolutionOps, TransposeConvolutionCutsItsOddUnitAtTheEnd) {
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

TEST(ConvolutionOps, NumbersOfWindowsMustMakeSense) {
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

TEST(ConvolutionOps, FiltersThatKernelsCannotTakeAreUnsupported) {
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

}  // namespace
}  // namespace berth::import
