// Importers write a view wherever the model reshapes or changes its idea of the layout; rows of
// them are common (NHWC -> NCHW -> flat). A view costs no instruction but a tensor record in the
// runtime, and it hides the producer from passes that look for patterns.
//
//   x -> view -> view -> y      becomes    x -> view -> y
//   x -> view of x's own spec   becomes    x
//   join of one part            becomes    a view (or the part itself)
#include "compiler/passes/passes.h"

namespace berth::passes {

Result<bool> simplify_views(ir::Graph& graph, const PassContext&) {
  std::vector<ir::ValueId> by(graph.values.size(), -1);  // values that stand for another
  std::vector<ir::ValueId> base(graph.values.size(), -1);
  const auto replaced = [&](ir::ValueId id) {
    while (by[id] >= 0) id = by[id];
    return id;
  };
  bool changed = false;
  for (ir::Node& node : graph.nodes) {
    if (node.kind == ir::NodeKind::kJoin && node.args.size() == 1) {
      node.kind = ir::NodeKind::kView;
      changed = true;
    }
    if (node.kind != ir::NodeKind::kView) continue;
    ir::Ref& from = std::get<ir::Ref>(node.args[0]);
    const ir::ValueId to = node.results[0];
    ir::ValueId source = replaced(from.id);
    if (base[source] >= 0) source = base[source];
    changed = changed || source != from.id;
    from.id = source;
    if (graph.value(source).spec == graph.value(to).spec) {
      by[to] = source;
    } else {
      base[to] = source;
    }
  }
  ir::replace_uses(graph, by);
  const size_t before = graph.nodes.size();
  ir::remove_unused(graph);
  return changed || graph.nodes.size() != before;
}

}  // namespace berth::passes
