#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(SumWeights, TextCases) { run_pass_cases("sum_weights", sum_weights, {.isa = Isa::kMve}); }

TEST(SumWeights, OtherInstructionSetsAddTheOffsetWhileTheyWiden) {
  ir::Graph graph = read_graph(R"(
  input %x : i8[1,4]
  const %w : i8[2,4] = random seed 1
  %y : i8[1,2] = cortex_m::quantized_linear.out(%x, %w, none, none, 10, 0, 0, [1073741824], [-3], 100, -100)
  output %y
)");
  for (const Isa isa : {Isa::kHost, Isa::kScalar, Isa::kDsp}) {
    EXPECT_FALSE(run_pass(sum_weights, graph, {.isa = isa}));
  }
  EXPECT_TRUE(run_pass(sum_weights, graph, {.isa = Isa::kMve}));
  EXPECT_FALSE(run_pass(sum_weights, graph, {.isa = Isa::kMve})) << "a second time";
}

TEST(SumWeights, SaysWhatItMade) {
  ir::Graph graph = read_graph(R"(
  input %x : i8[1,4]
  const %w : i8[2,4] = random seed 1
  %y : i8[1,2] = cortex_m::quantized_linear.out(%x, %w, none, none, 10, 0, 0, [1073741824], [-3], 100, -100)
  %z : i8[1,2] = cortex_m::quantized_linear.out(%x, %w, none, none, 0, 0, 0, [1073741824], [-3], 100, -100)
  output %y
  output %z
)");
  std::vector<KernelSumsReport> reports;
  PassContext context{.isa = Isa::kMve};
  context.kernel_sums = &reports;
  EXPECT_TRUE(run_pass(sum_weights, graph, context));
  EXPECT_FALSE(run_pass(sum_weights, graph, context));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].graph, graph.name);
  EXPECT_EQ(reports[0].operators, 1u) << "without an offset there is nothing to sum";
  EXPECT_EQ(reports[0].bytes, 8u);
}

}  // namespace
}  // namespace berth::passes
