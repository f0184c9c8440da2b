#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(ConcatInPlace, TextCases) { run_pass_cases("concat_in_place", concat_in_place); }

constexpr char kTwoParts[] = R"(
  input %x : i8[1,1000]
  %a : i8[1,1000] = aten::clamp.out(%x, 0, none)
  %b : i8[1,1000] = aten::clamp.out(%x, none, 0)
  %c : i8[2,1000] = aten::cat.out([%a, %b], 0)
  %d : i8[2,1000] = cortex_m::transpose.out(%c, [0, 1])
  output %d
)";

TEST(ConcatInPlace, SavesTheCopyAndItsBytes) {
  ir::Graph graph = read_graph(kTwoParts);
  EXPECT_EQ(peak_live_bytes(graph), 4u * 1008 - 16);  // %a, %b and their copy (2000 bytes)
  EXPECT_TRUE(run_pass(concat_in_place, graph));
  EXPECT_EQ(peak_live_bytes(graph), 4000u);  // now the transpose is the fullest moment
}

TEST(ConcatInPlace, AnOutputThatTheCallerOwnsIsNoPlaceForParts) {
  const char* body = R"(
    input %x : i8[1,4]
    %a : i8[1,4] = aten::clamp.out(%x, 0, none)
    %b : i8[1,4] = aten::clamp.out(%x, none, 0)
    %c : i8[2,4] = aten::cat.out([%a, %b], 0)
    output %c
  )";
  ir::Graph graph = read_graph(body);
  EXPECT_FALSE(run_pass(concat_in_place, graph, {.io_in_pools = false}));
  EXPECT_TRUE(run_pass(concat_in_place, graph, {.io_in_pools = true}));
}

TEST(ConcatInPlace, SmallCoresWantWholeWords) {
  const char* body = R"(
    input %x : i8[1,3]
    %a : i8[1,3] = aten::clamp.out(%x, 0, none)
    %b : i8[1,3] = aten::clamp.out(%x, none, 0)
    %c : i8[2,3] = aten::cat.out([%a, %b], 0)
    output %c
  )";
  ir::Graph graph = read_graph(body);
  EXPECT_FALSE(run_pass(concat_in_place, graph, {.isa = Isa::kScalar}));
  EXPECT_TRUE(run_pass(concat_in_place, graph, {.isa = Isa::kHost}));
}

}  // namespace
}  // namespace berth::passes
