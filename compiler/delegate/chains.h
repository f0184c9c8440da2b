// Groups that cannot go wrong, for backends that take one operator after another.
#pragma once

#include <functional>

#include "compiler/delegate/compile_backend.h"

namespace berth::delegate {

// Whether a node begins a chain (`begins`), or goes on with the one that was begun last.
using TakesNode = std::function<bool(const ir::Node& node, bool begins)>;

// Chains in the order of the graph. One goes on at the only reader of what its last node makes, for
// as long as `takes` agrees: what leaves a chain leaves it at its end, so no path comes back. Nodes
// that read what an operator changes in place are in none, as they would read it at another time.
// REQUIRES: a verified graph.
Groups find_chains(const ir::Graph& graph, const TakesNode& takes);

}  // namespace berth::delegate
