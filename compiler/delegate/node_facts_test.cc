#include "compiler/delegate/node_facts.h"

#include <gtest/gtest.h>

namespace berth::delegate {
namespace {

ir::TensorSpec floats(std::vector<int32_t> sizes) {
  const size_t rank = sizes.size();
  return {ScalarType::kFloat, std::move(sizes), ir::contiguous_order(rank)};
}

TEST(NodeFacts, OperandsAreValuesOrNone) {
  ir::Node node;
  node.args = {ir::Ref{7}, ir::None(), int64_t{7}};
  EXPECT_EQ(7, operand(node, 0));
  EXPECT_EQ(-1, operand(node, 1));
  EXPECT_EQ(-1, operand(node, 2));
}

TEST(NodeFacts, NumbersAreEqualInBothForms) {
  ir::Node node;
  node.args = {int64_t{1}, 1.0, 1.5, true};
  EXPECT_TRUE(is_number(node, 0, 1));
  EXPECT_TRUE(is_number(node, 1, 1));
  EXPECT_FALSE(is_number(node, 2, 1));
  EXPECT_FALSE(is_number(node, 3, 1));
}

TEST(NodeFacts, AListOfOneIsForBothAxes) {
  ir::Node node;
  using Ints = std::vector<int64_t>;
  node.args = {Ints{3}, Ints{3, -4}, Ints{}, Ints{1, 2, 3}, Ints{int64_t{1} << 40}, int64_t{3}};
  EXPECT_EQ((Pair{3, 3}), pair_of(node, 0));
  EXPECT_EQ((Pair{3, -4}), pair_of(node, 1));
  for (const size_t a : {2, 3, 4, 5}) EXPECT_EQ(std::nullopt, pair_of(node, a)) << a;
}

TEST(NodeFacts, TypesAndSizesOfArgumentsAndResult) {
  ir::Graph graph;
  const auto value = [&](const ir::TensorSpec& spec) {
    return graph.add_value({"v", ir::ValueKind::kInput, spec, nullptr, ""});
  };
  const ir::ValueId x = value(floats({4})), empty = value(floats({0}));
  const ir::ValueId large = value(floats({1 << 29}));
  const ir::ValueId bytes = value({ScalarType::kByte, {4}, {0}});
  ir::Node node;
  const auto takes = [&](ir::ValueId argument, ir::ValueId result) {
    node.args = {ir::Ref{x}, ir::RefList{ir::Ref{argument}}};
    node.results = {result};
    return has_only(graph, node, ScalarType::kFloat);
  };
  EXPECT_TRUE(takes(x, x));
  for (const ir::ValueId other : {empty, large, bytes}) {
    EXPECT_FALSE(takes(other, x));
    EXPECT_FALSE(takes(x, other));
  }
  EXPECT_TRUE(takes(x, x));
  node.kind = ir::NodeKind::kView;
  EXPECT_FALSE(has_only(graph, node, ScalarType::kFloat));
}

TEST(NodeFacts, StridesFollowTheDimOrder) {
  EXPECT_EQ((std::vector<int32_t>{60, 20, 5, 1}), strides_of(floats({2, 3, 4, 5})));
  EXPECT_EQ((std::vector<int32_t>{60, 1, 15, 3}),
            strides_of({ScalarType::kFloat, {2, 3, 4, 5}, ir::channels_last_order()}));
}

TEST(NodeFacts, InputsAreCountedInTheirOrder) {
  ir::Graph graph;
  for (const char* name : {"a", "b", "c"})
    graph.add_value({name, ir::ValueKind::kInput, floats({4}), nullptr, ""});
  graph.inputs = {2, 0};
  EXPECT_EQ(0, input_index(graph, 2));
  EXPECT_EQ(1, input_index(graph, 0));
  EXPECT_EQ(-1, input_index(graph, 1));
}

TEST(NodeFacts, BytesAreAppendedAtTheirAlignment) {
  ir::Bytes blob(3, std::byte{1});
  EXPECT_EQ(3u, append(ir::Bytes(2, std::byte{2}), 1, &blob));
  EXPECT_EQ(8u, append(ir::Bytes(1, std::byte{3}), 8, &blob));
  EXPECT_EQ(9u, blob.size());
  EXPECT_EQ(std::byte{2}, blob[4]);
  EXPECT_EQ(std::byte{0}, blob[5]);
  EXPECT_EQ(std::byte{3}, blob[8]);
}

}  // namespace
}  // namespace berth::delegate
