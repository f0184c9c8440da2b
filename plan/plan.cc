// make_plan(): runs the planner asked for, then says how good the result is, or why it does not
// fit.
#include "plan/plan.h"

#include <algorithm>
#include <string>

#include "contract/checked.h"
#include "plan/bound.h"
#include "plan/conflict.h"
#include "plan/few.h"
#include "plan/names.h"
#include "plan/planners.h"
#include "plan/spread.h"

namespace berth::plan {
namespace {

// Above so many roots greedy, which hardly ever wins there, may take a fifth of its looks.
constexpr int32_t kLarge = 200'000;
constexpr int32_t kVeryFew = 8;  // roots

MaybeError find_fixed_collision(const Model& model) {
  const Problem& problem = model.problem();
  MaybeError error;
  for (int32_t i = 0; i < model.count() && !error; ++i) {
    const Root& a = model.roots()[i];
    if (a.fixed == nullptr) continue;
    model.for_each_neighbor(i, [&](int32_t j, bool in_place) {
      const Root& b = model.roots()[j];
      if (error || j < i || b.fixed == nullptr || b.fixed->pool != a.fixed->pool) return;
      if (in_place && a.fixed->offset == b.fixed->offset) return;
      const uint64_t from = std::max(a.fixed->offset, b.fixed->offset);
      const uint64_t to = std::min(a.fixed->offset + a.bytes, b.fixed->offset + b.bytes);
      if (from >= to) return;
      error = Error{buffer_name(problem, a.buffer),
                    "and " + buffer_name(problem, b.buffer) + " are fixed on bytes [" +
                        std::to_string(from) + "," + std::to_string(to) + ") of " +
                        pool_name(problem, a.fixed->pool) + " and alive together; fix them apart"};
    });
  }
  return error;
}

// The one pool where a root costs least, -1 when two cost the same: where it is in every plan of
// least cost.
std::vector<int32_t> cheapest_pools(const Model& model, uint64_t* cost) {
  std::vector<int32_t> result;
  const auto& pools = model.problem().pools;
  for (const Root& root : model.roots()) {
    int32_t best = root.pools.front();
    int same = 0;
    for (int32_t pool : root.pools) {
      if (pools[pool].cost < pools[best].cost) best = pool;
    }
    for (int32_t pool : root.pools) {
      same += root.accesses == 0 || pools[pool].cost == pools[best].cost ? 1 : 0;
    }
    *cost += root.weight() * pools[best].cost;
    result.push_back(same == 1 ? best : -1);
  }
  return result;
}

// A score that no plan can beat: every root in its cheapest pool and every pool at its fullest
// moment; beyond a capacity that of what can be nowhere else.
Score find_floor(const Model& model) {
  Score floor;
  const auto& pools = model.problem().pools;
  if (std::any_of(pools.begin(), pools.end(),
                  [](const Pool& pool) { return pool.capacity.has_value(); })) {
    const auto musts = fullest_moments(model, only_pools(model));
    for (size_t p = 0; p < pools.size(); ++p) {
      const uint64_t most = pools[p].capacity.value_or(UINT64_MAX);
      floor.overflow += musts[p].bytes - std::min(musts[p].bytes, most);
    }
  }
  for (const Moment& moment : fullest_moments(model, cheapest_pools(model, &floor.cost))) {
    floor.bytes += moment.bytes;
  }
  return floor;
}

// Looks for a better layout in all ways, where there are few enough, and proves that there is none.
void search_few(const Model& model, const Options& options, Layout* layout) {
  if (layout->proven || !options.improve || !options.use_exact || !FewSearch::takes(model)) return;
  FewSearch search(model, options.max_nodes / 2);
  layout->proven = search.run(judge(model, layout->places));
  layout->nodes += search.nodes();
  if (search.places().empty()) return;
  layout->places = search.places();
  layout->found_by = "complete search";
}

// Very few roots are all looked at before any long search: that takes some tens of nodes where
// orders and heights take some hundreds. Where nothing fits, the other searches tell by how much.
Layout search_best(const Model& model, const Layout& start, const Options& options) {
  const Score floor = find_floor(model);
  Layout layout = start;
  uint64_t nodes = 0;
  if (model.count() <= kVeryFew && options.improve && options.use_exact) {
    Options portfolio = options;
    portfolio.improve = false;
    layout = plan_best(model, start, floor, portfolio);
    search_few(model, options, &layout);
    if (layout.proven && judge(model, layout.places).overflow == 0) return layout;
    nodes = layout.nodes;
  }
  layout = plan_best(model, layout, floor, options);
  search_few(model, options, &layout);
  layout.nodes += nodes;
  return layout;
}

// Whether roots are, or could be, in different pools.
bool uses_pools(const Model& model) {
  return std::any_of(model.roots().begin(), model.roots().end(), [&](const Root& root) {
    return root.pools.size() > 1 || root.pools.front() != model.roots().front().pools.front();
  });
}

std::string list_live(const Problem& problem, const std::vector<int32_t>& live) {
  constexpr size_t kMostListed = 8;
  std::string text;
  for (size_t k = 0; k < live.size() && k < kMostListed; ++k) {
    const Buffer& buffer = problem.buffers[live[k]];
    text += (k == 0 ? "" : ", ") + buffer_name(problem, live[k]) + " (" +
            std::to_string(buffer.size) + ")";
  }
  if (live.size() > kMostListed) {
    text += ", and " + std::to_string(live.size() - kMostListed) + " more";
  }
  return text;
}

Error too_small(const Problem& problem, const Shortage& shortage) {
  return Error{pool_name(problem, shortage.pool),
               "needs " + std::to_string(shortage.need) + " bytes and has " +
                   std::to_string(shortage.have) + ", " +
                   std::to_string(shortage.need - shortage.have) + " too few" +
                   (shortage.proven ? " (no plan fits)" : " (no plan found that fits)") +
                   "; alive at step " + std::to_string(shortage.step) + ": " +
                   list_live(problem, shortage.live)};
}

// The first pool whose capacity the plan misses. `low`: in a plain model no layout is lower.
std::optional<Shortage> find_shortage(const Model& model, const Plan& plan,
                                      const std::vector<Moment>& moments, uint64_t low,
                                      uint64_t max_nodes) {
  const Problem& problem = model.problem();
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    const auto& capacity = problem.pools[p].capacity;
    if (!capacity || plan.pool_bytes[p] <= *capacity) continue;
    Shortage missing;
    missing.pool = static_cast<int32_t>(p);
    missing.need = plan.pool_bytes[p];
    missing.have = *capacity;
    missing.step = moments[p].step;
    missing.live = moments[p].live;
    const Moment must = fullest_moments(model, only_pools(model))[p];
    if (must.bytes > *capacity) {
      missing.proven = true;
      missing.step = must.step;
      missing.live = must.live;
    }
    missing.proven = missing.proven || low > *capacity || plan.proven_optimal;
    if (missing.proven) {
      missing.conflict = find_conflict(model, missing.pool, *capacity, max_nodes);
      // Proven by more nodes than there were to find out by which of them.
      if (missing.conflict.empty()) {
        for (const Root& root : model.roots()) missing.conflict.push_back(root.buffer);
      }
    } else {
      missing.conflict = missing.live;
    }
    return missing;
  }
  return std::nullopt;
}

}  // namespace

const char* planner_name(Planner planner) {
  switch (planner) {
    case Planner::kBest:
      return "best";
    case Planner::kGreedy:
      return "greedy";
    case Planner::kNaive:
      return "naive";
  }
  return "";
}

Result<Plan> make_plan(const Problem& problem, Planner planner, const Options& options,
                       std::optional<Shortage>* shortage) {
  if (auto error = validate(problem)) return *error;
  const Model full(problem, options.use_holes, options.use_in_place);
  // Collisions and bounds are those of the problem as given, whatever tricks were switched off.
  const Model* given = &full;
  std::optional<Model> whole;
  if (!options.use_holes || !options.use_in_place) given = &whole.emplace(problem, true, true);
  if (auto error = find_fixed_collision(*given)) return *error;

  // Greedy knows hulls only; where the full model is as plain, it serves as it is.
  std::optional<Model> hulls;
  if (full.has_holes() || !full.options().empty()) hulls.emplace(problem, false, false);
  const Model& plain = hulls ? *hulls : full;
  const uint64_t most_looks = kMostGreedyLooks / (plain.count() > kLarge ? 5 : 1);
  const auto greedy = plan_greedy(plain, planner == Planner::kGreedy ? UINT64_MAX : most_looks);

  Layout layout;
  switch (planner) {
    case Planner::kBest:
      layout = search_best(full, greedy ? *greedy : plan_naive(plain), options);
      if (options.improve && options.use_spread && given == &full && !layout.proven &&
          uses_pools(full)) {
        layout = spread(full, layout, find_floor(full), options);
      }
      break;
    case Planner::kGreedy:
      layout = *greedy;
      break;
    case Planner::kNaive:
      layout = plan_naive(plain);
      break;
  }
  Plan plan = full.expand(layout.places);
  plan.planner = planner_name(planner);
  plan.found_by = layout.found_by;
  plan.nodes = layout.nodes;
  if (greedy) plan.greedy_bytes = judge(plain, greedy->places).bytes;

  std::vector<int32_t> pool_of;
  for (const Placement& place : layout.places) pool_of.push_back(place.pool);
  const auto moments = fullest_moments(*given, pool_of);
  for (const Moment& moment : moments) plan.lower_bound.push_back(moment.bytes);
  // What is proven for hulls is not proven for lives with holes.
  const bool is_whole = (options.use_holes || !full.has_holes()) && options.use_in_place;
  plan.proven_optimal =
      !(find_floor(*given) < judge(full, layout.places)) || (layout.proven && is_whole);

  if (auto missing =
          find_shortage(*given, plan, moments, is_whole ? layout.low : 0, options.max_nodes)) {
    Error error = too_small(problem, *missing);
    if (shortage != nullptr) *shortage = std::move(missing);
    return error;
  }
  return plan;
}

}  // namespace berth::plan
