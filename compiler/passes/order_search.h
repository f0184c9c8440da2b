// Finds an order of an OrderProblem with the lowest peak. Every state of a search is a set of tasks
// that have run; how they ran does not matter any more, so that the states are those of dynamic
// programming over the sets that are closed under "must come before". A search holds a limit and
// walks depth first through the states that can be reached without passing it; when none is left,
// the limit rises to the least moment that it stood against, and where the walk arrives, no order
// has a lower peak.
//
// Sets are many; these keep them few:
// * stretches (order_problem.h) are searched each on its own;
// * a task that fits under the limit and leaves no more live than before is run at once: whatever
//   order continues from here, the task can be moved to its front without raising any moment,
//   because live bytes are submodular;
// * so is a task together with what becomes free to run by it, when they leave no more than before:
//   what fits at once, or a chain that climbs and then goes down;
// * a search begins at a bound (bound_of_orders) and ends below the best order known.
//
// Where the states are more than the budget, what is known by then counts: the best of the given
// order, of rules of thumb, and of searches in windows around the fullest moment.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/passes/order_problem.h"

namespace berth::passes {

struct OrderOptions {
  // States that all searches together may visit: a count, so that every machine finds the same.
  uint64_t max_states = 200'000;
  // The tricks, to see what each is worth.
  bool use_stretches = true;
  bool use_forced_tasks = true;
  bool use_heuristics = true;  // where the states do not suffice
};

struct FoundOrder {
  Order order;
  uint64_t given_peak = 0;
  uint64_t peak = 0;   // never above given_peak
  uint64_t bound = 0;  // no order has a lower peak than this
  uint64_t states = 0;
  bool is_optimal() const { return peak == bound; }
};

// The given order, when none is lower or none was found; else one that stays close to it.
FoundOrder find_order(const OrderProblem& problem, const OrderOptions& options = {});

// One search. `limit`: what it begins with; `below`: only orders with a lower peak count; with
// `rises` the limit goes up as far as that allows.
struct SearchGoal {
  uint64_t limit = 0;
  uint64_t below = 0;
  bool rises = true;
  uint64_t max_states = 0;
  bool forces_tasks = true;
};
struct SearchResult {
  std::optional<Order> order;
  uint64_t peak = 0;   // of the order
  uint64_t bound = 0;  // no order has a lower peak; `below` when no order is below that
  uint64_t states = 0;
};
SearchResult search_order(const OrderProblem& problem, const SearchGoal& goal);

}  // namespace berth::passes
