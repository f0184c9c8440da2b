#include <fstream>
#include <set>

#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

// Something for every pass: a weight to transpose, a padded convolution with a clamp behind it, the
// same shifts twice, a branch nobody reads, an elementwise operator whose input dies, a
// concatenation, and branches in a bad order.
constexpr char kExample[] = R"(berth.ir 1
graph example {
  input %x : i8[1,8,8,2]
  const %wt : i8[2,3,3,2] = random seed 1
  const %m : i32[2] = splat 1073741824
  const %s1 : i32[2] = splat -6
  const %s2 : i32[2] = splat -6
  const %table : i8[256] = random seed 2
  const %lut2 : i8[16,16] = random seed 3
  %w : i8[2,3,3,2] = cortex_m::transpose.out(%wt, [0, 2, 1, 3])
  %p : i8[1,10,10,2] = cortex_m::pad.out(%x, [0, 1, 1, 0], [0, 1, 1, 0], 0)
  %pi : i8[1,2,10,10]{0,2,3,1} = view(%p)
  %c : i8[1,2,8,8]{0,2,3,1} = cortex_m::quantized_conv2d.out(%pi, %w, none, [1, 1], [0, 0], [1, 1], 0, 0, %m, %s1, -128, 127, none)
  %r : i8[1,2,8,8]{0,2,3,1} = aten::clamp.out(%c, 0, 60)
  %d : i8[1,2,8,8]{0,2,3,1} = cortex_m::quantized_conv2d.out(%r, %w, none, [1, 1], [1, 1], [1, 1], 0, 0, %m, %s2, -128, 127, none)
  %dead : i8[1,2,8,8]{0,2,3,1} = cortex_m::quantized_activation.out(%c, %table)
  %t : i8[1,2,8,8]{0,2,3,1} = cortex_m::quantized_activation.out(%d, %table)
  %rp : i8[1,8,8,2] = view(%r)
  %tp : i8[1,8,8,2] = view(%t)
  %j : i8[1,16,8,2] = aten::cat.out([%rp, %tp], 1)
  %flat : i8[1,16,16] = view(%j)
  %flat2 : i8[16,16] = view(%flat)
  %y : i8[16,16] = cortex_m::minimum.out(%flat2, %lut2)
  output %y
}
graph dead_reader {
  input %x : i8[1,100]
  %c : i8[1,100] = cortex_m::quantized_mul.out(%x, 0, %x, 0, 0, 1073741824, -6)
  %y : i8[1,100] = aten::clamp.out(%c, 0, 60)
  %dead : i8[1,100] = aten::clamp.out(%c, -60, 0)
  output %y
}
graph towers {
  input %x : f32[1,32]
  %a : f32[4,32] = aten::cat.out([%x, %x, %x, %x], 0)
  %b : f32[4,32] = aten::cat.out([%x, %x, %x, %x], 0)
  %a1 : f32[4] = aten::amax.out(%a, [1], false)
  %b1 : f32[4] = aten::amax.out(%b, [1], false)
  %y : f32[4] = aten::mul.out(%a1, %b1)
  output %y
}
)";

struct Cost {
  uint64_t peak = 0;
  size_t instructions = 0;
  size_t values = 0;
};

Cost cost_without(const std::string& skipped) {
  ir::Module module = read_module(kExample);
  RunOptions options;
  if (!skipped.empty()) options.skip = {skipped};
  const MaybeError error = run_passes(module, {}, options);
  EXPECT_FALSE(error) << error_text(*error);
  Cost cost;
  for (const ir::Graph& graph : module.graphs) {
    cost.peak += peak_live_bytes(graph);
    for (const ir::Node& node : graph.nodes) {
      cost.instructions += node.kind == ir::NodeKind::kOperator ? 1 : 0;
    }
    cost.values += graph.values.size();
  }
  return cost;
}

TEST(PassList, LeavingOutAnyPassCostsSomethingAndSavesNothing) {
  const Cost all = cost_without("");
  for (const Pass& pass : all_passes()) {
    const std::string name = pass.name;
    if (name == "insert_scratch") continue;  // its allocs are the price of scratch
    if (name == "sum_weights") continue;     // it saves time, and only for MVE
    SCOPED_TRACE(pass.name);
    const Cost without = cost_without(pass.name);
    EXPECT_GE(without.peak, all.peak);
    EXPECT_GE(without.instructions, all.instructions);
    EXPECT_GE(without.values, all.values);
    EXPECT_TRUE(without.peak > all.peak || without.instructions > all.instructions ||
                without.values > all.values);
  }
}

TEST(PassList, EveryScratchSlotIsFilledAtTheEnd) {
  ir::Module module = read_module(kExample);
  ASSERT_FALSE(run_passes(module, {}));
  EXPECT_FALSE(ir::verify(module, {.scratch_required = true}));
  ir::Module without = read_module(kExample);
  ASSERT_FALSE(run_passes(without, {}, {.skip = {"insert_scratch"}}));
  EXPECT_TRUE(ir::verify(without, {.scratch_required = true}));
}

TEST(PassList, TwoRunsGiveTheSameText) {
  ir::Module a = read_module(kExample), b = read_module(kExample);
  ASSERT_FALSE(run_passes(a, {}));
  ASSERT_FALSE(run_passes(b, {}));
  EXPECT_EQ(ir::print(a), ir::print(b));
}

TEST(PassList, APassHasAFileATestAndCasesOfItsName) {
  std::set<std::string> names;
  for (const Pass& pass : all_passes()) {
    EXPECT_TRUE(names.insert(pass.name).second) << pass.name << " twice";
    EXPECT_GT(std::string(pass.why).size(), 20u) << pass.name;
    const std::string folder = std::string(BERTH_SOURCE_DIR) + "/compiler/passes/";
    for (const std::string& file : {folder + pass.name + ".cc", folder + pass.name + "_test.cc",
                                    folder + "testdata/" + pass.name + ".bir"}) {
      EXPECT_TRUE(std::ifstream(file)) << file << " is missing";
    }
  }
}

TEST(PassList, ReportsAndDumpsEveryPassThatRan) {
  ir::Module module = read_module(kExample);
  std::vector<PassReport> reports;
  std::vector<std::string> dumped;
  RunOptions options;
  options.skip = {"fold_pad", "mark_in_place"};
  options.reports = &reports;
  options.after = [&](const Pass& pass, const ir::Graph&) { dumped.push_back(pass.name); };
  ASSERT_FALSE(run_passes(module, {}, options));
  ASSERT_EQ(reports.size(), 3 * (all_passes().size() - 2));  // three graphs
  ASSERT_EQ(dumped.size(), reports.size());
  for (size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].name, dumped[i]);
    const char* graphs[] = {"example", "dead_reader", "towers"};
    EXPECT_EQ(reports[i].graph, graphs[i / (reports.size() / 3)]);
    EXPECT_NE(dumped[i], "fold_pad");
    EXPECT_NE(dumped[i], "mark_in_place");
  }
  EXPECT_TRUE(reports[0].changed);  // the dead branch of the example
  EXPECT_EQ(reports[0].nodes_before, reports[0].nodes_after + 1);
}

TEST(PassList, AnUnknownNameToSkipIsAnErrorWithTheNamesThereAre) {
  ir::Module module = read_module(kExample);
  const MaybeError error = run_passes(module, {}, {.skip = {"fold_pads"}});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->place, "pass fold_pads");
  EXPECT_NE(error->message.find("fuse_activation, fold_pad,"), std::string::npos);
}

TEST(PassList, AGraphThatDoesNotVerifyIsRefusedBeforeTheFirstPass) {
  ir::Module module = read_module(kExample);
  module.graphs[0].outputs[0] = 99999;
  const MaybeError error = run_passes(module, {});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->place, "graph example, output 0");
}

}  // namespace
}  // namespace berth::passes
