#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(FoldPad, TextCases) { run_pass_cases("fold_pad", fold_pad); }

// A layer of mobilenet_v2: the padded copy is 114 x 114 x 96 beside the image itself.
TEST(FoldPad, SavesThePaddedCopy) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,112,112,96]
    const %w : i8[1,3,3,96] = random seed 1
    const %m : i32[96] = splat 1073741824
    const %s : i32[96] = splat -6
    %p : i8[1,114,114,96] = cortex_m::pad.out(%x, [0, 1, 1, 0], [0, 1, 1, 0], -128)
    %pi : i8[1,96,114,114]{0,2,3,1} = view(%p)
    %y : i8[1,96,56,56]{0,2,3,1} = cortex_m::quantized_depthwise_conv2d.out(%pi, %w, none, [2, 2], [0, 0], [1, 1], 1,
        128, 0, %m, %s, -128, 127, none)
    output %y
  )");
  EXPECT_EQ(peak_live_bytes(graph), 112u * 112 * 96 + 114 * 114 * 96);
  EXPECT_TRUE(run_pass(fold_pad, graph));
  EXPECT_EQ(peak_live_bytes(graph), 112u * 112 * 96 + 56 * 56 * 96);
}

TEST(FoldPad, ViewsNestedWithoutEndAreLeftAlone) {
  std::string body = R"(
    input %x : i8[1,1,4,4]{0,2,3,1}
    %v0 : i8[1,1,6,6]{0,2,3,1} = cortex_m::pad.out(%x, [0, 1, 1, 0], [0, 1, 1, 0], 0)
  )";
  for (int i = 0; i < 100000; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    body += "%v" + next + (i % 2 == 0 ? " : i8[36]" : " : i8[1,1,6,6]") + " = view(%v" + n + ")\n";
  }
  ir::Graph graph = read_graph(body + "output %x\n");
  EXPECT_FALSE(run_pass(fold_pad, graph));
}

}  // namespace
}  // namespace berth::passes
