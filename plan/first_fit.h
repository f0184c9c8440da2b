// Layouts by first fit: each root in turn at the lowest address that is free while it lives. For
// problems with one pool and nothing fixed, of any size: what is taken stands in lists by address,
// one per block of steps, so that a root that lives shortly looks at one or two lists and at none
// of the roots still to be placed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

class FirstFit {
 public:
  // `on_placed` is called for every root that is placed. REQUIRES: is_plain(model); the model
  // outlives this.
  explicit FirstFit(const Model& model, std::function<void()> on_placed = {});

  // Lays all roots out in this order. False as soon as the layout cannot be lower than `below`.
  bool run(const std::vector<int32_t>& order, uint64_t below);

  // The layout of the last run that returned true, per root.
  const std::vector<Placement>& places() const { return places_; }
  // Work so far: roots placed, and entries of lists looked at.
  uint64_t nodes() const { return nodes_; }
  uint64_t looks() const { return looks_; }

 private:
  struct Taken {
    uint64_t begin;
    uint64_t end;
    Span span;
  };

  uint64_t find(int32_t i, uint64_t below);
  void take(int32_t i, uint64_t at);

  const Model& model_;
  const std::function<void()> on_placed_;
  uint32_t block_ = 1;                     // steps
  std::vector<std::vector<Taken>> taken_;  // per block, by begin
  std::vector<Placement> places_;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;
};

}  // namespace berth::plan
