// Layouts from the bottom up: the root whose least free address (the top of what is placed and
// alive with it) is least comes next, ties by rank. For problems with one pool and nothing fixed,
// of any size: a root costs its neighbours nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plan/model.h"
#include "plan/span_tree.h"

namespace berth::plan {

class BottomUp {
 public:
  // `on_placed` is called for every root that is placed. REQUIRES: is_plain(model); the model
  // outlives this.
  explicit BottomUp(const Model& model, std::function<void()> on_placed = {});

  // Lays all roots out; `order` is the rank, the first wins ties. False as soon as the layout
  // cannot be lower than `below`.
  bool run(const std::vector<int32_t>& order, uint64_t below);

  // The layout of the last run that returned true, per root, and its height.
  const std::vector<Placement>& places() const { return places_; }
  uint64_t height() const { return height_; }
  // Work so far: roots placed, and nodes of trees looked at.
  uint64_t nodes() const { return nodes_; }
  uint64_t looks() const { return looks_ + (waiting_ ? waiting_->looks() : 0); }

 private:
  bool run_by_valleys(const std::vector<int32_t>& order, uint64_t below);
  bool run_by_lows(const std::vector<int32_t>& order, uint64_t below);
  bool place(int32_t i, uint64_t at, uint64_t below);
  uint64_t top(int32_t i);
  void set_top(int32_t i, uint64_t top);

  const Model& model_;
  const std::function<void()> on_placed_;
  // Those still to be placed, where tops are enough to tell who lies lowest: all lives are one
  // interval, and no alignment lifts one root more than another.
  std::optional<SpanTree> waiting_;
  // Elsewhere a tree over the steps: the highest top under each node, and tops set for all of a
  // node, which stay there.
  std::vector<uint64_t> most_;
  std::vector<uint64_t> all_;
  size_t leaves_ = 1;
  std::vector<Placement> laid_;  // of this run
  uint64_t top_ = 0;
  std::vector<Placement> places_;
  uint64_t height_ = 0;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;
};

}  // namespace berth::plan
