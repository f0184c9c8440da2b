// Lives as sets of steps, for the searches that take problems apart and put them together anew.
#pragma once

#include <algorithm>

#include "plan/plan.h"

namespace berth::plan {

inline bool lives_at(const Intervals& live, Step step) {
  return std::any_of(live.begin(), live.end(),
                     [&](const Interval& i) { return i.begin <= step && step < i.end; });
}

// May be empty.
inline Intervals without_step(const Intervals& live, Step step) {
  Intervals out;
  for (const Interval& life : live) {
    if (step < life.begin || step >= life.end) {
      out.push_back(life);
      continue;
    }
    if (life.begin < step) out.push_back({life.begin, step});
    if (step + 1 < life.end) out.push_back({step + 1, life.end});
  }
  return out;
}

inline Intervals union_of(Intervals a, const Intervals& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end(),
            [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
  Intervals out;
  for (const Interval& i : a) {
    if (!out.empty() && i.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, i.end);
    } else {
      out.push_back(i);
    }
  }
  return out;
}

inline Intervals common_steps(const Intervals& a, const Intervals& b) {
  Intervals out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Step from = std::max(a[i].begin, b[j].begin);
    const Step to = std::min(a[i].end, b[j].end);
    if (from < to) out.push_back({from, to});
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return out;
}

}  // namespace berth::plan
