// Spans of steps with ranks, of which the first within a range is wanted again and again: a k-d
// tree over their two ends, each node with the least rank under it.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/numbered_lives.h"

namespace berth::plan {

class SpanTree {
 public:
  // Span i is `spans[i]`.
  explicit SpanTree(const std::vector<Span>& spans);

  // The spans in this order, the first has the least rank; others are not there.
  void fill(const std::vector<int32_t>& order);
  void remove(int32_t i);

  // The span of least rank that lies within `range`, -1 for none.
  int32_t first_within(const Span& range);

  // Nodes looked at so far.
  uint64_t looks() const { return looks_; }

 private:
  struct Node {
    Span least = {UINT32_MAX, UINT32_MAX};  // the least from and the least to of all under it
    Span most = {0, 0};
  };

  void visit(size_t node, const Span& range, int32_t* rank);

  size_t leaves_ = 1;
  std::vector<Node> nodes_;
  std::vector<int32_t> ranks_;    // per node
  std::vector<size_t> leaf_;      // per span
  std::vector<int32_t> at_rank_;  // the order
  uint64_t looks_ = 0;
};

}  // namespace berth::plan
