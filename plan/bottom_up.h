// Layouts from the bottom up: the root whose least free address (the top of what is placed and
// alive with it) is least comes next, ties by rank. For problems with one pool and nothing fixed,
// of any size: a tree over the steps holds the tops, so that a root costs its neighbours nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

class BottomUp {
 public:
  // REQUIRES: is_plain(model); the model outlives this.
  explicit BottomUp(const Model& model);

  // Lays all roots out; `order` is the rank, the first wins ties. False as soon as the layout
  // cannot be lower than `below`.
  bool run(const std::vector<int32_t>& order, uint64_t below);

  // The layout of the last run that returned true, per root, and its height.
  const std::vector<Placement>& places() const { return places_; }
  uint64_t height() const { return height_; }
  // Work so far: roots placed, and nodes of the tree looked at.
  uint64_t nodes() const { return nodes_; }
  uint64_t looks() const { return looks_; }

 private:
  // Of steps, numbered by begins.
  struct Span {
    uint32_t from;
    uint32_t to;
  };

  uint64_t top(int32_t i);
  void set_top(int32_t i, uint64_t top);

  const Model& model_;
  std::vector<Span> spans_;      // of all roots, one after the other
  std::vector<uint32_t> first_;  // per root: where its spans begin, and one more at the end
  size_t leaves_ = 1;
  // The tree: the highest top under each node, and tops set for all of a node, which stay there.
  std::vector<uint64_t> most_;
  std::vector<uint64_t> all_;
  std::vector<Placement> places_;
  uint64_t height_ = 0;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;
};

}  // namespace berth::plan
