// The lives of roots in steps that are numbered from 0 on. Only steps at which something begins
// have a number: what is alive together is so at one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/plan.h"

namespace berth::plan {

struct Span {
  uint32_t from;
  uint32_t to;  // not empty
};

class NumberedLives {
 public:
  NumberedLives() = default;
  // Of steps, ascending and all different, at which lives begin.
  explicit NumberedLives(std::vector<Step> begins) : begins_(std::move(begins)) {}

  // The life of one more root.
  void add(const Intervals& live) {
    for (const Interval& life : live) spans_.push_back({number(life.begin), number(life.end)});
    first_.push_back(static_cast<uint32_t>(spans_.size()));
  }

  size_t steps() const { return begins_.size(); }
  struct Spans {
    const Span* first;
    const Span* last;
    const Span* begin() const { return first; }
    const Span* end() const { return last; }
  };
  // Of root i, ascending.
  Spans of(int32_t i) const { return {spans_.data() + first_[i], spans_.data() + first_[i + 1]}; }

 private:
  uint32_t number(Step step) const {
    return static_cast<uint32_t>(std::lower_bound(begins_.begin(), begins_.end(), step) -
                                 begins_.begin());
  }

  std::vector<Step> begins_;
  std::vector<Span> spans_;            // of all roots, one after the other
  std::vector<uint32_t> first_ = {0};  // per root, where its spans begin; and one more
};

}  // namespace berth::plan
