// SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK, PACK and GATHER: small models against the lines of
// ir that they must give, or the error.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

std::string nodes_of(BuiltinOperator code, std::vector<SmallTensor> tensors,
                     std::vector<int32_t> inputs, OptionsBuilder options = {}) {
  return import::nodes_of(one_operator(code, std::move(tensors), std::move(inputs), options));
}

// An operator with several outputs: tensors from `first_output` on.
SmallModel splitting(BuiltinOperator code, std::vector<SmallTensor> tensors, int32_t input,
                     int32_t first_output, OptionsBuilder options = {}) {
  SmallModel model = one_operator(code, std::move(tensors), {input}, std::move(options));
  SmallSubgraph& main = model.main();
  SmallOperator& op = main.operators[0];
  op.inputs.clear();
  op.outputs.clear();
  for (int32_t t = 0; t < static_cast<int32_t>(main.tensors.size()); ++t)
    (t < first_output ? op.inputs : op.outputs).push_back(t);
  main.outputs = op.outputs;
  return model;
}

OptionsBuilder strided(int begin_mask, int end_mask, int shrink_mask = 0, int ellipsis_mask = 0) {
  return options_of(BuiltinOptions::StridedSliceOptions, [=](auto& b) {
    return fb::CreateStridedSliceOptions(b, begin_mask, end_mask, ellipsis_mask, 0, shrink_mask);
  });
}

TEST(PartsOps, ASliceCutsTheDimensionThatLosesMostFirst) {
  EXPECT_EQ(
      "%t3.part : i8[4,2] = aten::slice_copy.Tensor_out(%t0, 1, 2, 4, 1)\n"
      "%t3 : i8[3,2] = aten::slice_copy.Tensor_out(%t3.part, 0, 1, 4, 1)\n"
      "output %t3\n",
      nodes_of(BuiltinOperator::SLICE,
               {tensor({4, 8}), numbers({2}, {1, 2}), numbers({2}, {-1, 2}), tensor({3, 2})}, {0}));
}

TEST(PartsOps, ASliceOfEverythingIsItsInput) {
  EXPECT_EQ(
      "output %t0\n",
      nodes_of(BuiltinOperator::SLICE,
               {floats({4, 8}), numbers({2}, {0, 0}), numbers({2}, {4, -1}), floats({4, 8})}, {0}));
}

TEST(PartsOps, ASliceOutsideItsInputIsRefused) {
  EXPECT_EQ(
      "operators[0] SLICE: takes 8 in dimension 1; 1 to 7 are there, or -1 for all of them",
      nodes_of(BuiltinOperator::SLICE,
               {tensor({4, 8}), numbers({2}, {0, 1}), numbers({2}, {4, 8}), tensor({4, 8})}, {0}));
  EXPECT_EQ(
      "operators[0] SLICE: begins at -1 in dimension 0; the input has 4 there",
      nodes_of(BuiltinOperator::SLICE,
               {tensor({4, 8}), numbers({2}, {-1, 1}), numbers({2}, {4, 8}), tensor({4, 8})}, {0}));
}

TEST(PartsOps, AStridedSliceCountsFromTheEndAndShrinks) {
  EXPECT_EQ(
      "%t4.part : f32[1,9] = aten::slice_copy.Tensor_out(%t0, 0, 3, 4, 1)\n"
      "%t4 : f32[1,3] = aten::slice_copy.Tensor_out(%t4.part, 1, 2, 7, 2)\n"
      "%t4.plain : f32[3] = view(%t4)\n"
      "output %t4.plain\n",
      nodes_of(BuiltinOperator::STRIDED_SLICE,
               {floats({4, 9}), numbers({2}, {-1, 2}), numbers({2}, {0, -2}), numbers({2}, {1, 2}),
                floats({3})},
               {0}, strided(0, 0, 1)));
}

// Numbers outside a dimension are held at its ends, whatever they are.
TEST(PartsOps, AStridedSliceHoldsHostileNumbersWithinTheDimension) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  EXPECT_EQ("output %t0\n", nodes_of(BuiltinOperator::STRIDED_SLICE,
                                     {floats({4}), numbers({1}, {kLeast}), numbers({1}, {kMost}),
                                      numbers({1}, {1}), floats({4})},
                                     {0}, strided(0, 0)));
  EXPECT_EQ("%t4 : f32[1] = aten::slice_copy.Tensor_out(%t0, 0, 0, 1, 1)\noutput %t4\n",
            nodes_of(BuiltinOperator::STRIDED_SLICE,
                     {floats({4}), numbers({1}, {0}), numbers({1}, {4}), numbers({1}, {kMost}),
                      floats({1})},
                     {0}, strided(0, 0)));
  EXPECT_EQ(
      "operators[0] STRIDED_SLICE: takes nothing: it begins at 2147483647 in dimension 0, ends at "
      "4 and has 4",
      nodes_of(
          BuiltinOperator::STRIDED_SLICE,
          {floats({4}), numbers({1}, {kMost}), numbers({1}, {4}), numbers({1}, {1}), floats({1})},
          {0}, strided(0, 0, 1)));
  EXPECT_NE(std::string::npos, nodes_of(BuiltinOperator::STRIDED_SLICE,
                                        {floats({4}), numbers({1}, {3}), numbers({1}, {0}),
                                         numbers({1}, {-1}), floats({3})},
                                        {0}, strided(0, 0))
                                   .find("strides by -1 in dimension 0; 1 or more is supported"));
  EXPECT_NE(std::string::npos, nodes_of(BuiltinOperator::STRIDED_SLICE,
                                        {floats({4}), numbers({1}, {3}), numbers({1}, {4}),
                                         numbers({1}, {1}), floats({1})},
                                        {0}, strided(0, 0, 0, 1))
                                   .find("ellipsis_mask is set; 0 is supported"));
}

TEST(PartsOps, ASplitIsASlicePerOutput) {
  EXPECT_EQ(
      "%t2 : i8[2,3] = aten::slice_copy.Tensor_out(%t1, 1, 0, 3, 1)\n"
      "%t3 : i8[2,3] = aten::slice_copy.Tensor_out(%t1, 1, 3, 6, 1)\n"
      "output %t2\noutput %t3\n",
      import::nodes_of(
          splitting(BuiltinOperator::SPLIT,
                    {numbers({}, {-1}), tensor({2, 6}), tensor({2, 3}), tensor({2, 3})}, 1, 2)));
  EXPECT_EQ(
      "operators[0] SPLIT: has 2 outputs; 5 elements along axis 1 do not make as many equal parts",
      import::nodes_of(splitting(BuiltinOperator::SPLIT,
                                 {numbers({}, {1}), tensor({2, 5}), tensor({2, 3}), tensor({2, 2})},
                                 1, 2)));
}

TEST(PartsOps, OneSizeOfASplitMayBeWhatTheOthersLeave) {
  const auto split = [](std::vector<int32_t> sizes) {
    return import::nodes_of(splitting(
        BuiltinOperator::SPLIT_V,
        {tensor({6}), numbers({2}, sizes), numbers({}, {0}), tensor({4}), tensor({2})}, 0, 3));
  };
  const std::string parts =
      "%t3 : i8[4] = aten::slice_copy.Tensor_out(%t0, 0, 0, 4, 1)\n"
      "%t4 : i8[2] = aten::slice_copy.Tensor_out(%t0, 0, 4, 6, 1)\n"
      "output %t3\noutput %t4\n";
  EXPECT_EQ(parts, split({4, 2}));
  EXPECT_EQ(parts, split({-1, 2}));
  EXPECT_NE(std::string::npos, split({4, 1}).find("do not add up to the 6 elements along axis 0"));
  EXPECT_NE(std::string::npos, split({6, -1}).find("do not add up"));
  EXPECT_NE(std::string::npos, split({-1, -1}).find("has the size -1; 6 of 6 elements are left"));
  EXPECT_NE(std::string::npos, split({4, 3}).find("has the size 3; 2 of 6 elements are left"));
}

TEST(PartsOps, UnpackedPartsLoseTheirDimensionAndPackedOnesGetIt) {
  EXPECT_EQ(
      "%t1 : f32[2,1] = aten::slice_copy.Tensor_out(%t0, 1, 0, 1, 1)\n"
      "%t2 : f32[2,1] = aten::slice_copy.Tensor_out(%t0, 1, 1, 2, 1)\n"
      "%t1.plain : f32[2] = view(%t1)\n"
      "%t2.plain : f32[2] = view(%t2)\n"
      "output %t1.plain\noutput %t2.plain\n",
      import::nodes_of(
          splitting(BuiltinOperator::UNPACK, {floats({2, 2}), floats({2}), floats({2})}, 0, 1,
                    options_of(BuiltinOptions::UnpackOptions,
                               [](auto& b) { return fb::CreateUnpackOptions(b, 2, 1); }))));
  EXPECT_EQ(
      "%t0.view : f32[2,1] = view(%t0)\n"
      "%t1.view : f32[2,1] = view(%t1)\n"
      "%t2 : f32[2,2] = aten::cat.out([%t0.view, %t1.view], 1)\n"
      "output %t2\n",
      nodes_of(BuiltinOperator::PACK, {floats({2}), floats({2}), floats({2, 2})}, {0, 1},
               options_of(BuiltinOptions::PackOptions,
                          [](auto& b) { return fb::CreatePackOptions(b, 2, -1); })));
}

// The axis is counted in the output, which may claim any rank.
TEST(PartsOps, PackedOutputsHaveOneDimensionMore) {
  const auto pack = [](std::vector<int32_t> out, int axis) {
    return nodes_of(BuiltinOperator::PACK, {floats({2}), floats({2}), floats(std::move(out))},
                    {0, 1}, options_of(BuiltinOptions::PackOptions, [=](auto& b) {
                      return fb::CreatePackOptions(b, 2, axis);
                    }));
  };
  EXPECT_NE(std::string::npos, pack({1, 1, 1, 1, 1, 1, 2, 2}, 7).find("it has 2 dimensions"));
  EXPECT_NE(std::string::npos, pack({4}, 0).find("it has 2 dimensions"));
}

TEST(PartsOps, ATensorThatIsStackedTwiceHasOneView) {
  SmallModel model = one_operator(BuiltinOperator::PACK, {floats({2}), floats({3, 2})}, {0});
  model.main().operators[0].inputs = {0, 0, 0};
  EXPECT_EQ(
      "%t0.view : f32[1,2] = view(%t0)\n"
      "%t1 : f32[3,2] = aten::cat.out([%t0.view, %t0.view, %t0.view], 0)\n"
      "output %t1\n",
      import::nodes_of(model));
}

TEST(PartsOps, GatheredRowsTakeTheShapeOfTheirIndices) {
  const auto gather = [](SmallTensor indices) {
    return nodes_of(BuiltinOperator::GATHER,
                    {floats({5, 3}), std::move(indices), floats({2, 2, 3})}, {0});
  };
  EXPECT_EQ(
      "%t2 : f32[4,3] = aten::index_select.out(%t0, 0, %t1)\n"
      "%t2.plain : f32[2,2,3] = view(%t2)\n"
      "output %t2.plain\n",
      gather(numbers({2, 2}, {0, 4, 4, 1})));
  EXPECT_NE(
      std::string::npos,
      gather(numbers({2, 2}, {0, 4, 5, 1})).find("has the index 5; the input has 5 along axis 0"));
}

TEST(PartsOps, OperatorsOfOneOutputRefuseSeveral) {
  EXPECT_EQ("operators[0] RELU: has 2 outputs; it has 1",
            import::nodes_of(
                splitting(BuiltinOperator::RELU, {tensor({6}), tensor({6}), tensor({6})}, 0, 1)));
}

}  // namespace
}  // namespace berth::import
