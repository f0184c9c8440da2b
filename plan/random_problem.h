// Random problems for tests, from a seed; the same everywhere.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace berth::plan {

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  // 0 .. limit-1. REQUIRES: limit > 0.
  uint32_t roll(uint32_t limit) {
    state_ ^= state_ << 13;  // xorshift64 (Marsaglia 2003)
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 11) % limit);
  }
  bool chance(uint32_t percent) { return roll(100) < percent; }

 private:
  uint64_t state_;
};

// What a random problem may contain.
struct Kinds {
  uint32_t buffers = 6;
  uint32_t steps = 8;
  uint32_t max_size = 20;
  bool holes = false;
  bool alignments = false;
  bool in_place = false;
  bool parts = false;
  bool fixed = false;  // at places far apart, so that they never collide
  bool near = false;   // ... or close together, so that they may
  uint32_t pools = 1;
  bool costs = true;        // of pools: 0, 1, 2, ...; else none
  bool accesses = false;    // 0 to 7 to each byte; else one
  bool capacities = false;  // of most pools, tight ones that many problems miss
};

inline Problem random_problem(uint64_t seed, const Kinds& kinds) {
  Dice dice(seed);
  Problem problem;
  for (uint32_t p = 0; p < kinds.pools; ++p) {
    problem.pools.push_back({"p" + std::to_string(p)});
    problem.pools.back().cost = kinds.costs ? p : 0;
  }
  for (uint32_t i = 0; i < kinds.buffers; ++i) {
    Buffer buffer;
    buffer.id = "b" + std::to_string(i);
    const Step begin = dice.roll(kinds.steps);
    buffer.live = {{begin, begin + 1 + dice.roll(kinds.steps / 2 + 1)}};
    if (kinds.holes && dice.chance(40)) {
      const Step again = buffer.live[0].end + dice.roll(3);
      buffer.live.push_back({again, again + 1 + dice.roll(3)});
    }
    buffer.size = dice.chance(5) ? 0 : 1 + dice.roll(kinds.max_size);
    if (kinds.alignments) buffer.alignment = 1u << dice.roll(5);
    if (kinds.pools > 1) {
      for (uint32_t p = 0; p < kinds.pools; ++p) {
        if (dice.chance(60)) buffer.pools.push_back(static_cast<int32_t>(p));
      }
    }
    if (kinds.accesses) buffer.accesses = dice.roll(8);
    if (kinds.fixed && dice.chance(15)) {
      const auto any = static_cast<int32_t>(dice.roll(kinds.pools));
      const int32_t pool = buffer.pools.empty() ? any : buffer.pools.front();
      buffer.fixed = Fixed{pool, uint64_t{64} * i};
      if (kinds.near) buffer.fixed->offset = dice.roll(4) * uint64_t{16};
    }
    problem.buffers.push_back(std::move(buffer));
  }
  for (uint32_t i = 1; i < kinds.buffers && kinds.parts; ++i) {
    Buffer& part = problem.buffers[i];
    const auto host = static_cast<int32_t>(dice.roll(i));
    const uint64_t room = problem.buffers[host].size;
    if (part.fixed || problem.buffers[host].fixed || part.size > room || !dice.chance(30)) continue;
    part.alignment = 1;
    part.inside = Inside{host, room == part.size ? 0 : dice.roll(uint32_t(room - part.size))};
    part.pools.clear();
  }
  for (uint32_t i = 0; i < kinds.buffers && kinds.in_place; ++i) {
    if (problem.buffers[i].inside) continue;
    for (uint32_t j = 0; j < kinds.buffers; ++j) {
      if (j == i) continue;
      // Half of the pairs that could, and a few that could not, which the planners must see.
      const bool could = problem.buffers[j].live.back().end == problem.buffers[i].live[0].begin + 1;
      if (dice.chance(could ? 50 : 5)) problem.buffers[i].may_share.push_back(int32_t(j));
    }
  }
  uint32_t bytes = 0;
  for (const Buffer& buffer : problem.buffers) bytes += static_cast<uint32_t>(buffer.size);
  for (Pool& pool : problem.pools) {
    if (!kinds.capacities || dice.chance(20)) continue;
    pool.capacity = bytes / (4 * kinds.pools) + dice.roll(bytes / kinds.pools + 1);
  }
  return problem;
}

}  // namespace berth::plan
