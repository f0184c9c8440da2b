// A group of nodes as one Op: which operators of the graph the backend knows, and how.
#pragma once

#include <optional>
#include <vector>

#include "backends/onednn/shared/onednn_op.h"
#include "compiler/ir/ir.h"

namespace berth::onednn {

// The op, and the values that its inputs and constants are. Positions in the blob
// are not known yet: 0, or 1 for a bias that there is.
struct TakenOp {
  Op op;
  std::vector<ir::ValueId> inputs;
  ir::ValueId weights = -1, bias = -1;  // constants
  ir::ValueId result = -1;
};

// Nothing when the node is not one that the backend begins with.
std::optional<TakenOp> take_node(const ir::Graph& graph, const ir::Node& node);

// Fuses a node that reads taken->result. False when it cannot be, and *taken is as it was.
bool fuse_node(const ir::Graph& graph, const ir::Node& node, TakenOp* taken);

}  // namespace berth::onednn
