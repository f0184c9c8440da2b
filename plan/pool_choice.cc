// The bound on the cost. Each root not given yet pays at least its cheapest pool with room. Where
// those that like one pool best are more than it has room for at some step, the excess pays the
// difference to the next pool. Steps that have no root in common add up, so the worst such steps
// are picked by dynamic programming, as in weighted interval scheduling.
//
// The bound on the bytes. A pool is at least as high as what was given to it at any one step; what
// is not given and has no room beside that below those heights raises some of them.
#include "plan/pool_choice.h"

#include <algorithm>
#include <utility>

#include "plan/lives.h"

namespace berth::plan {
namespace {

constexpr uint64_t kNone = UINT64_MAX;

}  // namespace

// Columns are the sets alive at each begin, but those inside the next one. A taker may cost nothing
// at an option's step.
PoolChoice::PoolChoice(const Model& model, std::vector<uint64_t> capacities)
    : model_(model),
      capacities_(std::move(capacities)),
      columns_of_(model.roots().size()),
      pool_of_(model.roots().size(), -1),
      cheapest_(model.roots().size(), -1),
      step_up_(model.roots().size(), 0) {
  std::vector<Intervals> lives;
  for (const Root& root : model.roots()) lives.push_back(root.live);
  for (const InPlace& option : model.options()) {
    lives[option.taker] = without_step(lives[option.taker], option.step);
  }
  std::vector<Step> begins;
  for (const Intervals& live : lives) {
    for (const Interval& life : live) begins.push_back(life.begin);
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  std::vector<std::vector<int32_t>> sets(begins.size());
  for (int32_t i = 0; i < model.count(); ++i) {
    if (model.roots()[i].bytes == 0) continue;
    for (const Interval& life : lives[i]) {
      auto at = static_cast<size_t>(std::lower_bound(begins.begin(), begins.end(), life.begin) -
                                    begins.begin());
      for (; at < begins.size() && begins[at] < life.end; ++at) sets[at].push_back(i);
    }
  }
  for (size_t k = 0; k < sets.size(); ++k) {
    const bool is_inside =
        k + 1 < sets.size() &&
        std::includes(sets[k + 1].begin(), sets[k + 1].end(), sets[k].begin(), sets[k].end());
    if (is_inside) continue;
    for (int32_t i : sets[k]) columns_of_[i].push_back(static_cast<int32_t>(columns_.size()));
    columns_.push_back(std::move(sets[k]));
  }
  sums_.assign(capacities_.size(), std::vector<uint64_t>(columns_.size(), 0));
}

bool PoolChoice::has_room(int32_t i, int32_t pool) {
  const uint64_t bytes = model_.roots()[i].bytes;
  const uint64_t capacity = capacities_[pool];
  if (bytes > capacity) return false;
  if (capacity == kNone) return true;
  looks_ += columns_of_[i].size();
  const auto& sums = sums_[pool];
  return std::all_of(columns_of_[i].begin(), columns_of_[i].end(),
                     [&](int32_t c) { return sums[c] <= capacity - bytes; });
}

void PoolChoice::give(int32_t i, int32_t pool) {
  const uint64_t bytes = model_.roots()[i].bytes;
  pool_of_[i] = pool;
  cost_ += model_.roots()[i].weight() * model_.problem().pools[pool].cost;
  for (int32_t c : columns_of_[i]) sums_[pool][c] += bytes;
}

void PoolChoice::take_back(int32_t i) {
  const uint64_t bytes = model_.roots()[i].bytes;
  const int32_t pool = pool_of_[i];
  pool_of_[i] = -1;
  cost_ -= model_.roots()[i].weight() * model_.problem().pools[pool].cost;
  for (int32_t c : columns_of_[i]) sums_[pool][c] -= bytes;
}

uint64_t PoolChoice::saving(int32_t i) const {
  uint64_t least = kNone;
  uint64_t second = kNone;
  for (int32_t pool : model_.roots()[i].pools) {
    const uint64_t cost = model_.problem().pools[pool].cost;
    second = std::min(second, std::max(least, cost));
    least = std::min(least, cost);
  }
  return second == kNone ? kNone : (second - least) * model_.roots()[i].weight();
}

bool PoolChoice::find_bound(Score* bound) {
  bound->overflow = 0;
  bound->cost = cost_;
  for (int32_t i = 0; i < model_.count(); ++i) {
    if (pool_of_[i] >= 0) continue;
    uint64_t least = kNone;
    uint64_t second = kNone;
    for (int32_t pool : model_.roots()[i].pools) {
      const uint64_t cost = model_.problem().pools[pool].cost;
      if (!has_room(i, pool)) continue;
      if (cost < least) {
        second = least;
        least = cost;
        cheapest_[i] = pool;
      } else {
        second = std::min(second, cost);
      }
    }
    if (least == kNone) return false;
    step_up_[i] = second == kNone ? kNone : (second - least) * model_.roots()[i].accesses;
    bound->cost += least * model_.roots()[i].weight();
  }

  std::vector<uint64_t> worst(columns_.size() + 1, 0);  // of the columns before
  std::vector<uint64_t> wanted(sums_.size());
  std::vector<uint64_t> least_step(sums_.size());
  std::vector<uint64_t> peaks(sums_.size(), 0);
  for (size_t p = 0; p < sums_.size(); ++p) {
    for (uint64_t sum : sums_[p]) peaks[p] = std::max(peaks[p], sum);
  }
  uint64_t raised = 0;
  for (size_t c = 0; c < columns_.size(); ++c) {
    looks_ += columns_[c].size();
    std::fill(wanted.begin(), wanted.end(), 0);
    std::fill(least_step.begin(), least_step.end(), kNone);
    uint64_t open = 0;
    size_t first = c;  // column in which one of these roots is
    for (int32_t i : columns_[c]) {
      if (pool_of_[i] >= 0) continue;
      first = std::min(first, static_cast<size_t>(columns_of_[i].front()));
      const uint64_t bytes = model_.roots()[i].bytes;
      const int32_t pool = cheapest_[i];
      open += bytes;
      wanted[pool] += bytes;
      least_step[pool] = std::min(least_step[pool], step_up_[i]);
    }
    uint64_t extra = 0;
    uint64_t room = 0;
    for (size_t p = 0; p < sums_.size(); ++p) {
      room += peaks[p] - sums_[p][c];
      if (capacities_[p] == kNone || wanted[p] <= capacities_[p] - sums_[p][c]) continue;
      if (least_step[p] == kNone) return false;
      extra += (wanted[p] - (capacities_[p] - sums_[p][c])) * least_step[p];
    }
    if (open > room) raised = std::max(raised, open - room);
    worst[c + 1] = std::max(worst[c], worst[first] + extra);
  }
  bound->cost += worst.back();
  bound->bytes = raised;
  for (uint64_t peak : peaks) bound->bytes += peak;
  return true;
}

}  // namespace berth::plan
