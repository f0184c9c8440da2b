// When the bytes of each storage matter: interval sets over instruction indices, from liveness over
// the jumps.
#pragma once

#include <vector>

#include "compiler/place/effects.h"
#include "compiler/place/homes.h"
#include "compiler/place/intervals.h"
#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

// Steps of one analysis of a method: what a hostile file may cost. A network of 10^5 instructions
// takes a thousandth.
constexpr uint64_t kStepBudget = uint64_t{1} << 26;

// A storage is cut at the bounds of all its values; the pieces are what is live or not, so that the
// parts of a concatenation begin one by one and a whole write ends what was there before.
struct Segment {
  int32_t storage = 0;
  uint64_t begin = 0;  // bytes in the storage, half-open
  uint64_t end = 0;
  // Where it is read or written, or carries bytes that are read later.
  Intervals live;
};

struct Lifetimes {
  // Per storage; empty for storages that lie in no pool. A storage is occupied at instruction k
  // when it is read or written there, or carries bytes through it. Inputs are occupied at 0, state
  // throughout, outputs to the end. A method without instructions counts as one step.
  std::vector<Intervals> live;
  std::vector<Segment> segments;      // sorted by storage, then by begin
  std::vector<size_t> first_segment;  // per storage, and one more
  std::vector<Effects> effects;       // per instruction
  Homes homes;
  uint32_t steps = 0;  // instructions, at least 1

  // Calls visit(index of a segment) for those under `bytes` bytes from `home`; a storage of no
  // bytes has one segment, which every value of it touches.
  template <typename Visit>
  void for_segments(const Home& home, uint64_t bytes, Visit visit) const;
};

// Fails when the method jumps and moves values about so much that following it would take forever
// (no model does). REQUIRES: program::validate found nothing.
Result<Lifetimes> find_lifetimes(const program::Method& method);

template <typename Visit>
void Lifetimes::for_segments(const Home& home, uint64_t bytes, Visit visit) const {
  const auto first = segments.begin() +
                     static_cast<std::ptrdiff_t>(first_segment[static_cast<size_t>(home.storage)]);
  const auto last = segments.begin() + static_cast<std::ptrdiff_t>(
                                           first_segment[static_cast<size_t>(home.storage) + 1]);
  if (last - first == 1 && first->begin == first->end) {
    visit(static_cast<size_t>(first - segments.begin()));
    return;
  }
  auto segment = std::lower_bound(
      first, last, home.offset, [](const Segment& s, uint64_t offset) { return s.end <= offset; });
  for (; segment != last && segment->begin < home.offset + bytes; ++segment) {
    visit(static_cast<size_t>(segment - segments.begin()));
  }
}

}  // namespace berth::place
