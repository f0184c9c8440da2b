// Computes one node on the host, with the runtime's own kernels: what a constant becomes at compile
// time is what it would have become on the device. Also lets tests run whole graphs.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace berth::passes {

// The bytes of each value that is known; null for the others.
using KnownBytes = std::vector<std::shared_ptr<const ir::Bytes>>;

// The bytes of the node's results, in the order of node.results. Nothing when the operator has no
// kernel here, writes an argument, or its kernel refuses the arguments.
// REQUIRES: a verified graph; every tensor argument is known. Scratch slots may be none.
std::optional<std::vector<ir::Bytes>> evaluate(const ir::Graph& graph, const ir::Node& node,
                                               const KnownBytes& known);

}  // namespace berth::passes
