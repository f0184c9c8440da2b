// How many views a model gets, and of what.
#include "compiler/import/tflite/layout.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

TEST(Layout, ElementwiseOperatorsBetweenConvolutionsStayImages) {
  // conv -> relu6 (other scale: a table) -> add with the conv's output -> conv: one view in, one
  // view out.
  SmallModel model;
  SmallSubgraph& graph = model.main();
  graph.tensors = {tensor({1, 2, 2, 1}),        constant({1, 1, 1, 1}, {1}), tensor({1, 2, 2, 1}),
                   tensor({1, 2, 2, 1}, 0.25F), tensor({1, 2, 2, 1}),        tensor({1, 2, 2, 1})};
  graph.inputs = {0};
  graph.operators = {{.code = BuiltinOperator::CONV_2D,
                      .inputs = {0, 1},
                      .outputs = {2},
                      .options = conv_options(fb::Padding::SAME, 1)},
                     {.code = BuiltinOperator::RELU6, .inputs = {2}, .outputs = {3}},
                     {.code = BuiltinOperator::ADD, .inputs = {2, 3}, .outputs = {4}},
                     {.code = BuiltinOperator::CONV_2D,
                      .inputs = {4, 1},
                      .outputs = {5},
                      .options = conv_options(fb::Padding::SAME, 1)}};
  graph.outputs = {5};
  const std::string nodes = nodes_of(model);
  size_t views = 0;
  for (size_t at = nodes.find("view("); at != std::string::npos; at = nodes.find("view(", at + 1))
    ++views;
  EXPECT_EQ(2U, views) << nodes;
}

TEST(Layout, AViewIsMadeOnceForAllWhoAsk) {
  SmallModel model;
  SmallSubgraph& graph = model.main();
  graph.tensors = {tensor({1, 2, 2, 1}), constant({1, 1, 1, 1}, {1}), tensor({1, 2, 2, 1}),
                   tensor({1, 2, 2, 1})};
  graph.inputs = {0};
  for (const int32_t out : {2, 3}) {
    graph.operators.push_back({.code = BuiltinOperator::CONV_2D,
                               .inputs = {0, 1},
                               .outputs = {out},
                               .options = conv_options(fb::Padding::SAME, 1)});
  }
  graph.outputs = {2, 3, 2};
  const std::string nodes = nodes_of(model);
  EXPECT_EQ(nodes.find("= view(%t0)"), nodes.rfind("= view(%t0)")) << nodes;
  EXPECT_EQ(nodes.find("= view(%t2)"), nodes.rfind("= view(%t2)")) << nodes;
}

}  // namespace
}  // namespace berth::import
