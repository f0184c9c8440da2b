// Text cases of a pass: testdata/NAME.bir holds graphs in pairs, `x` and what the pass makes of it,
// `x.after`. A graph without a partner must stay as it is. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/passes.h"

namespace berth::passes {

inline std::string error_text(const Error& error) { return error.place + ": " + error.message; }

inline ir::Module read_module(const std::string& text) {
  Result<ir::Module> module = ir::parse(text);
  if (!module.ok()) {
    ADD_FAILURE() << error_text(module.error());
    return {};
  }
  if (const MaybeError wrong = ir::verify(module.value())) ADD_FAILURE() << error_text(*wrong);
  return module.take();
}

// One graph, written without the lines around it.
inline ir::Graph read_graph(const std::string& body) {
  ir::Module module = read_module("berth.ir 1\ngraph g {\n" + body + "\n}\n");
  return module.graphs.empty() ? ir::Graph{} : module.graphs[0];
}

// Runs the pass and expects a graph that verifies; answers whether it changed something.
inline bool run_pass(Result<bool> (*pass)(ir::Graph&, const PassContext&), ir::Graph& graph,
                     const PassContext& context = {}) {
  const Result<bool> changed = pass(graph, context);
  EXPECT_TRUE(changed.ok()) << error_text(changed.error());
  const MaybeError wrong = ir::verify(graph);
  EXPECT_FALSE(wrong) << error_text(*wrong) << "\n" << ir::print(graph);
  return changed.ok() && changed.value();
}

inline std::string renumbered_text(ir::Graph graph) {
  ir::renumber(graph);
  return ir::print(graph);
}

inline void run_pass_cases(const std::string& name,
                           Result<bool> (*pass)(ir::Graph&, const PassContext&),
                           const PassContext& context = {}) {
  const std::string path =
      std::string(BERTH_SOURCE_DIR) + "/compiler/passes/testdata/" + name + ".bir";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing";
  std::stringstream text;
  text << file.rdbuf();
  const ir::Module module = read_module(text.str());
  std::map<std::string, const ir::Graph*> by_name;
  for (const ir::Graph& graph : module.graphs) by_name[graph.name] = &graph;
  int cases = 0;
  for (const ir::Graph& before : module.graphs) {
    if (before.name.size() > 6 && before.name.substr(before.name.size() - 6) == ".after") continue;
    SCOPED_TRACE(path + ", graph " + before.name);
    ++cases;
    const auto partner = by_name.find(before.name + ".after");
    const bool must_change = partner != by_name.end();
    ir::Graph graph = before;
    EXPECT_EQ(run_pass(pass, graph, context), must_change);
    ir::Graph want = must_change ? *partner->second : before;
    want.name = graph.name;
    EXPECT_EQ(renumbered_text(graph), renumbered_text(want));
    EXPECT_FALSE(run_pass(pass, graph, context)) << "a second run finds something to do";
  }
  EXPECT_GT(cases, 0);
}

}  // namespace berth::passes
