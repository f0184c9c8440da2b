// When buffers are live, as a plan record tells it: for each buffer some disjoint intervals of
// instructions, read in place. Part of certificate.cc, which checks them before it asks.
#pragma once

#include <cstdint>

namespace berth::runtime {

// Half-open.
struct Interval {
  uint32_t begin;
  uint32_t end;
};

// Pointers into the record; owns nothing.
class BufferIntervals {
 public:
  BufferIntervals() = default;
  // The intervals of buffer b are number start[b] to start[b + 1] - 1.
  BufferIntervals(const uint32_t* start, const Interval* intervals)
      : start_(start), intervals_(intervals) {}

  uint32_t first_of(uint32_t buffer) const { return start_[buffer]; }
  uint32_t end_of(uint32_t buffer) const { return start_[buffer + 1]; }
  const Interval& operator[](uint32_t i) const { return intervals_[i]; }
  const Interval& first(uint32_t buffer) const { return intervals_[start_[buffer]]; }
  const Interval& last(uint32_t buffer) const { return intervals_[start_[buffer + 1] - 1]; }

  // The interval of `buffer` that holds k, or null. REQUIRES: its intervals are sorted.
  const Interval* find(uint32_t buffer, uint32_t k) const {
    uint32_t low = first_of(buffer);
    uint32_t high = end_of(buffer);
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (k < intervals_[middle].begin) {
        high = middle;
      } else if (k >= intervals_[middle].end) {
        low = middle + 1;
      } else {
        return &intervals_[middle];
      }
    }
    return nullptr;
  }
  bool live_at(uint32_t buffer, uint32_t k) const {
    // Nearly all buffers have one interval.
    const Interval& live = first(buffer);
    return (live.begin <= k && k < live.end) || find(buffer, k) != nullptr;
  }
  // Whether two buffers are live at one instruction. REQUIRES: sorted.
  bool meet(uint32_t a, uint32_t b) const {
    uint32_t i = first_of(a);
    uint32_t j = first_of(b);
    while (i < end_of(a) && j < end_of(b)) {
      const Interval& x = intervals_[i];
      const Interval& y = intervals_[j];
      if (x.end <= y.begin) {
        ++i;
      } else if (y.end <= x.begin) {
        ++j;
      } else {
        return true;
      }
    }
    return false;
  }

 private:
  const uint32_t* start_ = nullptr;
  const Interval* intervals_ = nullptr;
};

}  // namespace berth::runtime
