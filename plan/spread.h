// Which buffer goes to which of several pools: least cost first, then fewest bytes.
#pragma once

#include "plan/planners.h"

namespace berth::plan {

// Better than `first` if it can: searches over choices of pools, and within each choice lays out
// pool by pool. At `floor`, which nothing can beat, it stops. Problems too large for its tables
// keep `first`.
// REQUIRES: `model` has the holes and the options of its problem.
Layout spread(const Model& model, const Layout& first, const Score& floor, const Options& options);

// Whether all ways to fill the pools of `problem` pass a capacity, as far as so many nodes prove.
struct SpreadAnswer {
  bool is_proven = false;
  uint64_t nodes = 0;  // used
};
SpreadAnswer has_no_plan(const Problem& problem, uint64_t max_nodes);

}  // namespace berth::plan
