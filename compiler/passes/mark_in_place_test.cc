#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(MarkInPlace, TextCases) { run_pass_cases("mark_in_place", mark_in_place); }

TEST(MarkInPlace, SavesTheResultOfEveryElementwiseOperatorInARow) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,1000]
    const %t : i8[256] = random seed 1
    %a : i8[1,1000] = cortex_m::quantized_activation.out(%x, %t)
    %b : i8[1,1000] = cortex_m::quantized_mul.out(%a, 0, %a, 0, 0, 1, 0)
    %c : i8[1,1000] = cortex_m::quantized_activation.out(%b, %t)
    output %c
  )");
  EXPECT_EQ(peak_live_bytes(graph), 2u * 1008);
  EXPECT_TRUE(run_pass(mark_in_place, graph));
  EXPECT_EQ(peak_live_bytes(graph), 1u * 1008);
}

TEST(MarkInPlace, TheCallersMemoryIsNotOurs) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,4]
    %a : i8[1,4] = aten::clamp.out(%x, 0, none)
    %b : i8[1,4] = aten::clamp.out(%a, none, 9)
    %c : i8[1,4] = aten::clamp.out(%b, 1, 8)
    output %c
  )");
  EXPECT_TRUE(run_pass(mark_in_place, graph, {.io_in_pools = false}));
  EXPECT_TRUE(graph.nodes[0].in_place.empty());
  EXPECT_EQ(graph.nodes[1].in_place, (std::vector<ir::InPlace>{{0, 0}}));
  EXPECT_TRUE(graph.nodes[2].in_place.empty());
}

TEST(MarkInPlace, AnOptionThatBecameWrongIsTakenBack) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,4]
    %a : i8[1,4] = aten::clamp.out(%x, 0, none) in_place(0 <- 0)
    output %a
    output %x
  )");
  EXPECT_TRUE(run_pass(mark_in_place, graph));
  EXPECT_TRUE(graph.nodes[0].in_place.empty());
}

}  // namespace
}  // namespace berth::passes
