// Float operators: small models against the lines of ir that they must give (constants and the
// header left out), and constants that are rearranged against their numbers.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

SmallTensor float_constant(std::vector<int32_t> shape, const std::vector<float>& numbers) {
  SmallTensor made = floats(std::move(shape));
  made.data.resize(numbers.size() * sizeof(float));
  std::memcpy(made.data.data(), numbers.data(), made.data.size());
  return made;
}

SmallTensor counting(std::vector<int32_t> shape) {
  size_t count = 1;
  for (const int32_t size : shape) count *= static_cast<size_t>(size);
  std::vector<float> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i + 1);
  return float_constant(std::move(shape), numbers);
}

// The numbers of a constant in the order of memory.
std::vector<float> numbers_of(const SmallModel& model, const std::string& name) {
  const Result<ir::Module> module = import_tflite(model.build(), nullptr);
  if (!module.ok()) return {};
  for (const ir::Value& value : module.value().graphs[0].values) {
    if (value.name != name) continue;
    std::vector<float> numbers(value.data->size() / sizeof(float));
    std::memcpy(numbers.data(), value.data->data(), value.data->size());
    return numbers;
  }
  return {};
}

OptionsBuilder depthwise_options(fb::Padding padding, int stride) {
  return options_of(BuiltinOptions::DepthwiseConv2DOptions, [=](auto& b) {
    return fb::CreateDepthwiseConv2DOptions(b, padding, stride, stride, 0);
  });
}

TEST(FloatOps, AConvolutionTakesTheFilesFilterAsAnImageAndItsActivationFollows) {
  const SmallModel model = one_operator(
      BuiltinOperator::CONV_2D,
      {floats({1, 5, 5, 2}), counting({1, 3, 3, 2}), counting({1}), floats({1, 5, 5, 1})}, {0},
      conv_options(fb::Padding::SAME, 1, Activation::RELU6));
  EXPECT_EQ(
      "%t0.image : f32[1,2,5,5]{0,2,3,1} = view(%t0)\n"
      "%t3.linear : f32[1,1,5,5]{0,2,3,1} = aten::convolution.out(%t0.image, %t3.weights, "
      "%t3.bias, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)\n"
      "%t3 : f32[1,1,5,5]{0,2,3,1} = aten::hardtanh.out(%t3.linear, 0.0, 6.0)\n"
      "%t3.plain : f32[1,5,5,1] = view(%t3)\n"
      "output %t3.plain\n",
      nodes_of(model));
  EXPECT_EQ(numbers_of(model, "t3.weights").size(), 18u);
}

// SAME at stride 2 pads the end alone; aten:: pads both ends alike.
TEST(FloatOps, UnevenPaddingMakesASmallFilterWider) {
  const SmallModel model =
      one_operator(BuiltinOperator::CONV_2D,
                   {floats({1, 4, 4, 1}), counting({1, 3, 3, 1}), floats({1, 2, 2, 1})}, {0},
                   conv_options(fb::Padding::SAME, 2));
  EXPECT_NE(std::string::npos,
            nodes_of(model).find("aten::convolution.out(%t0.image, %t2.weights, none, [2, 2], "
                                 "[1, 1], [1, 1], false, [0, 0], 1)"))
      << nodes_of(model);
  EXPECT_EQ((std::vector<float>{0, 0, 0, 0, 0, 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9}),
            numbers_of(model, "t2.weights"));
}

TEST(FloatOps, UnevenPaddingCopiesAnImageThatIsSmallerThanTheFilter) {
  const SmallModel model =
      one_operator(BuiltinOperator::CONV_2D,
                   {floats({1, 4, 4, 1}), counting({8, 3, 3, 1}), floats({1, 2, 2, 8})}, {0},
                   conv_options(fb::Padding::SAME, 2));
  EXPECT_EQ(
      "%t2.padded : f32[1,5,5,1] = aten::constant_pad_nd.out(%t0, [0, 0, 0, 1, 0, 1], 0.0)\n"
      "%t2.padded_image : f32[1,1,5,5]{0,2,3,1} = view(%t2.padded)\n"
      "%t2 : f32[1,8,2,2]{0,2,3,1} = aten::convolution.out(%t2.padded_image, %t2.weights, none, "
      "[2, 2], [0, 0], [1, 1], false, [0, 0], 1)\n"
      "%t2.plain : f32[1,2,2,8] = view(%t2)\n"
      "output %t2.plain\n",
      nodes_of(model));
}

// At dilation 3 one row more reaches three strides further, and would make other outputs.
TEST(FloatOps, AWiderFilterNeverReachesPastAStride) {
  const SmallModel model =
      one_operator(BuiltinOperator::CONV_2D,
                   {floats({1, 6, 6, 1}), counting({1, 2, 2, 1}), floats({1, 6, 6, 1})}, {0},
                   conv_options(fb::Padding::SAME, 1, Activation::NONE, 3));
  EXPECT_NE(std::string::npos, nodes_of(model).find("constant_pad_nd")) << nodes_of(model);
}

TEST(FloatOps, ADepthwiseFilterIsTurnedRound) {
  const SmallModel model =
      one_operator(BuiltinOperator::DEPTHWISE_CONV_2D,
                   {floats({1, 2, 2, 2}), counting({1, 1, 2, 4}), floats({1, 2, 1, 4})}, {0},
                   depthwise_options(fb::Padding::VALID, 1));
  EXPECT_NE(std::string::npos,
            nodes_of(model).find("aten::convolution.out(%t0.image, %t2.weights, none, [1, 1], "
                                 "[0, 0], [1, 1], false, [0, 0], 2)"))
      << nodes_of(model);
  EXPECT_EQ((std::vector<float>{1, 5, 2, 6, 3, 7, 4, 8}), numbers_of(model, "t2.weights"));
}

OptionsBuilder transpose_conv_options(fb::Padding padding, int stride) {
  return options_of(BuiltinOptions::TransposeConvOptions, [=](auto& b) {
    return fb::CreateTransposeConvOptions(b, padding, stride, stride);
  });
}

// What is cut off at the end alone comes to an end's worth at both, with a wider filter.
TEST(FloatOps, ATransposedConvolutionCutsBothEndsAlike) {
  const SmallModel model = one_operator(BuiltinOperator::TRANSPOSE_CONV,
                                        {numbers({4}, {1, 4, 4, 1}), counting({1, 3, 3, 2}),
                                         floats({1, 2, 2, 2}), floats({1, 4, 4, 1})},
                                        {2}, transpose_conv_options(fb::Padding::SAME, 2));
  EXPECT_NE(std::string::npos,
            nodes_of(model).find("aten::convolution.out(%t2.image, %t3.weights, none, [2, 2], "
                                 "[1, 1], [1, 1], true, [0, 0], 1)"))
      << nodes_of(model);
  EXPECT_EQ((std::vector<float>{0, 0, 0, 0, 0, 1, 3, 5, 0, 7, 9,  11, 0, 13, 15, 17,
                                0, 0, 0, 0, 0, 2, 4, 6, 0, 8, 10, 12, 0, 14, 16, 18}),
            numbers_of(model, "t3.weights"));
}

TEST(FloatOps, ATransposedConvolutionMayReachLessThanItsOutput) {
  const SmallModel model = one_operator(BuiltinOperator::TRANSPOSE_CONV,
                                        {numbers({4}, {1, 4, 4, 1}), counting({1, 1, 1, 1}),
                                         floats({1, 2, 2, 1}), floats({1, 4, 4, 1})},
                                        {2}, transpose_conv_options(fb::Padding::VALID, 2));
  EXPECT_NE(std::string::npos, nodes_of(model).find("true, [1, 1], 1)")) << nodes_of(model);
}

TEST(FloatOps, ADenseLayerTakesItsWeightsTransposed) {
  const SmallModel model = one_operator(
      BuiltinOperator::FULLY_CONNECTED,
      {floats({2, 3}), counting({2, 3}), counting({2}), floats({2, 2})}, {0},
      options_of(BuiltinOptions::FullyConnectedOptions,
                 [](auto& b) { return fb::CreateFullyConnectedOptions(b, Activation::RELU); }));
  EXPECT_EQ(
      "%t3.linear : f32[2,2] = aten::addmm.out(%t3.bias, %t0, %t3.weights, 1, 1)\n"
      "%t3 : f32[2,2] = aten::relu.out(%t3.linear)\n"
      "output %t3\n",
      nodes_of(model));
  EXPECT_EQ((std::vector<float>{1, 4, 2, 5, 3, 6}), numbers_of(model, "t3.weights"));
}

TEST(FloatOps, ADenseLayerWithoutABiasIsAProduct) {
  const SmallModel model = one_operator(BuiltinOperator::FULLY_CONNECTED,
                                        {floats({2, 3}), floats({2, 3}), floats({2, 2})}, {0, 1});
  EXPECT_EQ(
      "%t2.weights : f32[3,2] = aten::permute_copy.out(%t1, [1, 0])\n"
      "%t2 : f32[2,2] = aten::mm.out(%t0, %t2.weights)\n"
      "output %t2\n",
      nodes_of(model));
}

TEST(FloatOps, ABatchOfProductsTakesItsOperandsAsTheyAre) {
  EXPECT_EQ(
      "%t2 : f32[2,3,5] = aten::bmm.out(%t0, %t1)\noutput %t2\n",
      nodes_of(one_operator(BuiltinOperator::BATCH_MATMUL,
                            {floats({2, 3, 4}), floats({2, 4, 5}), floats({2, 3, 5})}, {0, 1})));
  const std::string adjoint = nodes_of(one_operator(
      BuiltinOperator::BATCH_MATMUL, {floats({2, 3, 4}), floats({2, 5, 4}), floats({2, 3, 5})},
      {0, 1}, options_of(BuiltinOptions::BatchMatMulOptions, [](auto& b) {
        return fb::CreateBatchMatMulOptions(b, false, true);
      })));
  EXPECT_NE(std::string::npos, adjoint.find("aten::permute_copy.out(%t1, [0, 2, 1])")) << adjoint;
}

// No indices where windows tile the image.
TEST(FloatOps, AMaximumOverTilesIsAReduction) {
  const SmallModel model =
      one_operator(BuiltinOperator::MAX_POOL_2D, {floats({1, 4, 6, 3}), floats({1, 2, 3, 3})}, {0},
                   pool_options(fb::Padding::VALID, 2, 2));
  EXPECT_EQ(
      "%t0.view : f32[1,2,2,3,2,3] = view(%t0)\n"
      "%t1 : f32[1,2,3,3] = aten::amax.out(%t0.view, [2, 4], false)\n"
      "output %t1\n",
      nodes_of(model));
}

// Stock pools take the default dim order alone.
TEST(FloatOps, OtherMaximaAreAPoolWithIndicesThatNobodyReads) {
  EXPECT_EQ(
      "%t1.channels_first : f32[1,3,5,5] = aten::permute_copy.out(%t0, [0, 3, 1, 2])\n"
      "%t1.pooled : f32[1,3,2,2], %t1.indices : i64[1,3,2,2] = "
      "aten::max_pool2d_with_indices.out(%t1.channels_first, [2, 2], [2, 2], [0, 0], [1, 1], "
      "false)\n"
      "%t1 : f32[1,2,2,3] = aten::permute_copy.out(%t1.pooled, [0, 2, 3, 1])\n"
      "output %t1\n",
      nodes_of(one_operator(BuiltinOperator::MAX_POOL_2D,
                            {floats({1, 5, 5, 3}), floats({1, 2, 2, 3})}, {0},
                            pool_options(fb::Padding::VALID, 2, 2))));
  const std::string hanging_over = nodes_of(
      one_operator(BuiltinOperator::MAX_POOL_2D, {floats({1, 5, 5, 3}), floats({1, 3, 3, 3})}, {0},
                   pool_options(fb::Padding::SAME, 2, 2)));
  EXPECT_NE(std::string::npos, hanging_over.find("[0, 0], [1, 1], true)")) << hanging_over;
  const std::string uneven = nodes_of(one_operator(BuiltinOperator::MAX_POOL_2D,
                                                   {floats({1, 5, 5, 3}), floats({1, 5, 5, 3})},
                                                   {0}, pool_options(fb::Padding::SAME, 1, 2)));
  EXPECT_NE(std::string::npos,
            uneven.find("aten::constant_pad_nd.out(%t0, [0, 0, 0, 1, 0, 1], -3.402823"))
      << uneven;
}

TEST(FloatOps, AnAverageOverTilesIsAMean) {
  EXPECT_EQ(
      "%t0.view : f32[1,1,4,1,6,3] = view(%t0)\n"
      "%t1 : f32[1,1,1,3] = aten::mean.out(%t0.view, [2, 4], false, none)\n"
      "output %t1\n",
      nodes_of(one_operator(BuiltinOperator::AVERAGE_POOL_2D,
                            {floats({1, 4, 6, 3}), floats({1, 1, 1, 3})}, {0},
                            options_of(BuiltinOptions::Pool2DOptions, [](auto& b) {
                              return fb::CreatePool2DOptions(b, fb::Padding::VALID, 6, 4, 6, 4);
                            }))));
}

TEST(FloatOps, AnAverageCountsWhatIsInsideTheImage) {
  const std::string even = nodes_of(one_operator(BuiltinOperator::AVERAGE_POOL_2D,
                                                 {floats({1, 5, 5, 3}), floats({1, 5, 5, 3})}, {0},
                                                 pool_options(fb::Padding::SAME, 1, 3)));
  EXPECT_NE(std::string::npos, even.find("aten::avg_pool2d.out(%t1.channels_first, [3, 3], [1, 1], "
                                         "[1, 1], false, false, none)"))
      << even;
  const SmallModel uneven =
      one_operator(BuiltinOperator::AVERAGE_POOL_2D, {floats({1, 3, 3, 1}), floats({1, 3, 3, 1})},
                   {0}, pool_options(fb::Padding::SAME, 1, 2, Activation::RELU));
  EXPECT_EQ(
      "%t1.padded : f32[1,4,4,1] = aten::constant_pad_nd.out(%t0, [0, 0, 0, 1, 0, 1], 0.0)\n"
      "%t1.channels_first : f32[1,1,4,4] = aten::permute_copy.out(%t1.padded, [0, 3, 1, 2])\n"
      "%t1.pooled : f32[1,1,3,3] = aten::avg_pool2d.out(%t1.channels_first, [2, 2], [1, 1], [0, "
      "0], false, true, 1)\n"
      "%t1.sums : f32[1,3,3,1] = aten::permute_copy.out(%t1.pooled, [0, 2, 3, 1])\n"
      "%t1.linear : f32[1,3,3,1] = aten::div.out(%t1.sums, %t1.counts)\n"
      "%t1 : f32[1,3,3,1] = aten::relu.out(%t1.linear)\n"
      "output %t1\n",
      nodes_of(uneven));
  EXPECT_EQ((std::vector<float>{4, 4, 2, 4, 4, 2, 2, 2, 1}), numbers_of(uneven, "t1.counts"));
}

TEST(FloatOps, OperandsAreBroadcastInPlainForm) {
  EXPECT_EQ(
      "%t2 : f32[1,2,2,3] = aten::sub.out(%t0, %t1, 1)\noutput %t2\n",
      nodes_of(one_operator(BuiltinOperator::SUB,
                            {floats({1, 2, 2, 3}), floats({3}), floats({1, 2, 2, 3})}, {0, 1})));
}

TEST(FloatOps, SoftmaxMultipliesByBetaFirst) {
  const auto softmax = [](float beta) {
    return nodes_of(one_operator(BuiltinOperator::SOFTMAX, {floats({1, 4}), floats({1, 4})}, {0},
                                 options_of(BuiltinOptions::SoftmaxOptions, [=](auto& b) {
                                   return fb::CreateSoftmaxOptions(b, beta);
                                 })));
  };
  EXPECT_EQ("%t1 : f32[1,4] = aten::_softmax.out(%t0, 1, false)\noutput %t1\n", softmax(1));
  EXPECT_EQ(
      "%t1.scaled : f32[1,4] = aten::mul.Scalar_out(%t0, 0.5)\n"
      "%t1 : f32[1,4] = aten::_softmax.out(%t1.scaled, 1, false)\noutput %t1\n",
      softmax(0.5F));
}

TEST(FloatOps, HardSwishIsMadeOfOperatorsThatStockRuntimesHave) {
  EXPECT_EQ(
      "%t1.shifted : f32[4] = aten::add.Scalar_out(%t0, 3.0, 1)\n"
      "%t1.gate : f32[4] = aten::hardtanh.out(%t1.shifted, 0.0, 6.0)\n"
      "%t1.product : f32[4] = aten::mul.out(%t1.gate, %t0)\n"
      "%t1 : f32[4] = aten::div.Scalar_out(%t1.product, 6.0)\n"
      "output %t1\n",
      nodes_of(one_operator(BuiltinOperator::HARD_SWISH, {floats({4}), floats({4})}, {0})));
}

TEST(FloatOps, PreluHasASlopePerChannel) {
  const std::string nodes = nodes_of(
      one_operator(BuiltinOperator::PRELU,
                   {floats({1, 2, 2, 3}), counting({1, 1, 3}), floats({1, 2, 2, 3})}, {0}));
  EXPECT_NE(std::string::npos, nodes.find("aten::clamp.out(%t0, none, 0.0)")) << nodes;
  const std::string wrong = nodes_of(
      one_operator(BuiltinOperator::PRELU,
                   {floats({1, 2, 2, 3}), counting({1, 1, 2}), floats({1, 2, 2, 3})}, {0}));
  EXPECT_NE(std::string::npos,
            wrong.find("has the shape [1,1,2], which does not broadcast to the input's, [1,2,2,3]"))
      << wrong;
}

TEST(FloatOps, AxesAndPaddingsAreTFLites) {
  EXPECT_EQ(
      "%t2 : f32[1,3] = aten::mean.out(%t0, [1, 2], false, none)\noutput %t2\n",
      nodes_of(one_operator(BuiltinOperator::MEAN,
                            {floats({1, 2, 2, 3}), numbers({2}, {1, 2}), floats({1, 3})}, {0})));
  EXPECT_EQ(
      "%t2 : f32[1,4,2,3] = aten::constant_pad_nd.out(%t0, [0, 0, 0, 0, 2, 0], 0.0)\noutput %t2\n",
      nodes_of(one_operator(
          BuiltinOperator::PAD,
          {floats({1, 2, 2, 3}), numbers({4, 2}, {0, 0, 2, 0, 0, 0, 0, 0}), floats({1, 4, 2, 3})},
          {0})));
  EXPECT_EQ("%t2 : f32[3,2] = aten::permute_copy.out(%t0, [1, 0])\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::TRANSPOSE,
                                  {floats({2, 3}), numbers({2}, {1, 0}), floats({3, 2})}, {0})));
}

TEST(FloatOps, ResizesThatAtenDoesNotKnowAreChosenRowsAndColumns) {
  const auto bilinear = [](bool align_corners, bool half_pixel) {
    return nodes_of(
        one_operator(BuiltinOperator::RESIZE_BILINEAR,
                     {floats({1, 2, 2, 1}), numbers({2}, {4, 4}), floats({1, 4, 4, 1})}, {0},
                     options_of(BuiltinOptions::ResizeBilinearOptions, [=](auto& b) {
                       return fb::CreateResizeBilinearOptions(b, align_corners, half_pixel);
                     })));
  };
  EXPECT_NE(std::string::npos,
            bilinear(false, true)
                .find("aten::upsample_bilinear2d.vec_out(%t0.image, [4, 4], false, none)"))
      << bilinear(false, true);
  EXPECT_EQ(
      "%t2.before : f32[1,4,2,1] = aten::index_select.out(%t0, 1, %t2.index)\n"
      "%t2.behind : f32[1,4,2,1] = aten::index_select.out(%t0, 1, %t2.index_1)\n"
      "%t2.step : f32[1,4,2,1] = aten::sub.out(%t2.behind, %t2.before, 1)\n"
      "%t2.part : f32[1,4,2,1] = aten::mul.out(%t2.step, %t2.share)\n"
      "%t2.rows : f32[1,4,2,1] = aten::add.out(%t2.before, %t2.part, 1)\n"
      "%t2.before_1 : f32[1,4,4,1] = aten::index_select.out(%t2.rows, 2, %t2.index_2)\n"
      "%t2.behind_1 : f32[1,4,4,1] = aten::index_select.out(%t2.rows, 2, %t2.index_3)\n"
      "%t2.step_1 : f32[1,4,4,1] = aten::sub.out(%t2.behind_1, %t2.before_1, 1)\n"
      "%t2.part_1 : f32[1,4,4,1] = aten::mul.out(%t2.step_1, %t2.share_1)\n"
      "%t2 : f32[1,4,4,1] = aten::add.out(%t2.before_1, %t2.part_1, 1)\n"
      "output %t2\n",
      bilinear(false, false));
}

TEST(FloatOps, FloatsAndIntegersDoNotMix) {
  const std::string mixed = nodes_of(one_operator(
      BuiltinOperator::ADD, {floats({1, 2}), constant({1, 2}, {1, 2}), floats({1, 2})}, {0}));
  EXPECT_NE(std::string::npos, mixed.find("is INT8; FLOAT32 is supported here")) << mixed;
  const std::string integer =
      nodes_of(one_operator(BuiltinOperator::EXP, {tensor({4}), tensor({4})}, {0}));
  EXPECT_NE(std::string::npos, integer.find("is INT8; FLOAT32 is supported here")) << integer;
}

}  // namespace
}  // namespace berth::import
