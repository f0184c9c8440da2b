#include "tests/reference_chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/reference/compile/reference_backend.h"
#include "backends/reference/runtime/reference_runtime.h"
#include "compiler/ir/archive.h"

namespace berth::testing {

std::string chain_graph(const std::string& name) {
  return "graph " + name +
         " {\n"
         "  input %x : f32[4,8]\n"
         "  const %w : f32[8,8] = random seed 3\n"
         "  const %b : f32[8] = [1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 0.25, 4.0]\n"
         "  %a : f32[4,8] = aten::mm.out(%x, %w)\n"
         "  %c : f32[4,8] = aten::addmm.out(%b, %a, %w, 1, 1)\n"
         "  %y : f32[4,8] = aten::mm.out(%c, %w)\n"
         "  output %y\n"
         "}\n";
}
delegate::CompileSpecs specs(const std::vector<std::pair<std::string, std::string>>& list) {
  delegate::CompileSpecs out;
  for (const auto& [key, value] : list) out.push_back({key, model_bytes(value)});
  return out;
}

Compiled compile_model(const std::vector<std::byte>& model, const delegate::CompileSpecs* with,
                       const target::Board& board) {
  CompileOptions options;
  options.board = board;
  if (with != nullptr) options.backends = {{&reference::compile_backend(), *with}};
  Diagnostics notes;
  Result<Compiled> compiled = compile(model, options, &notes);
  EXPECT_TRUE(compiled.ok()) << compiled.error().place << ": " << compiled.error().message;
  return compiled.ok() ? compiled.take() : Compiled();
}

Compiled compile_text(const std::string& graphs, const delegate::CompileSpecs* with,
                      const target::Board& board) {
  return compile_model(model_bytes("berth.ir 1\n" + graphs), with, board);
}

ir::Module repeated(int calls, const delegate::CompileSpecs& with) {
  ir::Module module = compile_text(chain_graph("forward"), &with).module;
  ir::Graph& graph = module.graphs[0];
  for (ir::Node& node : graph.nodes) {
    if (node.kind == ir::NodeKind::kDelegate) node.args.resize(1);  // scratch comes anew
  }
  ir::remove_unused(graph);
  for (int i = 1; i < calls; ++i) {
    ir::Node next = graph.nodes.back();
    const ir::ValueId before = next.results[0];
    next.args = {ir::Ref{before}};
    next.results = {graph.add_value(graph.value(before))};
    graph.outputs = {next.results[0]};
    graph.nodes.push_back(next);
  }
  return module;
}

Compiled compile_module(const ir::Module& module, const target::Board& board) {
  return compile_model(ir::write_archive(module).take(), nullptr, board);
}

std::vector<float> expected(int times) {
  std::vector<float> values = noise(kCount);
  const Compiled plain = compile_text(chain_graph("forward"), nullptr);
  DelegateRun run(plain.file, reference::runtime_backend());
  EXPECT_EQ(Status::kOk, run.load("forward"));
  for (int i = 0; i < times; ++i) values = run.run(values);
  return values;
}

void expect_near(const std::vector<float>& want, const std::vector<float>& got) {
  ASSERT_EQ(want.size(), got.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(want[i], got[i], 1e-4f * std::max(1.0f, std::abs(want[i]))) << "element " << i;
}

target::Board two_pools() {
  target::Board board = target::host_board();
  board.pools.resize(2);
  board.pools[0].name = "sram";
  board.pools[1].name = "dtcm";
  board.pools[1].mem_id = 3;
  for (target::Pool& pool : board.pools) pool.alignment = 64;
  return board;
}

}  // namespace berth::testing
