#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(SimplifyViews, TextCases) { run_pass_cases("simplify_views", simplify_views); }

// Each view that goes is a tensor record less in the runtime.
TEST(SimplifyViews, ARowOfViewsBecomesOne) {
  std::string body = "input %x0 : i8[8]\n";
  for (int i = 0; i < 100; ++i) {
    body += "%x" + std::to_string(i + 1) + (i % 2 == 0 ? " : i8[2,4]" : " : i8[4,2]") +
            " = view(%x" + std::to_string(i) + ")\n";
  }
  ir::Graph graph = read_graph(body + "output %x100\n");
  EXPECT_EQ(graph.nodes.size(), 100u);
  EXPECT_TRUE(run_pass(simplify_views, graph));
  EXPECT_EQ(graph.nodes.size(), 1u);
}

}  // namespace
}  // namespace berth::passes
