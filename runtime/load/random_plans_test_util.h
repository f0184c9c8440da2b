// Random programs with jumps over a few small buffers, and plans for them, good and bad: what the
// certificate's property test feeds to the prover.
//
// A buffer is one or two slots of 16 bytes; those of two have a value for each slot besides the
// whole one. Plans are made from true liveness or by looking at the order of instructions only
// (wrong where jumps are), then placed first fit or anywhere, then spoilt a little.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/pte_builder.h"

namespace berth::runtime::random_plans {

using testing::TestInterval;

inline constexpr uint32_t kSlotBytes = 16;
inline constexpr uint32_t kPoolSlots = 8;
inline constexpr uint32_t kMaxBuffers = 5;

enum class Act { kWrite, kUse, kUpdate, kCopy, kJump, kGoTo };

struct Step {
  Act act = Act::kUse;
  uint32_t buffer = 0;  // read by kUse, read and written by kUpdate, written by kWrite and kCopy
  int part = -1;        // -1: the whole
  uint32_t from = 0;    // kCopy
  int from_part = -1;
  uint32_t target = 0;

  bool reads(uint32_t b) const {
    return ((act == Act::kUse || act == Act::kUpdate) && buffer == b) ||
           (act == Act::kCopy && from == b);
  }
  bool writes(uint32_t b) const {
    return (act == Act::kWrite || act == Act::kUpdate || act == Act::kCopy) && buffer == b;
  }
  bool touches(uint32_t b) const { return reads(b) || writes(b); }
  bool is_jump() const { return act == Act::kJump || act == Act::kGoTo; }
};

struct Buffer {
  uint32_t slots = 1;
  uint32_t place = 0;  // slot in the pool
  bool input = false;
  bool output = false;
  bool state = false;
  std::vector<TestInterval> live;
};

struct Program {
  std::vector<Step> steps;
  std::vector<Buffer> buffers;
  uint32_t size() const { return static_cast<uint32_t>(steps.size()); }
};

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(engine_() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

inline Program random_program(Random& random) {
  Program program;
  program.buffers.resize(2 + random.below(kMaxBuffers - 1));
  for (Buffer& b : program.buffers) {
    b.slots = random.chance(40) ? 2 : 1;
    b.state = random.chance(6);
    b.input = !b.state && random.chance(20);
    b.output = random.chance(20);
  }
  const uint32_t buffers = static_cast<uint32_t>(program.buffers.size());
  const uint32_t n = 3 + random.below(11);
  for (uint32_t k = 0; k < n; ++k) {
    Step step;
    const uint32_t dice = random.below(100);
    step.act = dice < 34   ? Act::kWrite
               : dice < 62 ? Act::kUse
               : dice < 68 ? Act::kUpdate
               : dice < 80 ? Act::kCopy
               : dice < 94 ? Act::kJump
                           : Act::kGoTo;
    step.buffer = random.below(buffers);
    step.from = random.below(buffers);
    step.target = random.below(n + 1);
    if (program.buffers[step.buffer].slots == 2 && random.chance(35)) {
      step.part = static_cast<int>(random.below(2));
    }
    if (program.buffers[step.from].slots == 2 && random.chance(35)) {
      step.from_part = static_cast<int>(random.below(2));
    }
    program.steps.push_back(step);
  }
  return program;
}

inline std::vector<TestInterval> runs_of(const std::vector<bool>& live) {
  std::vector<TestInterval> intervals;
  for (uint32_t k = 0; k < live.size(); ++k) {
    if (!live[k]) continue;
    if (k == 0 || !live[k - 1]) intervals.push_back({k, k});
    intervals.back().end = k + 1;
  }
  return intervals;
}

// What really is needed later, over the jumps. `parts_begin`: the write of a part counts as a
// beginning.
inline void plan_by_liveness(Program& program, bool parts_begin) {
  const uint32_t n = program.size();
  for (uint32_t b = 0; b < program.buffers.size(); ++b) {
    Buffer& buffer = program.buffers[b];
    std::vector<bool> before(n + 1, false);
    before[n] = buffer.output || buffer.state;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t k = n; k-- > 0;) {
        const Step& step = program.steps[k];
        bool after = step.is_jump() && before[step.target];
        if (step.act != Act::kGoTo) after = after || before[k + 1];
        const bool begins =
            step.writes(b) && step.act != Act::kUpdate && (step.part < 0 || parts_begin);
        const bool now = step.reads(b) || (after && !begins);
        changed = changed || now != before[k];
        before[k] = now;
      }
    }
    std::vector<bool> live(n, buffer.state);
    for (uint32_t k = 0; k < n; ++k) {
      const Step& step = program.steps[k];
      live[k] = live[k] || before[k] || step.touches(b) || (k == 0 && buffer.input) ||
                (k + 1 == n && before[n]);
    }
    buffer.live = runs_of(live);
  }
}

// From each write to the last use before the next write, as if there were no jumps.
inline void plan_by_order(Program& program) {
  const uint32_t n = program.size();
  for (uint32_t b = 0; b < program.buffers.size(); ++b) {
    Buffer& buffer = program.buffers[b];
    buffer.live.clear();
    if (buffer.input || buffer.state) buffer.live.push_back({0, 1});
    for (uint32_t k = 0; k < n; ++k) {
      const Step& step = program.steps[k];
      if (!step.touches(b)) continue;
      const bool begins = step.writes(b) && !step.reads(b) && step.part < 0;
      if (buffer.live.empty() || (begins && buffer.live.back().end <= k))
        buffer.live.push_back({k, k + 1});
      buffer.live.back().end = k + 1;
    }
    if (!buffer.live.empty() && (buffer.output || buffer.state)) buffer.live.back().end = n;
    if (buffer.state) buffer.live = {{0, n}};
  }
}

inline bool meet(const Buffer& a, const Buffer& b) {
  for (const TestInterval& x : a.live) {
    for (const TestInterval& y : b.live) {
      if (x.begin < y.end && y.begin < x.end) return true;
    }
  }
  return false;
}

inline void place(Program& program, Random& random) {
  std::vector<uint32_t> order;
  for (uint32_t b = 0; b < program.buffers.size(); ++b) order.push_back(b);
  for (uint32_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + random.below(static_cast<uint32_t>(order.size()) - i)]);
  }
  for (uint32_t i = 0; i < order.size(); ++i) {
    Buffer& b = program.buffers[order[i]];
    b.place = random.below(kPoolSlots - b.slots + 1);
    if (random.chance(4)) continue;
    for (uint32_t slot = 0; slot + b.slots <= kPoolSlots; ++slot) {
      bool free = true;
      for (uint32_t j = 0; j < i; ++j) {
        const Buffer& other = program.buffers[order[j]];
        free = free && (!meet(b, other) || slot + b.slots <= other.place ||
                        other.place + other.slots <= slot);
      }
      if (!free) continue;
      b.place = slot;
      break;
    }
  }
}

inline void spoil(Program& program, Random& random) {
  Buffer& b = program.buffers[random.below(static_cast<uint32_t>(program.buffers.size()))];
  if (b.live.empty()) return;
  const uint32_t i = random.below(static_cast<uint32_t>(b.live.size()));
  switch (random.below(5)) {
    case 0:
      b.live[i].end += 1;
      break;
    case 1:
      b.live[i].end -= 1;
      break;
    case 2:
      b.live[i].begin += 1;
      break;
    case 3:
      b.live[i].begin -= b.live[i].begin > 0 ? 1 : 0;
      break;
    default:
      b.live.erase(b.live.begin() + i);
  }
}

}  // namespace berth::runtime::random_plans
