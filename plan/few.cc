// Two searches, one in the other. The outer one gives each root a pool, and drops what is too dear,
// or too full at some step. The inner one lays out what came to one pool, and remembers that for
// the next time the same set comes to any.
//
// A layout that is pushed down as far as it goes has every root at 0, on the aligned end of another
// one, or at the address of an in-place partner; in the order of their addresses each is found from
// those before it. So that is the order in which the inner search places them: the next lies no
// lower than the last. In a column (roots alive at one step) that cannot share, all that is left
// comes above what is placed there, which ends most branches early.
#include "plan/few.h"

#include <algorithm>

#include "contract/checked.h"

namespace berth::plan {
namespace {

constexpr int32_t kMostRoots = 20;

}  // namespace

bool FewSearch::takes(const Model& model) { return model.count() <= kMostRoots; }

FewSearch::FewSearch(const Model& model, uint64_t max_nodes)
    : model_(model), max_nodes_(max_nodes) {
  const int32_t count = model.count();
  neighbors_.assign(count, 0);
  partners_.assign(count, 0);
  const auto& roots = model.roots();
  for (int32_t i = 0; i < count; ++i) {
    model.for_each_neighbor(i, [&](int32_t j, bool in_place) {
      if (roots[i].bytes == 0 || roots[j].bytes == 0) return;
      neighbors_[i] |= Set{1} << j;
      if (in_place) partners_[i] |= Set{1} << j;
    });
    for (const Interval& life : roots[i].live) {
      Set column = 0;
      for (int32_t j = 0; j < count; ++j) {
        for (const Interval& other : roots[j].live) {
          if (other.begin <= life.begin && life.begin < other.end) column |= Set{1} << j;
        }
      }
      columns_.push_back(column);
    }
    order_.push_back(i);
  }
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  std::sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
    if (roots[a].pools.size() != roots[b].pools.size()) {
      // What has no choice first.
      if (roots[a].pools.size() == 1 || roots[b].pools.size() == 1) {
        return roots[a].pools.size() == 1;
      }
    }
    return roots[a].bytes != roots[b].bytes ? roots[a].bytes > roots[b].bytes : a < b;
  });
  rest_.assign(order_.size() + 1, 0);
  for (size_t k = order_.size(); k-- > 0;) {
    uint64_t least = UINT64_MAX;
    for (int32_t pool : roots[order_[k]].pools) {
      least = std::min(least, model.problem().pools[pool].cost);
    }
    rest_[k] = rest_[k + 1] + roots[order_[k]].weight() * least;
  }
}

bool FewSearch::run(const Score& score) {
  best_ = score;
  sets_.assign(model_.problem().pools.size(), 0);
  assign(0, 0);
  return !spent();
}

void FewSearch::assign(size_t k, uint64_t cost) {
  if (spent()) return;
  ++nodes_;
  if (best_.overflow == 0) {
    const uint64_t least = cost + rest_[k];
    if (least > best_.cost) return;
    if (least == best_.cost) {
      uint64_t bytes = 0;
      for (Set set : sets_) bytes += live_bytes(set);
      if (bytes >= best_.bytes) return;
    }
  }
  if (k == order_.size()) {
    keep(cost);
    return;
  }
  const Root& root = model_.roots()[order_[k]];
  // Cheapest first: what is found then ends more of the rest.
  std::vector<int32_t> pools = root.pools;
  if (root.bytes == 0) pools.resize(1);
  std::stable_sort(pools.begin(), pools.end(), [&](int32_t a, int32_t b) {
    return model_.problem().pools[a].cost < model_.problem().pools[b].cost;
  });
  for (int32_t pool : pools) {
    const Set before = sets_[pool];
    sets_[pool] |= Set{1} << order_[k];
    if (has_room(sets_[pool], pool)) {
      assign(k + 1, cost + root.weight() * model_.problem().pools[pool].cost);
    }
    sets_[pool] = before;
  }
}

// False only when there is none. Searches where the fullest step leaves little.
bool FewSearch::has_room(Set set, int32_t pool) {
  const auto& capacity = model_.problem().pools[pool].capacity;
  if (!capacity) return true;
  const uint64_t live = live_bytes(set);
  if (live > *capacity) return false;
  if (*capacity - live > *capacity / 4) return true;
  const uint64_t height = lowest(set).height;
  return spent() || height <= *capacity;
}

void FewSearch::keep(uint64_t cost) {
  uint64_t bytes = 0;
  for (size_t p = 0; p < sets_.size(); ++p) {
    const uint64_t height = lowest(sets_[p]).height;
    const auto& capacity = model_.problem().pools[p].capacity;
    if (height == UINT64_MAX || (capacity && height > *capacity)) return;
    bytes += height;
  }
  const Score score = {0, cost, bytes};
  if (!(score < best_)) return;
  best_ = score;
  places_.assign(model_.roots().size(), {});
  for (size_t p = 0; p < sets_.size(); ++p) {
    const Stack& stack = lowest(sets_[p]);
    for (int32_t i = 0; i < model_.count(); ++i) {
      if (has(sets_[p], i)) places_[i] = {static_cast<int32_t>(p), stack.at[i]};
    }
  }
}

// No layout of the set is lower.
uint64_t FewSearch::live_bytes(Set set) const {
  uint64_t most = 0;
  for (int32_t i = 0; i < model_.count(); ++i) {
    if (!has(set, i)) continue;
    const Root& root = model_.roots()[i];
    most = std::max(most, root.bytes + (root.fixed != nullptr ? root.fixed->offset : 0));
  }
  for (Set column : columns_) {
    uint64_t bytes = 0;
    bool shares = false;
    for (int32_t i = 0; i < model_.count(); ++i) {
      if (!has(column & set, i)) continue;
      bytes += model_.roots()[i].bytes;
      shares = shares || (partners_[i] & column & set) != 0;
    }
    if (!shares) most = std::max(most, bytes);
  }
  return most;
}

const FewSearch::Stack& FewSearch::lowest(Set set) {
  const auto [entry, is_new] = stacks_.try_emplace(set);
  if (!is_new) return entry->second;
  stack_ = {UINT64_MAX, {}};
  at_.assign(model_.roots().size(), 0);
  placed_ = 0;
  grids_.clear();
  floor_ = live_bytes(set);
  Set left = 0;
  uint64_t top = 0;
  bool possible = true;
  for (int32_t i = 0; i < model_.count(); ++i) {
    if (!has(set, i)) continue;
    const Root& root = model_.roots()[i];
    grids_.push_back(root.alignment);
    if (root.fixed != nullptr) {
      possible = possible && is_free(i, root.fixed->offset);
      at_[i] = root.fixed->offset;
      placed_ |= Set{1} << i;
      top = std::max(top, root.fixed->offset + root.bytes);
    } else if (root.bytes > 0) {
      left |= Set{1} << i;
    }
  }
  std::sort(grids_.begin(), grids_.end());
  grids_.erase(std::unique(grids_.begin(), grids_.end()), grids_.end());
  if (possible) stack_up(left, 0, top);
  // What ended early is no answer; nobody asks again, as the nodes are spent.
  entry->second = std::move(stack_);
  return entry->second;
}

void FewSearch::stack_up(Set left, uint64_t lowest, uint64_t top) {
  if (spent()) return;
  ++nodes_;
  if (top >= stack_.height || stack_.height <= floor_) return;
  if (left == 0) {
    stack_ = {top, at_};
    return;
  }
  if (is_hopeless(left, lowest)) return;
  // The lowest address first: that alone always leads to a layout.
  std::vector<std::pair<uint64_t, int32_t>> ways;
  std::vector<uint64_t> candidates;
  for (int32_t i = 0; i < model_.count(); ++i) {
    if (!has(left, i)) continue;
    find_candidates(i, lowest, &candidates);
    for (uint64_t at : candidates) {
      if (is_free(i, at)) ways.push_back({at, i});
    }
  }
  std::sort(ways.begin(), ways.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const uint64_t a_bytes = model_.roots()[a.second].bytes;
    const uint64_t b_bytes = model_.roots()[b.second].bytes;
    return a_bytes != b_bytes ? a_bytes > b_bytes : a.second < b.second;
  });
  for (const auto& [at, i] : ways) {
    at_[i] = at;
    placed_ |= Set{1} << i;
    stack_up(left & ~(Set{1} << i), at, std::max(top, at + model_.roots()[i].bytes));
    placed_ &= ~(Set{1} << i);
  }
}

// Whether some column cannot end below the best.
bool FewSearch::is_hopeless(Set left, uint64_t lowest) const {
  if (stack_.height == UINT64_MAX) return false;
  for (Set column : columns_) {
    if ((column & left) == 0) continue;
    uint64_t top = lowest;
    uint64_t bytes = 0;
    bool shares = false;
    for (int32_t i = 0; i < model_.count(); ++i) {
      if (!has(column & (left | placed_), i)) continue;
      shares = shares || (partners_[i] & column & (left | placed_)) != 0;
      if (has(left, i)) {
        bytes += model_.roots()[i].bytes;
      } else if (model_.roots()[i].fixed == nullptr) {
        // The others of the column come no lower than it, and not into it.
        top = std::max(top, at_[i] + model_.roots()[i].bytes);
      }
    }
    if (!shares && top + bytes >= stack_.height) return true;
  }
  return false;
}

// Addresses from `lowest` on, ascending.
void FewSearch::find_candidates(int32_t i, uint64_t lowest,
                                std::vector<uint64_t>* candidates) const {
  candidates->clear();
  const uint64_t own = model_.roots()[i].alignment;
  const auto add = [&](uint64_t at) {
    if (at >= lowest && at % own == 0) candidates->push_back(at);
  };
  add(0);
  const bool shares = partners_[i] != 0;
  for (int32_t j = 0; j < model_.count(); ++j) {
    if (!has(placed_, j)) continue;
    if (share(i, j)) add(at_[j]);
    const uint64_t end = at_[j] + model_.roots()[j].bytes;
    if (!shares) {
      if (meet(i, j)) add(align_up(end, own));
      continue;
    }
    // A partner, yet to come, may lie on what this one does not meet, and have another grid.
    for (uint64_t grid : grids_) add(align_up(end, grid));
  }
  std::sort(candidates->begin(), candidates->end());
  candidates->erase(std::unique(candidates->begin(), candidates->end()), candidates->end());
}

bool FewSearch::is_free(int32_t i, uint64_t at) const {
  const uint64_t end = at + model_.roots()[i].bytes;
  for (int32_t j = 0; j < model_.count(); ++j) {
    if (!has(placed_ & neighbors_[i], j)) continue;
    if (end <= at_[j] || at_[j] + model_.roots()[j].bytes <= at) continue;
    if (at_[j] != at || !share(i, j)) return false;
  }
  return true;
}

}  // namespace berth::plan
