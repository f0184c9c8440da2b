#include "compiler/passes/live_bytes.h"

#include <algorithm>

#include "contract/checked.h"
#include "contract/plan_record.h"

namespace berth::passes {
namespace {

constexpr size_t kNever = SIZE_MAX;

uint64_t rounded(uint64_t bytes) {
  uint64_t up = bytes;
  return checked_align_up(bytes, kDefaultAlignment, &up) ? up : bytes;
}

}  // namespace

uint64_t peak_live_bytes(const ir::Graph& graph) {
  const std::vector<ir::Placement> places = ir::find_placements(graph);
  const auto root = [&](ir::ValueId id) { return places[id].root; };
  const size_t steps = graph.nodes.size();
  // Per root: first and last step with its bytes in use; node n is step n + 1, 0 is before all.
  std::vector<size_t> first(graph.values.size(), kNever);
  std::vector<size_t> last(graph.values.size(), kNever);
  const auto touch = [&](ir::ValueId id, size_t step) {
    if (graph.value(root(id)).kind == ir::ValueKind::kConstant) return;
    if (first[root(id)] == kNever) first[root(id)] = step;
    last[root(id)] = step;  // they come in order
  };
  for (const ir::ValueId id : graph.inputs) touch(id, 0);
  for (size_t n = 0; n < steps; ++n) {
    const ir::Node& node = graph.nodes[n];
    if (node.kind == ir::NodeKind::kAlloc) continue;  // lives at its user
    ir::for_each_ref(node, [&](const ir::Ref& ref) { touch(ref.id, n + 1); });
    for (const ir::ValueId id : node.results) touch(id, n + 1);
  }
  for (const ir::ValueId id : graph.outputs) touch(id, steps + 1);

  // Bytes that begin at a step, and that end before it.
  std::vector<uint64_t> begins(steps + 3, 0), ends(steps + 3, 0), saved(steps + 3, 0);
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (first[v] == kNever) continue;
    const uint64_t bytes = rounded(graph.values[v].spec.nbytes());
    begins[first[v]] += bytes;
    ends[last[v] + 1] += bytes;
  }
  for (size_t n = 0; n < steps; ++n) {
    const ir::Node& node = graph.nodes[n];
    if (node.in_place.empty()) continue;
    const ir::InPlace& option = node.in_place.front();
    const ir::ValueId from = std::get<ir::Ref>(node.args[option.argument]).id;
    const ir::ValueId to = node.results[option.output];
    if (last[root(from)] != n + 1 || first[root(to)] != n + 1) continue;
    saved[n + 1] = rounded(
        std::min(graph.value(root(from)).spec.nbytes(), graph.value(root(to)).spec.nbytes()));
  }
  uint64_t live = 0, peak = 0;
  for (size_t step = 0; step < begins.size(); ++step) {
    live += begins[step];
    live -= ends[step];
    peak = std::max(peak, live - saved[step]);
  }
  return peak;
}

}  // namespace berth::passes
