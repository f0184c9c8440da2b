#include "compiler/ir/ir.h"

#include <gtest/gtest.h>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace berth::ir {
namespace {

Graph graph_of(const std::string& body) {
  Result<Module> module = parse("berth.ir 1\ngraph g {\n" + body + "}\n");
  EXPECT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  if (!module.ok()) return {};
  const MaybeError wrong = verify(module.value());
  EXPECT_FALSE(wrong) << wrong->place << ": " << wrong->message;
  return module.value().graphs.at(0);
}

ValueId find(const Graph& graph, const std::string& name) {
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (graph.values[v].name == name) return static_cast<ValueId>(v);
  }
  ADD_FAILURE() << "no value " << name;
  return -1;
}

TEST(TensorSpec, BytesAreElementsTimesTheirSize) {
  EXPECT_EQ((TensorSpec{ScalarType::kShort, {2, 3}, {0, 1}}.nbytes()), 12u);
  EXPECT_EQ((TensorSpec{ScalarType::kShort, {2, 3}, {0, 1}}.element_count()), 6u);
  EXPECT_EQ((TensorSpec{ScalarType::kLong, {}, {}}.nbytes()), 8u);
}

TEST(TensorSpec, SizesThatOverflowHaveNoBytes) {
  const TensorSpec huge{ScalarType::kLong, {INT32_MAX, INT32_MAX, 4}, {0, 1, 2}};
  EXPECT_FALSE(huge.checked_nbytes());
  EXPECT_EQ(huge.nbytes(), UINT64_MAX);
  EXPECT_FALSE((TensorSpec{ScalarType::kByte, {-1}, {0}}.checked_nbytes()));
}

TEST(TensorSpec, AZeroMakesTheTensorEmptyWhateverTheOtherSizesAre) {
  EXPECT_EQ((TensorSpec{ScalarType::kLong, {INT32_MAX, INT32_MAX, INT32_MAX, 0}, {0, 1, 2, 3}}
                 .checked_nbytes()),
            0u);
}

TEST(Names, AnyTextBecomesAnIdentifier) {
  EXPECT_EQ(clean_name("model/conv2d;1"), "model_conv2d_1");
  EXPECT_EQ(clean_name("0"), "_0");
  EXPECT_EQ(clean_name(""), "_");
  EXPECT_TRUE(is_clean_name(clean_name("\xff\n%")));
}

TEST(Names, ATakenNameGetsTheNextFreeNumber) {
  Graph graph;
  Value value;
  value.spec = {ScalarType::kByte, {1}, {0}};
  for (const char* name : {"x", "x_1", "x", "x", "x_1"}) {
    value.name = name;
    graph.add_value(value);
  }
  EXPECT_EQ(graph.values[2].name, "x_2");
  EXPECT_EQ(graph.values[3].name, "x_3");
  EXPECT_EQ(graph.values[4].name, "x_1_1");
}

TEST(Names, AddingTheSameNameManyTimesStaysFast) {
  Graph graph;
  Value value;
  value.name = "x";
  value.spec = {ScalarType::kByte, {1}, {0}};
  for (int i = 0; i < 200000; ++i) graph.add_value(value);
  EXPECT_EQ(graph.values.back().name, "x_199999");
}

TEST(Uses, AConsumerIsListedOncePerValueAndInOrder) {
  const Graph graph = graph_of(R"(
    input %x : i8[4]
    %a : i8[4] = cortex_m::minimum.out(%x, %x)
    %b : i8[4] = cortex_m::maximum.out(%x, %a)
    %c : i8[12] = aten::cat.out([%x, %a, %b], 0)
    output %b
  )");
  const Uses uses = find_uses(graph);
  EXPECT_EQ(uses.consumers[find(graph, "x")], (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(uses.consumers[find(graph, "a")], (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(uses.producer[find(graph, "x")], -1);
  EXPECT_EQ(uses.producer[find(graph, "b")], 1);
  EXPECT_TRUE(uses.is_output[find(graph, "b")]);
  EXPECT_FALSE(uses.is_output[find(graph, "c")]);
}

TEST(Placements, ViewsLieInTheirArgumentAndPartsInTheirJoin) {
  const Graph graph = graph_of(R"(
    input %x : i8[4]
    %a : i8[4] = cortex_m::minimum.out(%x, %x)
    %av : i8[2,2] = view(%a)
    %b : i8[4] = cortex_m::maximum.out(%x, %a)
    %bv : i8[4,1] = view(%b)
    %in : i8[8] = join(%av, %bv)
    %c : i8[4] = cortex_m::maximum.out(%x, %b)
    %out : i8[12] = join(%c, %in)
    %outv : i8[3,4] = view(%out)
    output %outv
  )");
  const std::vector<Placement> places = find_placements(graph);
  const ValueId out = find(graph, "out");
  EXPECT_EQ(places[find(graph, "x")], (Placement{find(graph, "x"), 0}));
  EXPECT_EQ(places[find(graph, "c")], (Placement{out, 0}));
  EXPECT_EQ(places[find(graph, "a")], (Placement{out, 4}));
  EXPECT_EQ(places[find(graph, "av")], (Placement{out, 4}));
  EXPECT_EQ(places[find(graph, "bv")], (Placement{out, 8}));
  EXPECT_EQ(places[find(graph, "in")], (Placement{out, 4}));
  EXPECT_EQ(places[find(graph, "outv")], (Placement{out, 0}));
}

TEST(ReplaceUses, FollowsChainsAndReachesListsAndOutputs) {
  Graph graph = graph_of(R"(
    input %x : i8[4]
    input %y : i8[4]
    input %z : i8[4]
    %c : i8[8] = aten::cat.out([%x, %y], 0)
    output %c
    output %x
  )");
  replace_uses(graph, {1, 2, -1, -1});
  EXPECT_EQ(print(graph), R"(graph g {
  input %x : i8[4]
  input %y : i8[4]
  input %z : i8[4]
  %c : i8[8] = aten::cat.out([%z, %z], 0)
  output %c
  output %z
}
)");
}

TEST(RemoveUnused, DropsWhatNobodyReadsAndKeepsInputsAndEffects) {
  Graph graph = graph_of(R"(
    input %x : i8[4]
    input %state : i8[4]
    input %idle : i8[4]
    const %one : i8[4] = splat 1
    const %two : i8[4] = splat 2
    %a : i8[4] = cortex_m::minimum.out(%x, %one)
    %dead : i8[4] = cortex_m::minimum.out(%x, %two)
    %deader : i8[2,2] = view(%dead)
    %b : i8[4] = cortex_m::maximum.out(%x, %one)
    aten::copy_(%state, %b, false)
    output %a
  )");
  remove_unused(graph);
  EXPECT_EQ(print(graph), R"(graph g {
  input %x : i8[4]
  input %state : i8[4]
  input %idle : i8[4]
  const %one : i8[4] = splat 1
  %a : i8[4] = cortex_m::minimum.out(%x, %one)
  %b : i8[4] = cortex_m::maximum.out(%x, %one)
  aten::copy_(%state, %b, false)
  output %a
}
)");
  EXPECT_FALSE(verify(graph));
}

}  // namespace
}  // namespace berth::ir
