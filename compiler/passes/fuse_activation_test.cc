#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(FuseActivation, TextCases) { run_pass_cases("fuse_activation", fuse_activation); }

std::string table_text(int8_t (*f)(int)) {
  std::string text = "[";
  for (int i = -128; i < 128; ++i) text += (i == -128 ? "" : ", ") + std::to_string(f(i));
  return text + "]";
}

int8_t relu_from_3(int i) { return static_cast<int8_t>(i < 3 ? 3 : i); }
int8_t half(int i) { return static_cast<int8_t>(i / 2); }

TEST(FuseActivation, ATableThatOnlyClampsGoesIntoTheProducer) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,4]
    const %t : i8[256] = )" + table_text(relu_from_3) +
                               R"(
    %s : i8[1,4] = cortex_m::quantized_add.out(%x, 0, 1, 0, %x, 0, 1, 0, 0, 1, 0, -128, 127)
    %y : i8[1,4] = cortex_m::quantized_activation.out(%s, %t)
    output %y
  )");
  EXPECT_TRUE(run_pass(fuse_activation, graph));
  EXPECT_EQ(ir::print(graph), R"(graph g {
  input %x : i8[1,4]
  %s : i8[1,4] = cortex_m::quantized_add.out(%x, 0, 1, 0, %x, 0, 1, 0, 0, 1, 0, 3, 127)
  output %s
}
)");
}

TEST(FuseActivation, TablesAndClampsInARowBecomeOneTable) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,4]
    const %t : i8[256] = )" + table_text(half) +
                               R"(
    %a : i8[1,4] = cortex_m::quantized_activation.out(%x, %t)
    %b : i8[1,4] = cortex_m::quantized_activation.out(%a, %t)
    %c : i8[1,4] = aten::clamp.out(%b, 0, 20)
    output %c
  )");
  const uint64_t before = peak_live_bytes(graph);
  EXPECT_TRUE(run_pass(fuse_activation, graph));
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.nodes[0].op, "cortex_m::quantized_activation");
  const ir::Bytes& table = *graph.value(std::get<ir::Ref>(graph.nodes[0].args[1]).id).data;
  for (int i = -128; i < 128; ++i) {
    const int want = std::min(std::max(i / 2 / 2, 0), 20);
    ASSERT_EQ(static_cast<int>(table[i + 128]), want) << i;
  }
  EXPECT_EQ(peak_live_bytes(graph), before);  // 2 x 16 either way; the work is a third
}

// The clamp's result is a second buffer of the same size beside the producer's.
TEST(FuseActivation, SavesTheActivationsBuffer) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[1,16,8,8]{0,2,3,1}
    const %w : i8[64,1,1,16] = random seed 1
    const %m : i32[64] = splat 1073741824
    const %s : i32[64] = splat -3
    %c : i8[1,64,8,8]{0,2,3,1} = cortex_m::quantized_conv2d.out(%x, %w, none, [1, 1], [0, 0], [1, 1], 0, 0, %m, %s,
        -128, 127, none)
    %y : i8[1,64,8,8]{0,2,3,1} = aten::clamp.out(%c, 0, 60)
    output %y
  )");
  EXPECT_EQ(peak_live_bytes(graph), 8192u);
  EXPECT_TRUE(run_pass(fuse_activation, graph));
  EXPECT_EQ(peak_live_bytes(graph), 5120u);
}

}  // namespace
}  // namespace berth::passes
