// A set by the moments: at each step the biggest of what is alive, until they pass the capacity; of
// all steps the fewest. Takers of in-place options may cost nothing at their first step and are
// left out there; where only they, or fixed places, explain the shortage, what is alive at the
// fullest moment is thinned out instead.
//
// A set by search, where every moment has room, in whatever pools: all roots, less each that the
// others do not need to be in conflict (a deletion filter; Chinneck and Dravnieks 1991). What is
// left is in conflict and nothing of it can go; another set may still be smaller, so few roots are
// tried in all ways.
#include "plan/conflict.h"

#include <algorithm>
#include <bit>
#include <set>

#include "plan/bound.h"
#include "plan/few.h"
#include "plan/in_place_search.h"
#include "plan/spread.h"
#include "plan/sub_problem.h"

namespace berth::plan {
namespace {

constexpr int32_t kMostTried = 10;     // roots whose every set is tried
constexpr size_t kMostThinned = 200;   // the cost grows with the square
constexpr size_t kMostSearched = 500;  // roots
constexpr uint64_t kShares = 8;        // of the nodes, the most that one set may take is one

class Conflict {
 public:
  Conflict(const Model& model, int32_t pool, uint64_t capacity, uint64_t max_nodes)
      : model_(model), pool_(pool), capacity_(capacity), nodes_left_(max_nodes) {
    pool_of_ = only_pools(model);
  }

  std::vector<int32_t> find() {
    std::vector<int32_t> found = by_end();
    if (found.empty()) found = by_moments();
    if (found.empty()) found = by_thinning();
    if (found.empty()) found = by_search();
    if (model_.count() <= kMostTried && found.size() > 1) {
      found = by_trying_all(found);
    }
    std::sort(found.begin(), found.end(), [&](int32_t a, int32_t b) { return is_bigger(a, b); });
    for (int32_t& root : found) root = model_.roots()[root].buffer;
    return found;
  }

 private:
  struct Bigger {
    const Conflict* of;
    bool operator()(int32_t a, int32_t b) const { return of->is_bigger(a, b); }
  };

  uint64_t bytes(int32_t root) const { return model_.roots()[root].bytes; }
  bool is_bigger(int32_t a, int32_t b) const {
    return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b;
  }

  // One that sticks out where it is fixed.
  std::vector<int32_t> by_end() const {
    for (int32_t i = 0; i < model_.count(); ++i) {
      const Fixed* fixed = model_.roots()[i].fixed;
      if (pool_of_[i] == pool_ && fixed != nullptr && fixed->offset + bytes(i) > capacity_) {
        return {i};
      }
    }
    return {};
  }

  std::vector<int32_t> by_moments() const {
    struct Event {
      Step step;
      bool begins;
      int32_t root;
    };
    std::vector<Event> events;
    for (int32_t i = 0; i < model_.count(); ++i) {
      if (pool_of_[i] != pool_) continue;
      for (const Interval& life : model_.roots()[i].live) {
        events.push_back({life.begin, true, i});
        events.push_back({life.end, false, i});
      }
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      if (a.step != b.step) return a.step < b.step;
      return a.begins != b.begins ? !a.begins : a.root < b.root;
    });
    std::set<int32_t, Bigger> alive(Bigger{this});
    uint64_t sum = 0;
    std::vector<int32_t> fewest;
    std::vector<int32_t> takers;
    size_t option = 0;
    const auto& options = model_.options();
    for (size_t k = 0; k < events.size();) {
      const Step step = events[k].step;
      for (; k < events.size() && events[k].step == step; ++k) {
        const int32_t root = events[k].root;
        if (events[k].begins) {
          alive.insert(root);
          sum += bytes(root);
        } else {
          alive.erase(root);
          sum -= bytes(root);
        }
      }
      takers.clear();
      while (option < options.size() && options[option].step < step) ++option;
      for (; option < options.size() && options[option].step == step; ++option) {
        takers.push_back(options[option].taker);
      }
      if (sum <= capacity_) continue;
      std::vector<int32_t> set;
      uint64_t taken = 0;
      for (auto at = alive.begin(); at != alive.end() && taken <= capacity_; ++at) {
        if (!fewest.empty() && set.size() + 1 >= fewest.size()) break;
        if (std::find(takers.begin(), takers.end(), *at) != takers.end()) continue;
        set.push_back(*at);
        taken += bytes(*at);
      }
      if (taken > capacity_) fewest = std::move(set);
    }
    return fewest;
  }

  // What is alive at the fullest moment, less what is not needed there for the bound to be too
  // high.
  std::vector<int32_t> by_thinning() const {
    std::vector<int32_t> pool_of = pool_of_;
    const Moment moment = fullest_moments(model_, pool_of)[pool_];
    if (moment.bytes <= capacity_) return {};
    std::vector<int32_t> set;
    for (int32_t i = 0; i < model_.count(); ++i) {
      if (std::find(moment.live.begin(), moment.live.end(), model_.roots()[i].buffer) ==
          moment.live.end()) {
        pool_of[i] = -1;
      } else if (pool_of[i] == pool_) {
        set.push_back(i);
      }
    }
    if (set.size() > kMostThinned) return set;
    std::sort(set.begin(), set.end(), [&](int32_t a, int32_t b) { return is_bigger(b, a); });
    std::vector<int32_t> kept;
    for (int32_t i : set) {
      pool_of[i] = -1;
      if (fullest_moments(model_, pool_of)[pool_].bytes > capacity_) continue;
      pool_of[i] = pool_;
      kept.push_back(i);
    }
    return kept;
  }

  // All roots, by begin, less stretches that are not needed, of half of them down to single ones.
  std::vector<int32_t> by_search() {
    std::vector<int32_t> set = with_bytes();
    if (set.size() > kMostSearched || !is_conflict(set)) return {};
    std::stable_sort(set.begin(), set.end(), [&](int32_t a, int32_t b) {
      return model_.roots()[a].begin < model_.roots()[b].begin;
    });
    for (size_t length = std::max<size_t>(set.size() / 2, 1);; length /= 2) {
      for (size_t from = 0; from < set.size();) {
        const size_t to = std::min(from + length, set.size());
        std::vector<int32_t> less(set.begin(), set.begin() + from);
        less.insert(less.end(), set.begin() + to, set.end());
        if (is_conflict(less)) {
          set = std::move(less);
        } else {
          from = to;
        }
      }
      if (length == 1) return set;
    }
  }

  // A set smaller than `found`, if there is one of which some may be in the pool: the others' pools
  // can be short, too.
  std::vector<int32_t> by_trying_all(const std::vector<int32_t>& found) {
    const std::vector<int32_t> all = with_bytes();
    for (size_t size = 1; size < found.size(); ++size) {
      for (uint32_t mask = 1; mask < uint32_t{1} << all.size(); ++mask) {
        if (static_cast<size_t>(std::popcount(mask)) != size) continue;
        std::vector<int32_t> set;
        for (size_t k = 0; k < all.size(); ++k) {
          if ((mask >> k & 1) != 0) set.push_back(all[k]);
        }
        if (concerns_pool(set) && is_conflict(set)) return set;
      }
    }
    return found;
  }

  bool concerns_pool(const std::vector<int32_t>& set) const {
    return std::any_of(set.begin(), set.end(), [&](int32_t i) {
      const std::vector<int32_t>& pools = model_.roots()[i].pools;
      return std::count(pools.begin(), pools.end(), pool_) != 0;
    });
  }

  std::vector<int32_t> with_bytes() const {
    std::vector<int32_t> set;
    for (int32_t i = 0; i < model_.count(); ++i) {
      if (bytes(i) > 0) set.push_back(i);
    }
    return set;
  }

  // Whether these have no room together, as far as a search with its share of the nodes can tell.
  bool is_conflict(const std::vector<int32_t>& set) {
    if (is_one_open_pool(model_)) {
      const Problem only = sub_problem(model_, set, pool_);
      const Model model(only, true, true);
      InPlaceSearch search(model);
      const InPlaceSearch::Answer answer = search.find(capacity_, share());
      spend(search.nodes());
      if (answer != InPlaceSearch::Answer::kSpent) {
        return answer == InPlaceSearch::Answer::kImpossible;
      }
    }
    if (static_cast<int32_t>(set.size()) <= kMostTried) {
      const Problem only = sub_problem(model_, set);
      const Model model(only, true, true);
      FewSearch search(model, share());
      const bool is_whole = search.run({1, 0, 0});  // whatever fits is better
      spend(search.nodes());
      return is_whole && search.places().empty();
    }
    if (is_one_open_pool(model_)) return false;
    const SpreadAnswer answer = has_no_plan(sub_problem(model_, set), share());
    spend(answer.nodes);
    return answer.is_proven;
  }
  uint64_t share() const { return std::min(share_, nodes_left_); }
  void spend(uint64_t nodes) { nodes_left_ -= std::min(nodes_left_, nodes); }

  const Model& model_;
  const int32_t pool_;
  const uint64_t capacity_;
  uint64_t nodes_left_;
  const uint64_t share_ = nodes_left_ / kShares;
  std::vector<int32_t> pool_of_;
};

}  // namespace

std::vector<int32_t> find_conflict(const Model& model, int32_t pool, uint64_t capacity,
                                   uint64_t max_nodes) {
  return Conflict(model, pool, capacity, max_nodes).find();
}

}  // namespace berth::plan
