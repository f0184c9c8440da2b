#include "plan/bottom_up.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "contract/checked.h"

namespace berth::plan {

BottomUp::BottomUp(const Model& model) : model_(model) {
  // Something can only get in the way where it begins.
  std::vector<Step> begins;
  for (const Root& root : model.roots()) {
    for (const Interval& life : root.live) begins.push_back(life.begin);
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  const auto number = [&](Step step) {
    return static_cast<uint32_t>(std::lower_bound(begins.begin(), begins.end(), step) -
                                 begins.begin());
  };
  for (const Root& root : model.roots()) {
    first_.push_back(static_cast<uint32_t>(spans_.size()));
    for (const Interval& life : root.live) spans_.push_back({number(life.begin), number(life.end)});
  }
  first_.push_back(static_cast<uint32_t>(spans_.size()));
  while (leaves_ < begins.size()) leaves_ *= 2;
}

bool BottomUp::run(const std::vector<int32_t>& order, uint64_t below) {
  most_.assign(2 * leaves_, 0);
  all_.assign(2 * leaves_, 0);
  std::vector<Placement> places(model_.roots().size());
  uint64_t height = 0;
  // Lows from some time ago: tops only rise, so the least of all that still holds is the least.
  using Entry = std::tuple<uint64_t, int32_t, int32_t>;  // low, rank, root
  std::vector<Entry> entries;
  for (size_t k = 0; k < order.size(); ++k) {
    entries.push_back({0, static_cast<int32_t>(k), order[k]});
  }
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next({}, std::move(entries));
  while (!next.empty()) {
    const auto [old_low, rank, i] = next.top();
    next.pop();
    const Root& root = model_.roots()[i];
    // An entry is a low that was aligned; what takes no bytes lies anywhere.
    const uint64_t low = root.bytes == 0 ? 0 : align_up(top(i), root.alignment);
    if (low + root.bytes >= below) return false;
    if (low > old_low) {
      next.push({low, rank, i});
      continue;
    }
    ++nodes_;
    places[i] = {root.pools.front(), low};
    height = std::max(height, low + root.bytes);
    if (root.bytes > 0) set_top(i, low + root.bytes);
  }
  places_ = std::move(places);
  height_ = height;
  return true;
}

// The highest top over the life of root i. A node's own ancestors may hold tops set for all of
// them.
uint64_t BottomUp::top(int32_t i) {
  uint64_t top = 0;
  for (uint32_t s = first_[i]; s < first_[i + 1]; ++s) {
    size_t from = spans_[s].from + leaves_;
    size_t to = spans_[s].to - 1 + leaves_;
    for (size_t a = from, b = to; a >= 1; a /= 2, b /= 2, ++looks_) {
      top = std::max({top, all_[a], all_[b]});
    }
    for (++to; from < to; from /= 2, to /= 2, ++looks_) {
      if (from % 2 == 1) top = std::max(top, most_[from++]);
      if (to % 2 == 1) top = std::max(top, most_[--to]);
    }
  }
  return top;
}

// REQUIRES: no top over the life of root i is higher.
void BottomUp::set_top(int32_t i, uint64_t top) {
  for (uint32_t s = first_[i]; s < first_[i + 1]; ++s) {
    size_t from = spans_[s].from + leaves_;
    size_t to = spans_[s].to + leaves_;
    for (size_t a = from, b = to; a < b; a /= 2, b /= 2, ++looks_) {
      if (a % 2 == 1) all_[a] = most_[a] = top, ++a;
      if (b % 2 == 1) --b, all_[b] = most_[b] = top;
    }
    for (size_t a = from, b = to - 1; a >= 1; a /= 2, b /= 2, ++looks_) {
      most_[a] = std::max(most_[a], top);
      most_[b] = std::max(most_[b], top);
    }
  }
}

}  // namespace berth::plan
