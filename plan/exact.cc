// Depth-first search over layouts that are pushed down as far as they go, built from the lowest
// address up. In such a layout every root starts at the top of those placed before it that are
// alive with it (its "low"), and taking the roots in order of address, ties by index, each layout
// is met once. A branch ends when something still to come cannot stay below the best: a root above
// its low, or all roots alive at one step stacked on the lowest of their lows. Exact, and
// exponential: for a dozen or two of roots.
#include "plan/exact.h"

#include <algorithm>

#include "contract/checked.h"

namespace berth::plan {
namespace {

class Search {
 public:
  Search(const Model& model, uint64_t limit, uint64_t floor, uint64_t max_nodes)
      : model_(model), limit_(limit), floor_(floor), max_nodes_(max_nodes) {
    const auto count = static_cast<size_t>(model.count());
    neighbors_.resize(count);
    offsets_.assign(count, 0);
    for (int32_t i = 0; i < model.count(); ++i) {
      if (model.roots()[i].bytes == 0) continue;  // fits anywhere, 0 included
      left_.push_back(i);
      model.for_each_neighbor(i, [&](int32_t j, bool) { neighbors_[i].push_back(j); });
    }
    find_crowds();
    find_twins();
    lows_.assign(count, 0);
  }

  Exhausted run() {
    descend(0, -1, 0);
    result_.complete = !cut_;
    return std::move(result_);
  }

 private:
  const Root& root(int32_t i) const { return model_.roots()[i]; }

  // Who is alive together: the sets at each begin, without those inside another.
  void find_crowds() {
    for (int32_t i : left_) {
      for (const Interval& life : root(i).live) {
        std::vector<int32_t> crowd;
        for (int32_t j : left_) {
          for (const Interval& other : root(j).live) {
            if (other.begin <= life.begin && life.begin < other.end) crowd.push_back(j);
          }
        }
        crowds_.push_back(std::move(crowd));
      }
    }
    std::sort(crowds_.begin(), crowds_.end(), [](const auto& a, const auto& b) {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
    std::vector<std::vector<int32_t>> kept;
    for (const auto& crowd : crowds_) {
      const bool inside = std::any_of(kept.begin(), kept.end(), [&](const auto& larger) {
        return std::includes(larger.begin(), larger.end(), crowd.begin(), crowd.end());
      });
      if (!inside) kept.push_back(crowd);
    }
    crowds_ = std::move(kept);
  }

  // Roots that are alike in everything: only one order of them needs a look.
  void find_twins() {
    twin_.assign(static_cast<size_t>(model_.count()), -1);
    for (size_t a = 0; a < left_.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        const Root& x = root(left_[a]);
        const Root& y = root(left_[b]);
        const bool alike = x.bytes == y.bytes && x.alignment == y.alignment &&
                           std::equal(x.live.begin(), x.live.end(), y.live.begin(), y.live.end(),
                                      [](const Interval& u, const Interval& v) {
                                        return u.begin == v.begin && u.end == v.end;
                                      });
        if (alike) twin_[left_[a]] = left_[b];
      }
    }
  }

  bool hopeless(uint64_t last) const {
    for (int32_t i : left_) {
      if (std::max(lows_[i], last) + root(i).bytes >= limit_) return true;
    }
    for (const auto& crowd : crowds_) {
      uint64_t base = UINT64_MAX;
      uint64_t bytes = 0;
      for (int32_t i : crowd) {
        if (is_placed(i)) continue;
        base = std::min(base, std::max(lows_[i], last));
        bytes += root(i).bytes;
      }
      if (bytes > 0 && base + bytes >= limit_) return true;
    }
    return false;
  }

  bool is_placed(int32_t i) const {
    return std::find(left_.begin(), left_.end(), i) == left_.end();
  }

  // `last` was placed at `offset`, nothing above; `top` is the highest end.
  void descend(uint64_t offset, int32_t last, uint64_t top) {
    if (left_.empty()) {
      limit_ = top;
      std::vector<Placement> places;
      const int32_t pool = model_.count() == 0 ? 0 : root(0).pools.front();
      for (uint64_t at : offsets_) places.push_back({pool, at});
      result_.better = std::move(places);
      return;
    }
    if (hopeless(offset)) return;
    std::vector<int32_t> next;
    for (int32_t i : left_) {
      if (lows_[i] < offset || (lows_[i] == offset && i < last)) continue;
      if (twin_[i] >= 0 && !is_placed(twin_[i])) continue;
      next.push_back(i);
    }
    // The lowest first, of equals the largest: the first descent is a fair plan.
    std::sort(next.begin(), next.end(), [&](int32_t a, int32_t b) {
      if (lows_[a] != lows_[b]) return lows_[a] < lows_[b];
      return root(a).bytes != root(b).bytes ? root(a).bytes > root(b).bytes : a < b;
    });
    for (int32_t i : next) {
      if (limit_ <= floor_) return;
      cut_ = cut_ || result_.nodes == max_nodes_;
      if (cut_) return;
      ++result_.nodes;
      const uint64_t at = lows_[i];
      const uint64_t end = at + root(i).bytes;
      if (end >= limit_) continue;
      const std::vector<uint64_t> old_lows = lows_;
      const std::vector<int32_t> old_left = left_;
      offsets_[i] = at;
      left_.erase(std::find(left_.begin(), left_.end(), i));
      for (int32_t j : neighbors_[i]) {
        lows_[j] = std::max(lows_[j], align_up(end, root(j).alignment));
      }
      descend(at, i, std::max(top, end));
      lows_ = old_lows;
      left_ = old_left;
    }
  }

  const Model& model_;
  uint64_t limit_;
  const uint64_t floor_;
  const uint64_t max_nodes_;
  std::vector<std::vector<int32_t>> neighbors_;
  std::vector<std::vector<int32_t>> crowds_;
  std::vector<int32_t> twin_;  // per root: the one like it before it, -1 for none
  std::vector<int32_t> left_;  // not placed, by index
  std::vector<uint64_t> lows_;
  std::vector<uint64_t> offsets_;
  bool cut_ = false;  // stopped before the end
  Exhausted result_;
};

}  // namespace

bool is_plain(const Model& model) {
  if (!model.options().empty()) return false;
  for (const Root& root : model.roots()) {
    if (root.fixed != nullptr || root.pools.size() != 1) return false;
    if (root.pools.front() != model.roots().front().pools.front()) return false;
  }
  return true;
}

Exhausted search_all(const Model& model, uint64_t limit, uint64_t floor, uint64_t max_nodes) {
  return Search(model, limit, floor, max_nodes).run();
}

}  // namespace berth::plan
