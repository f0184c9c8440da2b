#include "compiler/delegate/chains.h"

namespace berth::delegate {
namespace {

// The only reader of a node's first result; -1 where there is none, or another result is read.
int32_t only_reader(const ir::Node& node, const ir::Uses& uses) {
  int32_t reader = -1;
  for (const ir::ValueId id : node.results) {
    const auto result = static_cast<size_t>(id);
    const std::vector<int32_t>& readers = uses.consumers[result];
    const size_t wanted = id == node.results[0] ? 1 : 0;
    if (uses.is_output[result] || readers.size() != wanted) return -1;
    if (wanted == 1) reader = readers[0];
  }
  return reader;
}

}  // namespace

Groups find_chains(const ir::Graph& graph, const TakesNode& takes) {
  const ir::Uses uses = ir::find_uses(graph);
  const std::vector<bool> written = ir::find_written(graph);
  std::vector<bool> is_taken(graph.nodes.size(), false);
  const auto is_free = [&](size_t n) {
    bool steady = !is_taken[n];
    ir::for_each_ref(graph.nodes[n], [&](const ir::Ref& ref) {
      steady = steady && !written[static_cast<size_t>(ref.id)];
    });
    return steady;
  };
  Groups groups;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!is_free(n) || !takes(graph.nodes[n], true)) continue;
    std::vector<int32_t>& chain = groups.emplace_back();
    for (auto next = static_cast<int32_t>(n); next >= 0;) {
      chain.push_back(next);
      const auto last = static_cast<size_t>(next);
      is_taken[last] = true;
      next = only_reader(graph.nodes[last], uses);
      if (next < 0) break;
      const auto reader = static_cast<size_t>(next);
      if (!is_free(reader) || !takes(graph.nodes[reader], false)) break;
    }
  }
  return groups;
}

}  // namespace berth::delegate
