// Passes leave behind what they made useless; here it goes, once, so that each of them need not.
// Values are counted because a constant that nobody reads would still stand in the file.
#include "compiler/passes/passes.h"

namespace berth::passes {

Result<bool> remove_unused(ir::Graph& graph, const PassContext&) {
  const size_t before = graph.nodes.size() + graph.values.size();
  ir::remove_unused(graph);
  return graph.nodes.size() + graph.values.size() != before;
}

}  // namespace berth::passes
