// Groups of nodes taken out of small graphs, as text, and the graphs that are left.
#include "compiler/delegate/extract.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/delegate/graph_test_util.h"
#include "compiler/ir/verify.h"

namespace berth::delegate {
namespace {

std::string refusal(const std::string& body, const std::vector<int32_t>& group) {
  const Result<Extracted> extracted = extract(parsed(body), group);
  return extracted.ok() ? "" : extracted.error().place + ": " + extracted.error().message;
}

const char kDiamond[] =
    "input %x : f32[4]\n"
    "const %c : f32[4] = splat 2\n"
    "%a : f32[4] = aten::add.out(%x, %c, 1)\n"
    "%side : f32[4] = aten::relu.out(%a)\n"
    "%free : f32[4] = aten::abs.out(%x)\n"
    "%b : f32[4] = aten::mul.out(%a, %x)\n"
    "%y : f32[4] = aten::add.out(%b, %side, 1)\n"
    "output %y\n"
    "output %free\n";

TEST(Extract, AGroupBecomesAGraphOfItsOwn) {
  ir::Graph graph = parsed(kDiamond);
  Result<Extracted> extracted = extract(graph, {0, 3});
  ASSERT_TRUE(extracted.ok()) << extracted.error().message;
  ir::renumber(extracted.value().part);
  EXPECT_EQ(
      "graph g {\n"
      "  input %x : f32[4]\n"
      "  const %c : f32[4] = splat 2.0\n"
      "  %a : f32[4] = aten::add.out(%x, %c, 1)\n"
      "  %b : f32[4] = aten::mul.out(%a, %x)\n"
      "  output %a\n"
      "  output %b\n"
      "}\n",
      ir::print(extracted.value().part));
  EXPECT_FALSE(ir::verify(extracted.value().part));
}

TEST(Extract, ReadersComeBehindTheCallAndTheRestStays) {
  ir::Graph graph = parsed(kDiamond);
  const Result<Extracted> extracted = extract(graph, {0, 3});
  ASSERT_TRUE(extracted.ok());
  replace_by_call(&graph, {0, 3}, extracted.value(), "npu_0");
  EXPECT_EQ(
      "graph g {\n"
      "  input %x : f32[4]\n"
      "  %free : f32[4] = aten::abs.out(%x)\n"
      "  %a : f32[4], %b : f32[4] = delegate @npu_0(%x)\n"
      "  %side : f32[4] = aten::relu.out(%a)\n"
      "  %y : f32[4] = aten::add.out(%b, %side, 1)\n"
      "  output %y\n"
      "  output %free\n"
      "}\n",
      ir::print(graph));
}

TEST(Extract, AGroupThatIsNotConvexIsRefusedWithTheNodesNamed) {
  EXPECT_EQ(
      "graph g, a group of 2 nodes: is not convex: node 4 aten::add.out needs node 3 "
      "aten::mul.out, which has to follow the group",
      refusal(kDiamond, {0, 4}));
}

// What is changed between two readers cannot be changed before both or after both.
TEST(Extract, AnEffectBetweenTwoReadersIsNoPlaceForACall) {
  const std::string state =
      "input %x : f32[4]\n"
      "input %state : f32[4]\n"
      "%a : f32[4] = aten::relu.out(%state)\n"
      "aten::copy_(%state, %x, false)\n"
      "%b : f32[4] = aten::abs.out(%state)\n"
      "%y : f32[4] = aten::add.out(%a, %b, 1)\n"
      "output %y\n";
  EXPECT_NE(std::string::npos, refusal(state, {0, 2}).find("node 2 aten::abs.out needs node 1"));
  ir::Graph graph = parsed(state);
  const Result<Extracted> extracted = extract(graph, {0});
  ASSERT_TRUE(extracted.ok());
  replace_by_call(&graph, {0}, extracted.value(), "npu_0");
  const std::string text = ir::print(graph);
  EXPECT_LT(text.find("delegate @npu_0"), text.find("aten::copy_")) << text;
  EXPECT_NE(std::string::npos, refusal(state, {1}).find("has node 1 aten::copy_"));
}

TEST(Extract, IndicesAreChecked) {
  EXPECT_NE("", refusal(kDiamond, {}));
  EXPECT_NE("", refusal(kDiamond, {3, 0}));
  EXPECT_NE("", refusal(kDiamond, {0, 0}));
  EXPECT_NE("", refusal(kDiamond, {-1}));
  EXPECT_NE("", refusal(kDiamond, {5}));
}

}  // namespace
}  // namespace berth::delegate
