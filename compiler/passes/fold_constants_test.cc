#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(FoldConstants, TextCases) { run_pass_cases("fold_constants", fold_constants); }

TEST(FoldConstants, SavesInstructionsAndTheirWorkingMemory) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,256]
    const %a : i8[1024,256] = random seed 1
    %t : i8[256,1024] = cortex_m::transpose.out(%a, [1, 0])
    %y : i8[1,256] = cortex_m::quantized_linear.out(%x, %t, none, none, 0, 0, 0, [1073741824], [-9], 127, -128)
    output %y
  )");
  graph.value(graph.nodes[1].results[0]).spec.sizes = {1, 256};
  EXPECT_GT(peak_live_bytes(graph), 1024u * 256);
  EXPECT_TRUE(run_pass(fold_constants, graph));
  EXPECT_EQ(peak_live_bytes(graph), 512u);
  EXPECT_EQ(graph.nodes.size(), 1u);
}

TEST(FoldConstants, DoesNotTradeAFewBytesOfCodeForManyOfFlash) {
  const char* body = R"(
    input %x : i8[1,100000]
    const %a : i8[1,1] = [3]
    %p : i8[1,100000] = cortex_m::pad.out(%a, [0, 0, 0, 0], [0, 0, 0, 99999], 3)
    %y : i8[1,100000] = cortex_m::minimum.out(%x, %p)
    output %y
  )";
  ir::Graph graph = read_graph(body);
  EXPECT_FALSE(run_pass(fold_constants, graph));
  EXPECT_TRUE(run_pass(fold_constants, graph, {.fold_growth_limit = 99999}));
  EXPECT_EQ(graph.nodes.size(), 1u);
}

TEST(FoldConstants, DoesNotComputeForHours) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,20000]
    const %a : i8[20000,1000] = splat 1
    const %b : i8[1,1000] = splat 1
    const %c : i8[100,1000] = splat 1
    %y : i8[1,20000] = cortex_m::quantized_linear.out(%b, %a, none, none, 0, 0, 0, [1073741824], [-9], 127, -128)
    %z : i8[1,100] = cortex_m::quantized_linear.out(%b, %c, none, none, 0, 0, 0, [1073741824], [-9], 127, -128)
    %yy : i8[1,20000] = cortex_m::minimum.out(%x, %y)
    %zz : i8[1,100] = cortex_m::quantized_activation.out(%z, %z)
    output %yy
    output %zz
  )");
  EXPECT_TRUE(run_pass(fold_constants, graph));
  EXPECT_EQ(graph.nodes.size(), 3u);  // %z alone is small enough; the last takes no such table
  EXPECT_EQ(graph.nodes[0].op, "cortex_m::quantized_linear");
}

}  // namespace
}  // namespace berth::passes
