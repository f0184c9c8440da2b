#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(InsertScratch, TextCases) {
  run_pass_cases("insert_scratch", insert_scratch, {.isa = Isa::kDsp});
}

constexpr char kConv[] = R"(
  input %x : i8[1,16,8,8]{0,2,3,1}
  const %w : i8[16,3,3,16] = random seed 1
  const %m : i32[16] = splat 1073741824
  const %s : i32[16] = splat -6
  %y : i8[1,16,8,8]{0,2,3,1} = cortex_m::quantized_conv2d.out(%x, %w, none, [1, 1], [1, 1], [1, 1], 0, 0, %m, %s,
      -128, 127, none)
  output %y
)";

// A convolution tells MVE apart, an average pool the DSP extension.
constexpr char kConvAndPool[] = R"(
  input %x : i8[1,8,8,8]{0,2,3,1}
  const %w : i8[8,3,3,8] = random seed 1
  const %m : i32[8] = splat 1073741824
  const %s : i32[8] = splat -6
  %c : i8[1,8,8,8]{0,2,3,1} = cortex_m::quantized_conv2d.out(%x, %w, none, [1, 1], [1, 1], [1, 1], 0, 0, %m, %s,
      -128, 127, none)
  %y : i8[1,8,4,4]{0,2,3,1} = cortex_m::quantized_avg_pool2d.out(%c, [2, 2], [2, 2], [0, 0], false, 0, 1073741824, 1,
      none)
  output %y
)";

TEST(InsertScratch, EveryInstructionSetHasItsOwnSizeAndARunForAnotherReplacesIt) {
  struct Row {
    Isa isa;
    int32_t conv, pool;
  };
  ir::Graph graph = read_graph(kConvAndPool);
  for (const Row& row : {Row{Isa::kHost, 0, 0}, Row{Isa::kScalar, 288, 0}, Row{Isa::kDsp, 288, 32},
                         Row{Isa::kMve, 320, 0}}) {
    (void)run_pass(insert_scratch, graph, {.isa = row.isa});
    ASSERT_EQ(graph.nodes.size(), 4u);
    const auto size = [&](size_t alloc) {
      return graph.value(graph.nodes[alloc].results[0]).spec.sizes[0];
    };
    EXPECT_EQ(size(0), row.conv) << isa_name(row.isa);
    EXPECT_EQ(size(2), row.pool) << isa_name(row.isa);
    EXPECT_FALSE(ir::verify(graph, {.scratch_required = true}));
  }
}

TEST(InsertScratch, CountsOnlyWhileItsOperatorRuns) {
  ir::Graph graph = read_graph(kConv);
  EXPECT_EQ(peak_live_bytes(graph), 2048u);
  EXPECT_TRUE(run_pass(insert_scratch, graph, {.isa = Isa::kDsp}));
  EXPECT_EQ(peak_live_bytes(graph), 2048u + 576);
}

TEST(InsertScratch, ParametersWithoutMeaningAreAnErrorThatNamesTheNode) {
  ir::Graph graph = read_graph(kConv);
  graph.nodes[0].args[3] = std::vector<int64_t>{0, 1};
  const Result<bool> changed = insert_scratch(graph, {.isa = Isa::kDsp});
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().place, "graph g, node 0 cortex_m::quantized_conv2d.out");
  EXPECT_NE(changed.error().message.find("its scratch has no size"), std::string::npos);
}

// Whoever adds an operator with scratch adds its rule here.
TEST(InsertScratch, EveryOperatorWithScratchHasARule) {
  for (const OperatorSchema* schema : ops::kAll) {
    if (std::string(schema->args).find('X') == std::string::npos) continue;
    ir::Graph graph;
    ir::Value value;
    value.name = "x";
    value.kind = ir::ValueKind::kInput;
    value.spec = {ScalarType::kChar, {1, 1, 1}, {0, 1, 2}};
    const ir::ValueId x = graph.add_value(value);
    graph.inputs = {x};
    value.kind = ir::ValueKind::kResult;
    ir::Node node;
    node.op = schema->name;
    node.overload = schema->overload;
    for (const char* letter = schema->args; *letter != '\0'; ++letter) {
      switch (*letter) {
        case 'T':
          node.args.emplace_back(ir::Ref{x});
          break;
        case 'i':
          node.args.emplace_back(int64_t{1});
          break;
        case 'b':
          node.args.emplace_back(false);
          break;
        case 'I':
          node.args.emplace_back(std::vector<int64_t>{1, 1});
          break;
        case 'O':
          node.results.push_back(graph.add_value(value));
          break;
        default:
          node.args.emplace_back(ir::None{});
      }
    }
    graph.nodes.push_back(node);
    graph.outputs = node.results;
    ASSERT_FALSE(ir::verify(graph)) << error_text(*ir::verify(graph));
    const Result<bool> changed = insert_scratch(graph, {.isa = Isa::kHost});
    if (!changed.ok()) {
      EXPECT_EQ(changed.error().message.find("no rule"), std::string::npos) << schema->name;
    }
  }
}

}  // namespace
}  // namespace berth::passes
