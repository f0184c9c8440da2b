// Interval sets over instruction indices, half-open, sorted, never touching (touching ones are
// joined).
#pragma once

#include <algorithm>
#include <vector>

#include "program/program.h"

namespace berth::place {

using Intervals = std::vector<program::Interval>;

// The interval that holds the step, or null.
inline const program::Interval* find_interval(const Intervals& set, uint32_t step) {
  const auto after = std::upper_bound(
      set.begin(), set.end(), step,
      [](uint32_t s, const program::Interval& interval) { return s < interval.begin; });
  if (after == set.begin() || step >= (after - 1)->end) return nullptr;
  return &*(after - 1);
}

inline bool contains(const Intervals& set, uint32_t step) {
  return find_interval(set, step) != nullptr;
}

// Sorts what was gathered in any order, joins what overlaps or touches, drops what is empty.
inline void normalize(Intervals* set) {
  std::sort(set->begin(), set->end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  size_t kept = 0;
  for (const program::Interval& interval : *set) {
    if (interval.begin == interval.end) continue;
    if (kept > 0 && interval.begin <= (*set)[kept - 1].end) {
      (*set)[kept - 1].end = std::max((*set)[kept - 1].end, interval.end);
    } else {
      (*set)[kept++] = interval;
    }
  }
  set->resize(kept);
}

// The steps in both; both normalized.
inline Intervals intersect(const Intervals& a, const Intervals& b) {
  Intervals out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint32_t begin = std::max(a[i].begin, b[j].begin);
    const uint32_t end = std::min(a[i].end, b[j].end);
    if (begin < end) out.push_back({begin, end});
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

}  // namespace berth::place
