#include "plan/fit.h"

#include <algorithm>

#include "contract/checked.h"

namespace berth::plan {
namespace {

constexpr uint64_t kNowhere = UINT64_MAX;

uint64_t beyond(const Model& model, int32_t pool, uint64_t bytes) {
  const auto& capacity = model.problem().pools[pool].capacity;
  return capacity && bytes > *capacity ? bytes - *capacity : 0;
}

}  // namespace

Fitter::Fitter(const Model& model) : model_(model) { reset(); }

void Fitter::reset() {
  placed_.assign(model_.roots().size(), false);
  places_.assign(model_.roots().size(), {});
  pool_bytes_.assign(model_.problem().pools.size(), 0);
  score_ = {};
  for (int32_t i = 0; i < model_.count(); ++i) {
    if (model_.roots()[i].fixed != nullptr) put(i, *model_.roots()[i].fixed);
  }
  made_.clear();
}

void Fitter::undo_to(size_t count) {
  for (; made_.size() > count; made_.pop_back()) {
    const Made& last = made_.back();
    placed_[last.root] = false;
    pool_bytes_[places_[last.root].pool] = last.pool_bytes;
    score_ = last.score;
  }
}

void Fitter::put(int32_t i, Placement at) {
  const Root& root = model_.roots()[i];
  made_.push_back({i, pool_bytes_[at.pool], score_});
  placed_[i] = true;
  places_[i] = at;
  score_.cost += root.weight() * model_.problem().pools[at.pool].cost;
  const uint64_t end = at.offset + root.bytes;
  uint64_t& top = pool_bytes_[at.pool];
  if (end > top) {
    score_.overflow += beyond(model_, at.pool, end) - beyond(model_, at.pool, top);
    score_.bytes += end - top;
    top = end;
  }
}

void Fitter::place(int32_t i, Fit fit) {
  const Root& root = model_.roots()[i];
  Placement least;
  uint64_t least_beyond = kNowhere;
  for (int32_t pool : root.pools) {
    const uint64_t offset = find(i, pool, fit);
    const uint64_t out = beyond(model_, pool, offset + root.bytes);
    if (out < least_beyond) {
      least = {pool, offset};
      least_beyond = out;
    }
    if (out == 0) break;
  }
  put(i, least);
}

uint64_t Fitter::find(int32_t i, int32_t pool, Fit fit) {
  ++nodes_;
  const Root& root = model_.roots()[i];
  if (root.bytes == 0) return 0;
  taken_.clear();
  partners_.clear();
  model_.for_each_neighbor(i, [&](int32_t j, bool in_place) {
    ++looks_;
    if (!placed_[j] || places_[j].pool != pool || model_.roots()[j].bytes == 0) return;
    const uint64_t begin = places_[j].offset;
    taken_.push_back({begin, begin + model_.roots()[j].bytes, in_place});
    if (in_place && begin % root.alignment == 0) partners_.push_back(begin);
  });
  std::sort(taken_.begin(), taken_.end(), [](const Taken& a, const Taken& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });

  uint64_t found = kNowhere;
  uint64_t found_gap = kNowhere;
  uint64_t floor = 0;
  for (const Taken& taken : taken_) {
    const uint64_t at = align_up(floor, root.alignment);
    if (taken.begin > floor && at + root.bytes <= taken.begin) {
      const uint64_t gap = taken.begin - floor;
      if (gap < found_gap) {
        found = at;
        found_gap = gap;
      }
      if (fit != Fit::kBest) break;
    }
    floor = std::max(floor, taken.end);
  }
  if (found == kNowhere) found = align_up(floor, root.alignment);

  // In place: at the offset of an option's other side, whose bytes do not count as taken there.
  for (uint64_t at : partners_) {
    if (fit == Fit::kFirst && at > found) continue;
    const bool blocked = std::any_of(taken_.begin(), taken_.end(), [&](const Taken& taken) {
      if (taken.in_place && taken.begin == at) return false;
      return std::max(taken.begin, at) < std::min(taken.end, at + root.bytes);
    });
    if (blocked) continue;
    found = at;
    if (fit != Fit::kFirst) break;
  }
  return found;
}

Score judge(const Model& model, const std::vector<Placement>& places) {
  Score score;
  std::vector<uint64_t> tops(model.problem().pools.size(), 0);
  for (int32_t i = 0; i < model.count(); ++i) {
    const Root& root = model.roots()[i];
    uint64_t& top = tops[places[i].pool];
    top = std::max(top, places[i].offset + root.bytes);
    score.cost += root.weight() * model.problem().pools[places[i].pool].cost;
  }
  for (size_t pool = 0; pool < tops.size(); ++pool) {
    score.overflow += beyond(model, static_cast<int32_t>(pool), tops[pool]);
    score.bytes += tops[pool];
  }
  return score;
}

}  // namespace berth::plan
