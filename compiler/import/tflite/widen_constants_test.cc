// Weights of float16 and integers under float32 operators: what they become, number for number.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

// ADD of the input and what DEQUANTIZE makes of `constant`.
SmallModel dequantized(SmallTensor constant) {
  const std::vector<int32_t> shape = constant.shape;
  SmallModel model =
      one_operator(BuiltinOperator::DEQUANTIZE, {std::move(constant), floats(shape)}, {});
  SmallSubgraph& main = model.main();
  main.operators[0].inputs = {0};
  main.tensors.push_back(floats(shape));
  main.tensors.push_back(floats(shape));
  main.operators.push_back({.code = BuiltinOperator::ADD, .inputs = {2, 1}, .outputs = {3}});
  main.inputs = {2};
  main.outputs = {3};
  return model;
}

// The numbers of the only constant.
std::vector<float> constant_of(const SmallModel& model, Diagnostics* diagnostics = nullptr) {
  const Result<ir::Module> module = import_tflite(model.build(), diagnostics);
  if (!module.ok()) {
    ADD_FAILURE() << module.error().place << ": " << module.error().message;
    return {};
  }
  std::vector<float> numbers;
  for (const ir::Value& value : module.value().graphs[0].values) {
    if (value.kind != ir::ValueKind::kConstant) continue;
    EXPECT_TRUE(numbers.empty());
    EXPECT_EQ(ScalarType::kFloat, value.spec.dtype);
    numbers.resize(value.data->size() / sizeof(float));
    std::memcpy(numbers.data(), value.data->data(), value.data->size());
  }
  return numbers;
}

TEST(WidenConstants, Float16BecomesFloat32) {
  SmallTensor halves = {.shape = {4}, .type = TensorType::FLOAT16, .scales = {}, .zero_points = {}};
  halves.data = {0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0xff, 0x7b};  // 1, -2, the least, the largest
  EXPECT_EQ((std::vector<float>{1, -2, 0x1p-24F, 65504}), constant_of(dequantized(halves)));
}

TEST(WidenConstants, IntegersAreScaledFromTheirZeroPointPerChannel) {
  SmallTensor weights = {.shape = {2, 2}, .scales = {0.5F, 2}, .zero_points = {0, 0}};
  weights.data = {1, 255, 3, 128};
  EXPECT_EQ((std::vector<float>{0.5F, -0.5F, 6, -256}), constant_of(dequantized(weights)));
  weights.dimension = 1;
  EXPECT_EQ((std::vector<float>{0.5F, -2, 1.5F, -256}), constant_of(dequantized(weights)));
  weights.scales = {0.5F};
  weights.zero_points = {1};
  weights.dimension = 0;
  EXPECT_EQ((std::vector<float>{0, -1, 1, -64.5F}), constant_of(dequantized(weights)));
}

TEST(WidenConstants, AFloatLayerTakesInt8WeightsAndANoteSaysSo) {
  SmallTensor weights = {.shape = {1, 2}, .scales = {0.25F}, .zero_points = {0}};
  weights.data = {4, 252};
  const SmallModel model = one_operator(BuiltinOperator::FULLY_CONNECTED,
                                        {floats({1, 2}), weights, floats({1, 1})}, {0});
  Diagnostics diagnostics;
  EXPECT_EQ((std::vector<float>{1, -1}), constant_of(model, &diagnostics));
  ASSERT_EQ(1u, diagnostics.notes.size());
  EXPECT_EQ(
      "1 of them have int8 weights and float32 activations; the weights become float32 (8 bytes), "
      "and activations are not rounded to int8 as TFLite rounds them",
      diagnostics.notes[0].message);
}

// Places in errors are the file's own: an operator that is done still counts.
TEST(WidenConstants, OperatorsKeepTheirIndices) {
  SmallTensor halves = {.shape = {1}, .type = TensorType::FLOAT16, .scales = {}, .zero_points = {}};
  halves.data = {0x00, 0x3c};
  SmallModel model = dequantized(halves);
  model.main().operators[1].code = BuiltinOperator::CUMSUM;
  EXPECT_NE(std::string::npos, nodes_of(model).find("operators[1] CUMSUM")) << nodes_of(model);
}

TEST(WidenConstants, InputsThatNoOperatorTakesAreNotCopied) {
  SmallTensor weights = {.shape = {1, 2}, .scales = {0.25F}, .zero_points = {0}};
  weights.data = {4, 252};
  SmallModel model = one_operator(BuiltinOperator::FULLY_CONNECTED,
                                  {floats({1, 2}), weights, floats({1, 1})}, {0});
  model.main().operators[0].inputs.resize(9, 0);
  EXPECT_NE(std::string::npos, nodes_of(model).find("has 9 inputs; it takes 2 to 3"));
}

// A constant cannot be the method's input too.
TEST(WidenConstants, AnOutputThatIsAnInputStaysWhatItIs) {
  SmallTensor halves = {.shape = {1}, .type = TensorType::FLOAT16, .scales = {}, .zero_points = {}};
  halves.data = {0x00, 0x3c};
  SmallModel model = dequantized(halves);
  model.main().inputs = {2, 1};
  EXPECT_NE(std::string::npos, nodes_of(model).find("which is an input, a constant or written"))
      << nodes_of(model);
}

}  // namespace
}  // namespace berth::import
