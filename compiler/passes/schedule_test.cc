#include "compiler/passes/schedule.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "compiler/passes/graph_runner.h"
#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(Schedule, TextCases) { run_pass_cases("schedule", schedule); }

constexpr char kTowers[] = R"(
  input %x : f32[1,32]
  %a : f32[4,32] = aten::cat.out([%x, %x, %x, %x], 0)
  %b : f32[4,32] = aten::cat.out([%x, %x, %x, %x], 0)
  %a1 : f32[4] = aten::amax.out(%a, [1], false)
  %b1 : f32[4] = aten::amax.out(%b, [1], false)
  %y : f32[4] = aten::mul.out(%a1, %b1)
  output %y
)";

TEST(Schedule, TellsWhatItBought) {
  ir::Graph graph = read_graph(kTowers);
  std::vector<ScheduleReport> reports;
  PassContext context;
  context.schedules = &reports;
  EXPECT_TRUE(run_pass(schedule, graph, context));
  EXPECT_FALSE(run_pass(schedule, graph, context));
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].graph, "g");
  EXPECT_EQ(reports[0].peak_before, 128u + 512 + 512);
  EXPECT_EQ(reports[0].peak_after, 128u + 16 + 512);
  EXPECT_TRUE(reports[0].is_optimal());
  EXPECT_EQ(reports[1].peak_before, reports[0].peak_after);
  EXPECT_EQ(peak_live_bytes(graph), reports[0].peak_after);
}

TEST(Schedule, TheCallersMemoryDoesNotCount) {
  ir::Graph graph = read_graph(kTowers);
  std::vector<ScheduleReport> reports;
  PassContext context;
  context.io_in_pools = false;
  context.schedules = &reports;
  EXPECT_TRUE(run_pass(schedule, graph, context));
  EXPECT_EQ(reports[0].peak_before, 512u + 512 + 16);
  EXPECT_EQ(reports[0].peak_after, 16u + 512 + 16);
}

TEST(Schedule, ScratchOfAnotherPoolIsNotInTheWay) {
  const std::string body = R"(
    input %x : i8[1,4,4,4]{0,2,3,1}
    const %w : i8[4,1,1,4] = random seed 1
    const %m : i32[4] = splat 1073741824
    const %sh : i32[4] = splat -8
    %s : u8[160] = alloc(align=32, role=op_scratch, name="scratch", pool="fast")
    %y : i8[1,4,4,4]{0,2,3,1} = cortex_m::quantized_conv2d.out(%x, %w, none, [1, 1], [0, 0], [1, 1],
        0, 0, %m, %sh, -128, 127, %s)
    output %y
  )";
  for (const bool is_default : {false, true}) {
    ir::Graph graph = read_graph(body);
    std::vector<ScheduleReport> reports;
    PassContext context;
    context.default_pool = is_default ? "fast" : "main";
    context.schedules = &reports;
    EXPECT_FALSE(run_pass(schedule, graph, context));
    EXPECT_EQ(reports[0].peak_after, is_default ? 64u + 64 + 160 : 64u + 64);
  }
}

TEST(Schedule, AnInputThatNobodyReadsIsThereAtTheFirstNode) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[16]
    input %unused : i8[160]
    %a : i8[16] = aten::clamp.out(%x, 0, none)
    %b : i8[64] = aten::cat.out([%a, %a, %a, %a], 0)
    output %b
  )");
  std::vector<ScheduleReport> reports;
  PassContext context;
  context.schedules = &reports;
  EXPECT_FALSE(run_pass(schedule, graph, context));
  EXPECT_EQ(reports[0].peak_before, 160u + 16);  // %a over %x
}

TEST(Schedule, BytesThatNobodyCanCountLeaveTheOrderAlone) {
  ir::Graph graph = read_graph(R"(
    input %x : i8[2147483647,2147483647]
    input %y : i8[2147483647,2147483647]
    %a : i8[2147483647,2147483647] = aten::clamp.out(%x, 0, none)
    %b : i8[2147483647,2147483647] = aten::clamp.out(%y, 0, none)
    output %b
    output %a
  )");
  EXPECT_FALSE(order_of_graph(graph, {}).ok());
  EXPECT_FALSE(run_pass(schedule, graph));
}

// Two calls whose modules widen and shrink, as the towers above.
constexpr char kCalls[] = R"(berth.ir 1
lowered @wide {
  backend "npu"
  input f32[1,32]
  output f32[4,32]
  SCRATCH
  processed = hex "00"
}
lowered @narrow {
  backend "npu"
  input f32[4,32]
  output f32[4]
  scratch "work" : 1024 align=16
  INSIDE
  processed = hex "01"
}
graph g {
  input %x : f32[1,32]
  %a : f32[4,32] = delegate @wide(%x)
  %b : f32[4,32] = delegate @wide(%x)
  %a1 : f32[4] = delegate @narrow(%a)
  %b1 : f32[4] = delegate @narrow(%b)
  %y : f32[4] = aten::mul.out(%a1, %b1)
  output %y
}
)";

struct Calls {
  std::vector<std::string> order;  // names of results
  ScheduleReport report;
};

Calls schedule_calls(const std::string& scratch, const std::string& inside) {
  std::string text = kCalls;
  text.replace(text.find("SCRATCH"), 7, scratch);
  text.replace(text.find("INSIDE"), 6, inside);
  ir::Module module = read_module(text);
  PassContext context;
  std::vector<ScheduleReport> reports;
  context.schedules = &reports;
  const MaybeError error = run_passes(module, context);
  EXPECT_FALSE(error) << error_text(*error);
  EXPECT_FALSE(ir::verify(module, {.scratch_required = true}));
  Calls calls;
  for (const ir::Node& node : module.graphs.at(0).nodes) {
    if (node.kind == ir::NodeKind::kAlloc) continue;
    calls.order.push_back(module.graphs[0].value(node.results[0]).name);
  }
  calls.report = reports.at(0);
  return calls;
}

using Names = std::vector<std::string>;
const Names kTowersInTurn = {"a", "a1", "b", "b1", "y"};

TEST(Schedule, DelegateCallsAreNodesLikeOthers) {
  const Calls calls = schedule_calls("", "");
  EXPECT_EQ(calls.order, kTowersInTurn);
  EXPECT_EQ(calls.report.peak_before, 512u + 512 + 1024 + 16);
  EXPECT_EQ(calls.report.peak_after, 128u + 512 + 1024 + 16);
}

// %a waits for %b2, so that %b had better come first.
Names order_of_steps(const std::string& memory) {
  std::string text = R"(berth.ir 1
lowered @step {
  backend "npu"
  input f32[1,32]
  output f32[4,32]
  MEMORY
  processed = hex "00"
}
graph g {
  input %x : f32[1,32]
  %a : f32[4,32] = delegate @step(%x)
  %b : f32[4,32] = delegate @step(%x)
  %b2 : f32[4,1] = aten::amax.out(%b, [1], true)
  %y : f32[4,32] = aten::mul.out(%a, %b2)
  output %y
}
)";
  text.replace(text.find("MEMORY"), 6, memory);
  ir::Module module = read_module(text);
  EXPECT_FALSE(run_passes(module, {}));
  Names order;
  for (const ir::Node& node : module.graphs.at(0).nodes)
    order.push_back(module.graphs[0].value(node.results[0]).name);
  return order;
}

TEST(Schedule, CallsOfADelegateThatRemembersKeepTheirOrder) {
  EXPECT_EQ(order_of_steps(""), (Names{"b", "b2", "a", "y"}));
  EXPECT_EQ(order_of_steps("share_handle"), (Names{"a", "b", "b2", "y"}));
  EXPECT_EQ(order_of_steps("persistent \"state\" : 64 align=16"), (Names{"a", "b", "b2", "y"}));
}

TEST(Schedule, WhatLiesInsideScratchIsAsLargeAsThat) {
  const Calls calls = schedule_calls("", "inside 0 -> 0 + 512");
  EXPECT_EQ(calls.order, kTowersInTurn);
  EXPECT_EQ(calls.report.peak_before, 1024u + 1024 + 128);
  EXPECT_EQ(calls.report.peak_after, 128u + 1024 + 16);
}

ir::Module read_branches(const std::string& name) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/compiler/passes/testdata/branches/" + name +
                     ".bir");
  EXPECT_TRUE(file) << name;
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return read_module(text);
}

// Dynamic programming over all sets of tasks that can have run, without a trick: bit t is task t.
// What is live while a task runs is counted from what the words say, not from what a walk keeps.
uint64_t peak_by_all_sets(const OrderProblem& problem) {
  const auto count = static_cast<int32_t>(problem.tasks.size());
  const auto has = [](uint64_t set, int32_t task) { return (set >> task & 1) != 0; };
  const auto any = [&](const OrderBuffer& buffer, uint64_t set) {
    return std::any_of(buffer.users.begin(), buffer.users.end(),
                       [&](int32_t t) { return has(set, t); });
  };
  const auto all = [&](const OrderBuffer& buffer, uint64_t set) {
    return std::all_of(buffer.users.begin(), buffer.users.end(),
                       [&](int32_t t) { return has(set, t); });
  };
  const auto moment = [&](uint64_t set, int32_t task) {
    const uint64_t then = set | uint64_t{1} << task;
    uint64_t bytes = problem.always;
    if (set == 0) bytes += problem.at_first;
    for (const OrderBuffer& buffer : problem.buffers) {
      const bool has_begun = buffer.from_start || any(buffer, then);
      const bool is_over = !buffer.to_end && all(buffer, set);
      if (has_begun && !is_over) bytes += buffer.bytes;
    }
    uint64_t saved = 0;
    for (const OrderChoice& choice : problem.tasks[task].choices) {
      const OrderBuffer& input = problem.buffers[choice.input];
      const OrderBuffer& output = problem.buffers[choice.output];
      if (!input.to_end && all(input, then) && !output.from_start && !any(output, set))
        saved = std::max(saved, output.bytes);
    }
    return bytes - saved;
  };
  std::map<uint64_t, uint64_t> peaks = {{0, problem.always}};
  for (int32_t done = 0; done < count; ++done) {
    std::map<uint64_t, uint64_t> next;
    for (const auto& [set, peak] : peaks) {
      for (int32_t t = 0; t < count; ++t) {
        const std::vector<int32_t>& after = problem.tasks[t].after;
        if (has(set, t)) continue;
        bool is_ready = true;
        for (const int32_t before : after) is_ready = is_ready && has(set, before);
        if (!is_ready) continue;
        const uint64_t higher = std::max(peak, moment(set, t));
        const auto [it, is_new] = next.try_emplace(set | uint64_t{1} << t, higher);
        if (!is_new) it->second = std::min(it->second, higher);
      }
    }
    peaks = std::move(next);
  }
  return peaks.begin()->second;
}

struct Branches {
  const char* name;
  uint64_t given;
  uint64_t optimum;
};

class ScheduleBranches : public testing::TestWithParam<Branches> {};

TEST_P(ScheduleBranches, ReachTheOptimumAndAnswerAsBefore) {
  const Branches& want = GetParam();
  ir::Module off = read_branches(want.name), on = read_branches(want.name);
  std::vector<ScheduleReport> reports;
  PassContext context;
  context.schedules = &reports;
  ASSERT_FALSE(run_passes(on, context));
  ASSERT_FALSE(run_passes(off, {}, {.skip = {"schedule"}}));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].peak_before, want.given);
  EXPECT_EQ(reports[0].peak_after, want.optimum);
  EXPECT_TRUE(reports[0].is_optimal()) << reports[0].lower_bound;
  // What the search counted is what others count.
  EXPECT_EQ(peak_live_bytes(off.graphs[0]), want.given);
  EXPECT_EQ(peak_live_bytes(on.graphs[0]), want.optimum);
  const std::vector<ir::Bytes> inputs = random_inputs(on.graphs[0], 3);
  const auto was = run_graph(off.graphs[0], inputs);
  ASSERT_TRUE(was.has_value());
  EXPECT_EQ(run_graph(on.graphs[0], inputs), was);
  if (want.name == std::string("nas_cells") || want.name == std::string("randwire")) return;
  const auto tasks = order_of_graph(off.graphs[0], context);
  ASSERT_TRUE(tasks.ok());
  EXPECT_EQ(peak_by_all_sets(tasks.value().problem), want.optimum);
  RecordProperty("states", std::to_string(reports[0].states));
}

INSTANTIATE_TEST_SUITE_P(
    All, ScheduleBranches,
    testing::Values(Branches{"towers", 18432, 13312}, Branches{"inception_int8", 40960, 25088},
                    Branches{"inception_f32", 163840, 100352}, Branches{"dense_f32", 62208, 52992},
                    Branches{"nas_cell", 18144, 7776}, Branches{"nas_cells", 21600, 8640},
                    Branches{"randwire", 15552, 9504}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace berth::passes
