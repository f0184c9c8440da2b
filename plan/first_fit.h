// Layouts by first fit: each root in turn at the lowest address that is free while it lives. For
// problems with one pool and nothing fixed, of any size. Steps are cut into blocks. Most of what is
// in a root's way lives through whole blocks or, if the root itself does, anywhere in them; there
// it does not matter who that is, and what is taken grows together to a few ranges of addresses.
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
  // Work so far: roots placed, and ranges and entries of blocks looked at.
  uint64_t nodes() const { return nodes_; }
  uint64_t looks() const { return looks_; }

 private:
  struct Range {  // of addresses
    uint64_t begin;
    uint64_t end;
  };
  struct Taken {
    Range range;
    Span span;
  };
  struct Block {
    std::vector<Range> at_times;  // taken at any of its steps; disjoint, by address
    std::vector<Range> always;    // taken at all of them; likewise
    std::vector<Taken> partly;    // each of the rest, by begin
  };

  static void add(const Range& range, std::vector<Range>* ranges);
  uint64_t rise(const std::vector<Range>& ranges, uint64_t at, const Root& root);
  uint64_t rise(const std::vector<Taken>& taken, const Span& span, uint64_t at, const Root& root);
  uint64_t find(int32_t i, uint64_t below);
  void take(int32_t i, uint64_t at);
  bool is_whole(const Span& span, uint32_t block) const {
    return span.from <= block * block_ && (block + 1) * block_ <= span.to;
  }

  const Model& model_;
  const std::function<void()> on_placed_;
  uint32_t block_ = 1;  // steps
  std::vector<Block> blocks_;
  std::vector<Placement> places_;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;
};

}  // namespace berth::plan
