// Reorders the nodes of a graph so that fewer bytes are live at the fullest moment. Branches that
// meet again may be computed in any order, and each order keeps other values waiting:
//
//   x ─┬▶ a ─▶ a' ─┐     a and b are large, a' and b' small
//      └▶ b ─▶ b' ─┴▶ y  given a b a' b': x+a+b; better a a' b b': x+a'+b
//
// It stands behind the delegates, whose calls are nodes like others; behind concat_in_place, since
// a join begins with its first part; behind insert_scratch, so that scratch counts when it is
// there; and before mark_in_place, which asks who reads a value last. What it counts is what the
// planner will see: views and parts lie in their buffer, which lives from its first writer to its
// last reader; inputs are there from the start and outputs to the end; an input that could be
// overwritten where it dies counts once with the result; what lies in the caller's memory, or in
// another pool than the board's first, does not count.
//
// The results are the same: a node stays behind whatever it reads, nodes that touch bytes that an
// operator with effect writes keep their order, calls of a delegate that keeps memory or shares its
// handle do, and an input inside a delegate's scratch is not read behind the call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/passes/order_search.h"
#include "compiler/passes/passes.h"

namespace berth::passes {

// The graph as a problem: tasks are its operators and delegate calls, `nodes` their indices.
struct GraphOrder {
  OrderProblem problem;
  std::vector<int32_t> nodes;  // per task
};
// REQUIRES: a verified graph. Fails where bytes or dependences are too many to count.
Result<GraphOrder> order_of_graph(const ir::Graph& graph, const PassContext& context);

// Puts the tasks' nodes into another order: views and joins stand behind what they need, scratch in
// front of its user. REQUIRES: is_order().
void reorder_nodes(ir::Graph& graph, const GraphOrder& tasks, const Order& order);

}  // namespace berth::passes
