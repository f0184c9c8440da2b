// An elementwise operator may write its result over an input that nobody reads afterwards: element
// i is read before element i is written. The pass gives the planner the option; whether it pays is
// known only when the whole plan is.
//
//   a -> clamp -> y     y: in_place(0 <- 0), y may lie exactly where a lies
//
// The input must have the output's bytes, element for element (no broadcasting of it), be a whole
// buffer (no part of a join, which outlives it), and be dead: no later reader of its bytes under
// any name, not an output. Constants lie in flash; the caller's memory is not ours; state is kept.
#include "compiler/passes/in_place_candidates.h"
#include "compiler/passes/passes.h"

namespace berth::passes {

Result<bool> mark_in_place(ir::Graph& graph, const PassContext& context) {
  const InPlaceCandidates candidates(graph, context);
  const std::vector<ir::Placement>& places = candidates.places();
  const auto root_of = [&](ir::ValueId id) { return places[static_cast<size_t>(id)].root; };
  // Per root: the last node that reads it.
  std::vector<size_t> last_read(graph.values.size(), 0);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    ir::for_each_ref(graph.nodes[n], [&](const ir::Ref& ref) { last_read[root_of(ref.id)] = n; });
  }
  bool changed = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!candidates.is_elementwise(n)) continue;
    ir::Node& node = graph.nodes[n];
    std::vector<ir::InPlace> options;
    for (const ir::InPlace& option : candidates.of(n)) {
      const ir::ValueId argument = std::get<ir::Ref>(node.args[option.argument]).id;
      if (last_read[root_of(argument)] == n) options.push_back(option);
    }
    changed = changed || options != node.in_place;
    node.in_place = std::move(options);
  }
  return changed;
}

}  // namespace berth::passes
