#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(CommonConstants, TextCases) { run_pass_cases("common_constants", common_constants); }

// Thirteen layers with the same shifts: one value instead of thirteen.
TEST(CommonConstants, SavesOneValuePerCopy) {
  std::string body = "input %x0 : i8[4]\n";
  for (int i = 0; i < 13; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    body += "const %c" + n + " : i8[4] = splat 7\n";
    body += "%x" + next + " : i8[4] = cortex_m::minimum.out(%x" + n + ", %c" + n + ")\n";
  }
  ir::Graph graph = read_graph(body + "output %x13\n");
  EXPECT_EQ(graph.values.size(), 27u);
  EXPECT_TRUE(run_pass(common_constants, graph));
  EXPECT_EQ(graph.values.size(), 15u);
}

}  // namespace
}  // namespace berth::passes
