// The problem as planners want it: parts folded into their hosts, lives merged, and who is alive
// together with whom.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/numbered_lives.h"
#include "plan/plan.h"

namespace berth::plan {

// A buffer that is no part of another, with all its parts.
struct Root {
  int32_t buffer = 0;      // its index in the problem
  uint64_t size = 0;       // as given
  uint64_t bytes = 0;      // rounded
  uint64_t accesses = 1;   // of each byte
  uint32_t alignment = 1;  // its own or a part's, whichever is largest
  Step begin = 0;          // the hull of its life
  Step end = 0;
  Intervals live;              // merged: no two touch
  std::vector<int32_t> pools;  // never empty; only the fixed one when it is fixed
  const Fixed* fixed = nullptr;

  // What it costs in a pool of cost 1.
  uint64_t weight() const { return bytes * accesses; }
};

// Two roots that may start at the same offset although both are alive at `step`.
struct InPlace {
  int32_t taker = 0;
  int32_t giver = 0;
  Step step = 0;
};

class Model {
 public:
  // REQUIRES: validate(problem) found nothing; the problem outlives the model. Without holes every
  // life is its hull; without in-place no option is looked at.
  Model(const Problem& problem, bool use_holes, bool use_in_place);

  const Problem& problem() const { return *problem_; }
  const std::vector<Root>& roots() const { return roots_; }
  int32_t count() const { return static_cast<int32_t>(roots_.size()); }
  const std::vector<InPlace>& options() const { return options_; }
  bool has_holes() const { return has_holes_; }
  const NumberedLives& lives() const { return lives_; }

  // Calls visit(j, in_place) for each root j that is alive together with root i, in a fixed order.
  // j can come several times in problems too large for lists (below).
  template <typename Visit>
  void for_each_neighbor(int32_t i, Visit visit) const {
    if (!lists_.empty()) {
      for (uint32_t entry : lists_[i]) visit(static_cast<int32_t>(entry >> 1), (entry & 1) != 0);
      return;
    }
    for (const Interval& life : roots_[i].live) {
      for_each_alive(life, [&](int32_t j) {
        if (j != i) visit(j, !partners_[i].empty() && is_option(i, j));
      });
    }
  }

  // A plan from the place of each root. Fills placements, pool_bytes, pool_alignment, cost.
  Plan expand(const std::vector<Placement>& roots) const;

 private:
  // Interval `life` of root `root`, in order of begin, with the implicit tree of latest ends over
  // them.
  struct RootInterval {
    Interval life;
    int32_t root;
  };

  void fold_parts();
  void find_options();
  void index_spans();
  void list_neighbors();
  bool is_option(int32_t i, int32_t j) const;

  template <typename Visit>
  void for_each_alive(const Interval& life, Visit visit) const {
    // Spans that begin before `life` ends are a prefix; among those the tree finds the ones that
    // end after it begins.
    size_t last = spans_.size();
    size_t first = 0;
    while (first < last) {
      const size_t middle = (first + last) / 2;
      if (spans_[middle].life.begin < life.end) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    visit_tree(1, 0, leaves_, first, life.begin, visit);
  }
  template <typename Visit>
  void visit_tree(size_t node, size_t from, size_t to, size_t limit, Step after,
                  Visit& visit) const {
    if (from >= limit || latest_[node] <= after) return;
    if (to - from == 1) {
      visit(spans_[from].root);
      return;
    }
    const size_t middle = (from + to) / 2;
    visit_tree(2 * node, from, middle, limit, after, visit);
    visit_tree(2 * node + 1, middle, to, limit, after, visit);
  }

  const Problem* problem_;
  bool use_holes_;
  bool has_holes_ = false;
  std::vector<Root> roots_;
  std::vector<int32_t> root_of_;                // per buffer
  std::vector<uint64_t> depth_;                 // per buffer: bytes from the start of its root
  std::vector<InPlace> options_;                // usable ones, by step
  std::vector<std::vector<int32_t>> partners_;  // per root: the other side of its options
  std::vector<RootInterval> spans_;
  std::vector<Step> latest_;
  size_t leaves_ = 1;
  NumberedLives lives_;
  // Per root: neighbor * 2 + in_place; empty when too many.
  std::vector<std::vector<uint32_t>> lists_;
};

// One pool, nothing fixed, no in-place options.
bool is_plain(const Model& model);

}  // namespace berth::plan
