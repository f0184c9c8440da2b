// How many bytes a graph needs at its fullest moment, by the order of its nodes: what passes that
// could cost memory ask before they do it, and what tests show savings with. An estimate of the
// planner's lower bound (sizes rounded to 16 as there), not a plan.
#pragma once

#include <cstdint>

#include "compiler/ir/ir.h"

namespace berth::passes {

// Values lie where views and joins put them; inputs are all there at the start and outputs at the
// end; scratch lives for one node; an in-place option is taken when the argument dies there.
// REQUIRES: a verified graph.
uint64_t peak_live_bytes(const ir::Graph& graph);

}  // namespace berth::passes
