#include "plan/pool_heights.h"

#include <algorithm>
#include <optional>

#include "plan/bound.h"
#include "plan/in_place_search.h"
#include "plan/planners.h"
#include "plan/sub_problem.h"

namespace berth::plan {

const PoolHeights::Height& PoolHeights::find(const std::vector<int32_t>& roots, int32_t pool,
                                             uint64_t enough, uint64_t most) {
  auto at = known_.find(roots);
  if (at == known_.end()) at = known_.emplace(roots, first_look(roots, pool)).first;
  Known& known = at->second;
  const Height& height = known.height;
  if (!height.is_spent && height.low < height.high && height.high > enough && height.low <= most) {
    search(roots, pool, enough, most, &known);
  }
  return height;
}

// The fullest moment, and the best of some simple layouts.
PoolHeights::Known PoolHeights::first_look(const std::vector<int32_t>& roots, int32_t pool) {
  Known known;
  Problem problem = sub_problem(model_, roots, pool);
  problem.pools[0].capacity.reset();
  const Model model(problem, true, true);
  const Model hulls(problem, false, false);
  known.height.low = fullest_moments(model, only_pools(model))[0].bytes;
  Options options;
  options.improve = false;
  const Score floor = {0, 0, known.height.low};
  Layout layout = plan_best(model, plan_greedy(hulls, kMostGreedyLooks).value_or(plan_naive(hulls)),
                            floor, options);
  nodes_ += layout.nodes;
  known.height.high = judge(model, layout.places).bytes;
  for (const Placement& place : layout.places) known.height.offsets.push_back(place.offset);
  // Where something is fixed, no search is complete.
  known.height.is_spent = !is_one_open_pool(model);
  return known;
}

// The least height that is possible first, as most sets reach it; then heights between that and
// what was found.
void PoolHeights::search(const std::vector<int32_t>& roots, int32_t pool, uint64_t enough,
                         uint64_t most, Known* known) {
  Height& height = known->height;
  Problem problem = sub_problem(model_, roots, pool);
  problem.pools[0].cost = 0;
  const Model model(problem, true, true);
  InPlaceSearch search(model);
  const uint64_t grain = search.grain();
  uint64_t aim = height.low;
  while (height.low < height.high && height.high > enough && height.low <= most) {
    const uint64_t left = max_nodes_ - std::min(max_nodes_, known->nodes + search.nodes());
    if (left == 0) {
      height.is_spent = true;
      break;
    }
    const bool is_last = aim + grain >= height.high;
    switch (search.find(aim, is_last ? left : (left + 1) / 2)) {
      case InPlaceSearch::Answer::kFound:
        height.offsets.clear();
        for (const Placement& place : search.places()) height.offsets.push_back(place.offset);
        height.high = judge(model, search.places()).bytes;
        aim = height.low;
        break;
      case InPlaceSearch::Answer::kImpossible:
        height.low = std::min(aim + grain, height.high);
        aim = height.low;
        break;
      case InPlaceSearch::Answer::kSpent:
        if (is_last) height.is_spent = true;
        aim += grain;
        break;
    }
    if (height.is_spent) break;
    aim += (height.high - std::min(height.high, aim)) / 2 / grain * grain;
    aim = std::min(aim, height.high - std::min(height.high, grain));
    aim = std::max(aim, height.low);
  }
  known->nodes += search.nodes();
  nodes_ += search.nodes();
}

}  // namespace berth::plan
