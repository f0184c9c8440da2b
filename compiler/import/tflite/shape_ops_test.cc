// Operators about shapes and axes: small models against the lines of ir that they must give
// (constants and the header left out).
#include <gtest/gtest.h>

#include <string>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

TEST(ShapeOps, ReshapesAreViewsOfTheRootAndMadeOnDemand) {
  SmallModel model = one_operator(BuiltinOperator::RESHAPE, {tensor({2, 6}), tensor({3, 4})}, {0});
  SmallSubgraph& graph = model.main();
  graph.tensors.push_back(tensor({1, 3, 4, 1}));
  graph.tensors.push_back(tensor({12}));
  graph.operators.push_back({.code = BuiltinOperator::EXPAND_DIMS, .inputs = {1}, .outputs = {2}});
  graph.operators.push_back({.code = BuiltinOperator::SQUEEZE, .inputs = {2}, .outputs = {3}});
  graph.outputs = {3};
  EXPECT_EQ("%t3 : i8[12] = view(%t0)\noutput %t3\n", nodes_of(model));
}

TEST(ShapeOps, ReshapesOfOtherSizesAreRefused) {
  EXPECT_NE(std::string::npos,
            nodes_of(one_operator(BuiltinOperator::RESHAPE, {tensor({2, 6}), tensor({3, 5})}, {0}))
                .find("15 elements"));
}

TEST(ShapeOps, TransposesOfSizeOneDimensionsMoveNothing) {
  EXPECT_EQ(
      "%t2 : i8[3,1,4] = view(%t0)\noutput %t2\n",
      nodes_of(one_operator(BuiltinOperator::TRANSPOSE,
                            {tensor({1, 3, 4}), numbers({3}, {1, 0, 2}), tensor({3, 1, 4})}, {0})));
  EXPECT_EQ("%t2 : i8[4,3] = cortex_m::transpose.out(%t0, [1, 0])\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::TRANSPOSE,
                                  {tensor({3, 4}), numbers({2}, {-1, 0}), tensor({4, 3})}, {0})));
}

TEST(ShapeOps, TransposesThatTheVendorRefusesGoToBerth) {
  EXPECT_EQ(
      "%t2 : i16[4,3] = berth::transpose.out(%t0, [1, 0])\noutput %t2\n",
      nodes_of(one_operator(BuiltinOperator::TRANSPOSE,
                            {tensor16({3, 4}), numbers({2}, {1, 0}), tensor16({4, 3})}, {0})));
  EXPECT_EQ(
      "%t2 : i8[3,1,1,1,2] = berth::transpose.out(%t0, [4, 1, 2, 3, 0])\noutput %t2\n",
      nodes_of(one_operator(
          BuiltinOperator::TRANSPOSE,
          {tensor({2, 1, 1, 1, 3}), numbers({5}, {4, 1, 2, 3, 0}), tensor({3, 1, 1, 1, 2})}, {0})));
}

TEST(ShapeOps, AxesMustExistOnce) {
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

TEST(ShapeOps, PadsHaveFourEntriesAndTheZeroPointOrAConstant) {
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

TEST(ShapeOps, PadsThatTheVendorRefusesGoToBerth) {
  EXPECT_EQ("%t2 : i16[3] = berth::pad.out(%t0, [0, 0, 0, 1], [0, 0, 0, 0], 0)\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::PAD,
                                  {tensor16({2}), numbers({1, 2}, {1, 0}), tensor16({3})}, {0})));
  EXPECT_EQ(
      "%t2 : i8[1,1,1,2,4] = berth::pad.out(%t0, [0, 0, 0, 0, 1], [0, 0, 0, 0, 0], 0)\noutput "
      "%t2\n",
      nodes_of(
          one_operator(BuiltinOperator::PAD,
                       {tensor({1, 1, 1, 2, 3}), numbers({5, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0}),
                        tensor({1, 1, 1, 2, 4})},
                       {0})));
}

TEST(ShapeOps, ConcatenationsAddUpAlongTheirAxis) {
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

TEST(ShapeOps, MeanHoldsTheCountInItsMultiplier) {
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

TEST(ShapeOps, ResizesTakeTheirSizeFromTheOutput) {
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

OptionsBuilder block_options(BuiltinOperator code, int block) {
  if (code == BuiltinOperator::SPACE_TO_DEPTH) {
    return options_of(BuiltinOptions::SpaceToDepthOptions,
                      [=](auto& b) { return fb::CreateSpaceToDepthOptions(b, block); });
  }
  return options_of(BuiltinOptions::DepthToSpaceOptions,
                    [=](auto& b) { return fb::CreateDepthToSpaceOptions(b, block); });
}

TEST(ShapeOps, BlocksOfPixelsBecomeChannelsByATransposition) {
  EXPECT_EQ(
      "%t0.view : f32[1,2,2,3,2,5] = view(%t0)\n"
      "%t1 : f32[1,2,3,2,2,5] = aten::permute_copy.out(%t0.view, [0, 1, 3, 2, 4, 5])\n"
      "%t1.plain : f32[1,2,3,20] = view(%t1)\n"
      "output %t1.plain\n",
      nodes_of(one_operator(BuiltinOperator::SPACE_TO_DEPTH,
                            {floats({1, 4, 6, 5}), floats({1, 2, 3, 20})}, {0},
                            block_options(BuiltinOperator::SPACE_TO_DEPTH, 2))));
  EXPECT_EQ(
      "%t0.view : i8[1,2,3,2,2,5] = view(%t0)\n"
      "%t1 : i8[1,2,2,3,2,5] = berth::transpose.out(%t0.view, [0, 1, 3, 2, 4, 5])\n"
      "%t1.plain : i8[1,4,6,5] = view(%t1)\n"
      "output %t1.plain\n",
      nodes_of(one_operator(BuiltinOperator::DEPTH_TO_SPACE,
                            {tensor({1, 2, 3, 20}), tensor({1, 4, 6, 5})}, {0},
                            block_options(BuiltinOperator::DEPTH_TO_SPACE, 2))));
}

TEST(ShapeOps, ABlockThatDoesNotDivideIsRefused) {
  for (const int block : {0, -1, 3, 46341, 2147483647}) {
    EXPECT_NE(std::string::npos,
              nodes_of(one_operator(BuiltinOperator::SPACE_TO_DEPTH,
                                    {floats({1, 4, 6, 5}), floats({1, 2, 3, 20})}, {0},
                                    block_options(BuiltinOperator::SPACE_TO_DEPTH, block)))
                  .find("the block size is " + std::to_string(block)));
  }
}

TEST(ShapeOps, ArgMaxIsInt64AndNarrowedForInt32) {
  SmallTensor index = numbers({2}, {});
  EXPECT_EQ(
      "%t2.index : i64[2] = aten::argmax.out(%t0, 1, false)\n"
      "%t2 : i32[2] = aten::_to_copy.out(%t2.index, false, none)\n"
      "output %t2\n",
      nodes_of(
          one_operator(BuiltinOperator::ARG_MAX, {floats({2, 3}), numbers({}, {-1}), index}, {0})));
}

TEST(ShapeOps, TilingByOnesMakesNoNode) {
  EXPECT_EQ("output %t0\n",
            nodes_of(one_operator(BuiltinOperator::TILE,
                                  {floats({2}), numbers({1}, {1}), floats({2})}, {0})));
  EXPECT_EQ("%t2 : f32[6] = aten::repeat.out(%t0, [3])\noutput %t2\n",
            nodes_of(one_operator(BuiltinOperator::TILE,
                                  {floats({2}), numbers({1}, {3}), floats({6})}, {0})));
}

}  // namespace
}  // namespace berth::import
