// A group of nodes as a graph of its own, and the graph with a call in its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "contract/result.h"

namespace berth::delegate {

struct Extracted {
  ir::Graph part;                      // the group's nodes, with inputs, constants and outputs
  std::vector<ir::ValueId> arguments;  // values of the graph that are the part's inputs
  std::vector<ir::ValueId> results;    // and its outputs
};

// Inputs in the order of their first use, constants copied, outputs in the order in which nodes
// make them: what a node outside or the method reads. Errors, with the nodes named: indices that
// are not ascending nodes of the graph; an alloc or a delegate call among them; a path that leaves
// the group and comes back.
Result<Extracted> extract(const ir::Graph& graph, const std::vector<int32_t>& group);

// Replaces the group by one delegate node that calls `lowered`. What stood among the group and
// reads from it comes after the call, the rest before, each in its old order. REQUIRES: extract()
// took the group.
void replace_by_call(ir::Graph* graph, const std::vector<int32_t>& group,
                     const Extracted& extracted, const std::string& lowered);

}  // namespace berth::delegate
