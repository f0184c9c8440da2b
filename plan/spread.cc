// Two searches.
//
// Rounds, for any size: pools are chosen by steps alone (plan/pool_choice.h), cheapest with room
// first, in several orders; then each pool is laid out. Where one ends above its capacity, the
// choice is made again for a pool that is smaller by what stuck out. Roots that are not where they
// like it best then move to where addresses happen to be free.
//
// Branch and bound, for some hundred roots: over the choices, those that save most first, cheapest
// pools first, with the bound of plan/pool_choice.h. Each complete choice is proven or refuted pool
// by pool (plan/pool_heights.h). Roots that have no room together in a pool because of their
// addresses are thinned out to few and remembered: no later choice has them together there. When
// all is searched within the nodes, nothing better exists.
#include "plan/spread.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "plan/pool_choice.h"
#include "plan/pool_heights.h"

namespace berth::plan {
namespace {

constexpr int32_t kMostBranched = 300;  // roots; a bound costs roots x steps
// Steps of all roots together, each of which stands in a table.
constexpr uint64_t kMostSteps = 50'000'000;
constexpr uint64_t kLooksPerNode = 300;
// Of the nodes, the most that one set of one pool may take is one share; of many roots, where nodes
// take longer and a round has as many sets as pools, less.
constexpr uint64_t kShares = 8;
constexpr uint64_t kSharesOfMany = 256;
constexpr int kRounds = 8;  // of one order
constexpr size_t kMostConflicts = 1000;

// Puts the pools of each buffer in order of cost. False when they are.
bool sort_pools(Problem* problem) {
  bool is_changed = false;
  const auto is_cheaper = [&](int32_t a, int32_t b) {
    return problem->pools[a].cost < problem->pools[b].cost;
  };
  for (Buffer& buffer : problem->buffers) {
    if (std::is_sorted(buffer.pools.begin(), buffer.pools.end(), is_cheaper)) continue;
    std::stable_sort(buffer.pools.begin(), buffer.pools.end(), is_cheaper);
    is_changed = true;
  }
  return is_changed;
}

bool is_too_large(const Model& model) {
  uint64_t steps = 0;
  for (int32_t i = 0; i < model.count(); ++i) {
    for (const Span& span : model.lives().of(i)) steps += span.to - span.from;
  }
  return steps > kMostSteps;
}

class Spread {
 public:
  Spread(const Model& model, const Layout& first, const Score& floor, const Options& options)
      : model_(model),
        floor_(floor),
        options_(options),
        best_(first),
        score_(judge(model, first.places)),
        heights_(model,
                 options.max_nodes / (model.count() <= kMostBranched ? kShares : kSharesOfMany)),
        choice_(model, capacities()) {
    best_.nodes = 0;
    best_.proven = false;
  }

  Layout run(uint64_t spent) {
    spent_ = spent;
    told_ = spent;
    for (int32_t i = 0; i < model_.count(); ++i) order_.push_back(i);
    sort_by_saving(&order_);
    run_rounds();
    if (!done() && model_.count() <= kMostBranched) {
      is_complete_ = true;
      descend(0);
      best_.proven = is_complete_;
    }
    best_.proven = best_.proven || done();
    best_.nodes = spent_ + nodes();
    return best_;
  }

 private:
  struct Conflict {
    int32_t pool;
    std::vector<int32_t> roots;  // sorted
  };

  bool done() const { return !(floor_ < score_); }
  uint64_t nodes() const {
    return nodes_ + heights_.nodes() + looks_ / kLooksPerNode + choice_.looks() / kLooksPerNode;
  }
  size_t pool_count() const { return model_.problem().pools.size(); }
  uint64_t capacity(size_t pool) const {
    return model_.problem().pools[pool].capacity.value_or(UINT64_MAX);
  }
  std::vector<uint64_t> capacities() const {
    std::vector<uint64_t> all;
    for (size_t p = 0; p < pool_count(); ++p) all.push_back(capacity(p));
    return all;
  }

  void tell() {
    const uint64_t all = spent_ + nodes();
    if (!options_.progress || all < told_ + kTellEvery) return;
    told_ = all;
    options_.progress({all, score_.bytes, floor_.bytes});
  }

  // Roots that can be in one pool alone come first.
  void sort_by_saving(std::vector<int32_t>* order) const {
    std::sort(order->begin(), order->end(), [&](int32_t a, int32_t b) {
      const uint64_t x = choice_.saving(a), y = choice_.saving(b);
      if (x != y) return x > y;
      const uint64_t m = model_.roots()[a].bytes, n = model_.roots()[b].bytes;
      return m != n ? m > n : a < b;
    });
  }

  std::vector<std::vector<int32_t>> sets_of(const std::vector<int32_t>& pool_of) const {
    std::vector<std::vector<int32_t>> sets(pool_count());
    for (int32_t i = 0; i < model_.count(); ++i) sets[pool_of[i]].push_back(i);
    return sets;
  }

  // The layout that is known of these sets, if it is the best.
  void keep_if_better(const std::vector<std::vector<int32_t>>& sets,
                      const std::vector<const PoolHeights::Height*>& found, const char* found_by) {
    std::vector<Placement> places(model_.roots().size());
    for (size_t p = 0; p < sets.size(); ++p) {
      for (size_t k = 0; k < sets[p].size(); ++k) {
        places[sets[p][k]] = {static_cast<int32_t>(p), found[p]->offsets[k]};
      }
    }
    const Score score = judge(model_, places);
    if (!(score < score_)) return;
    score_ = score;
    best_.places = std::move(places);
    best_.found_by = found_by;
  }

  void run_rounds();
  bool choose(const std::vector<int32_t>& order, PoolChoice* choice) const;
  void descend(size_t depth);
  void finish();
  void remember_conflict(int32_t pool, std::vector<int32_t> set);
  bool is_in_conflict(int32_t i, int32_t pool) const;

  const Model& model_;
  const Score floor_;
  const Options& options_;
  Layout best_;
  Score score_;
  PoolHeights heights_;
  PoolChoice choice_;
  std::vector<int32_t> order_;
  std::vector<Conflict> conflicts_;
  std::vector<std::vector<int32_t>> conflicts_of_;  // per root: indices
  bool is_complete_ = false;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;
  uint64_t spent_ = 0;  // nodes of what came before
  uint64_t told_ = 0;   // nodes at the last call of Options::progress
};

// Cheapest pool with room; without any, the last one that it may be in.
bool Spread::choose(const std::vector<int32_t>& order, PoolChoice* choice) const {
  for (int32_t i : order) {
    int32_t best = -1;
    for (int32_t pool : model_.roots()[i].pools) {
      const bool is_cheaper =
          best < 0 || model_.problem().pools[pool].cost < model_.problem().pools[best].cost;
      if (is_cheaper && choice->has_room(i, pool)) best = pool;
    }
    if (best < 0) return false;
    choice->give(i, best);
  }
  return true;
}

void Spread::run_rounds() {
  std::vector<std::vector<int32_t>> orders = {order_, order_, order_};
  const auto length = [&](int32_t i) {
    uint64_t steps = 0;
    for (const Interval& life : model_.roots()[i].live) {
      steps += static_cast<uint64_t>(life.end) - static_cast<uint64_t>(life.begin);
    }
    return steps;
  };
  const auto is_free = [&](int32_t i) { return model_.roots()[i].pools.size() > 1; };
  std::stable_sort(orders[1].begin(), orders[1].end(), [&](int32_t a, int32_t b) {
    return is_free(a) != is_free(b) ? is_free(b) : length(a) < length(b);
  });
  std::stable_sort(orders[2].begin(), orders[2].end(), [&](int32_t a, int32_t b) {
    return is_free(a) != is_free(b) ? is_free(b) : length(a) > length(b);
  });
  const bool is_weighed = std::any_of(model_.roots().begin(), model_.roots().end(),
                                      [](const Root& root) { return root.accesses != 1; });
  if (is_weighed) {
    // What is used most has the first choice of the bytes, however few it needs.
    orders.push_back(orders[1]);
    std::stable_sort(orders[3].begin(), orders[3].end(), [&](int32_t a, int32_t b) {
      if (is_free(a) != is_free(b)) return is_free(b);
      return model_.roots()[a].accesses > model_.roots()[b].accesses;
    });
  }
  for (const std::vector<int32_t>& order : orders) {
    std::vector<uint64_t> sizes = capacities();
    for (int round = 0; round < kRounds && !done() && nodes() < options_.max_nodes; ++round) {
      PoolChoice choice(model_, sizes);
      const bool is_chosen = choose(order, &choice);
      looks_ += choice.looks();
      if (!is_chosen) break;
      const auto sets = sets_of(choice.pools());
      std::vector<const PoolHeights::Height*> found;
      bool fits = true;
      for (size_t p = 0; p < sets.size(); ++p) {
        const auto pool = static_cast<int32_t>(p);
        found.push_back(&heights_.find(sets[p], pool, capacity(p), capacity(p)));
        tell();
        if (found[p]->high <= capacity(p)) continue;
        fits = false;
        sizes[p] -= std::min(sizes[p], found[p]->high - capacity(p));
      }
      keep_if_better(sets, found, "rounds over pools");
      if (fits) break;
    }
  }
}

void Spread::descend(size_t depth) {
  if (done()) return;
  if (nodes() >= options_.max_nodes) {
    is_complete_ = false;
    return;
  }
  ++nodes_;
  tell();
  Score bound;
  if (!choice_.find_bound(&bound) || !(bound < score_)) return;
  if (depth == order_.size()) {
    finish();
    return;
  }
  const int32_t i = order_[depth];
  std::vector<int32_t> pools = model_.roots()[i].pools;
  std::stable_sort(pools.begin(), pools.end(), [&](int32_t a, int32_t b) {
    return model_.problem().pools[a].cost < model_.problem().pools[b].cost;
  });
  if (model_.roots()[i].bytes == 0) pools.resize(1);
  for (int32_t pool : pools) {
    if (!choice_.has_room(i, pool) || is_in_conflict(i, pool)) continue;
    choice_.give(i, pool);
    descend(depth + 1);
    choice_.take_back(i);
  }
}

// A complete choice that no bound rules out: first whether it fits, then in how few bytes.
void Spread::finish() {
  const auto sets = sets_of(choice_.pools());
  std::vector<const PoolHeights::Height*> found;
  for (size_t p = 0; p < sets.size(); ++p) {
    const auto pool = static_cast<int32_t>(p);
    const uint64_t most = capacity(p);
    found.push_back(&heights_.find(sets[p], pool, most, most));
    if (found[p]->high <= most) continue;
    if (found[p]->low > most) {
      remember_conflict(pool, sets[p]);
    } else {
      is_complete_ = false;
    }
    return;
  }
  keep_if_better(sets, found, "search over pools");
  // What the others take at least leaves so much to each.
  Score bound = {0, choice_.cost(), 0};
  for (const auto* height : found) bound.bytes += height->low;
  for (size_t p = 0; p < sets.size() && bound < score_; ++p) {
    bound.bytes -= found[p]->low;
    const bool is_tie = choice_.cost() == score_.cost && score_.overflow == 0;
    const uint64_t most = is_tie ? score_.bytes - bound.bytes - 1 : UINT64_MAX;
    heights_.find(sets[p], static_cast<int32_t>(p), 0, most);
    bound.bytes += found[p]->low;
    keep_if_better(sets, found, "search over pools");
  }
  if (bound < score_) is_complete_ = false;
}

// Less each root that the others do not need to be in conflict.
void Spread::remember_conflict(int32_t pool, std::vector<int32_t> set) {
  if (conflicts_.size() >= kMostConflicts) return;
  const uint64_t most = capacity(static_cast<size_t>(pool));
  for (size_t k = set.size(); k-- > 0;) {
    std::vector<int32_t> less = set;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(k));
    if (heights_.find(less, pool, most, most).low > most) set = std::move(less);
  }
  conflicts_of_.resize(model_.roots().size());
  for (int32_t i : set) conflicts_of_[i].push_back(static_cast<int32_t>(conflicts_.size()));
  conflicts_.push_back({pool, std::move(set)});
}

// Whether root i would complete a known conflict there.
bool Spread::is_in_conflict(int32_t i, int32_t pool) const {
  if (conflicts_of_.empty()) return false;
  return std::any_of(conflicts_of_[i].begin(), conflicts_of_[i].end(), [&](int32_t c) {
    const Conflict& conflict = conflicts_[c];
    return conflict.pool == pool &&
           std::all_of(conflict.roots.begin(), conflict.roots.end(),
                       [&](int32_t j) { return j == i || choice_.pool_of(j) == pool; });
  });
}

}  // namespace

Layout spread(const Model& model, const Layout& first, const Score& floor, const Options& options) {
  if (is_too_large(model)) return first;
  Layout start = first;
  uint64_t nodes = first.nodes;
  if (Problem sorted = model.problem(); sort_pools(&sorted)) {
    const Layout cheap = plan_best(Model(sorted, true, true), first, floor, options);
    if (judge(model, cheap.places) < judge(model, start.places)) start = cheap;
    nodes += cheap.nodes;
  }
  return Spread(model, start, floor, options).run(nodes);
}

SpreadAnswer has_no_plan(const Problem& problem, uint64_t max_nodes) {
  const Model model(problem, true, true);
  if (is_too_large(model)) return {};
  const Model hulls(problem, false, false);
  Options options;
  options.max_nodes = max_nodes;
  const Score any = {0, UINT64_MAX, UINT64_MAX};  // whatever fits is good enough
  const Layout layout =
      Spread(model, plan_greedy(hulls, kMostGreedyLooks).value_or(plan_naive(hulls)), any, options)
          .run(0);
  return {layout.proven && judge(model, layout.places).overflow > 0, layout.nodes};
}

}  // namespace berth::plan
