// Interval sets over instruction indices, half-open, sorted, never touching (touching ones are
// joined).
#pragma once

#include <vector>

#include "program/program.h"

namespace berth::place {

using Intervals = std::vector<program::Interval>;

inline bool contains(const Intervals& set, uint32_t step) {
  for (const program::Interval& i : set) {
    if (step >= i.begin && step < i.end) return true;
  }
  return false;
}

// Appends one step to a set that is built in ascending order.
inline void append_step(Intervals* set, uint32_t step) {
  if (!set->empty() && set->back().end == step) {
    set->back().end = step + 1;
  } else {
    set->push_back({step, step + 1});
  }
}

}  // namespace berth::place
