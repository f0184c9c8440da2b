// The jumps of a method as basic blocks, and walks over them against the direction of execution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "program/program.h"

namespace berth::place {

struct ControlFlow {
  struct Block {
    uint32_t begin = 0;  // instructions, half-open
    uint32_t end = 0;
    std::vector<uint32_t> successors;  // blocks
    std::vector<uint32_t> predecessors;
  };
  // In the order of the instructions. The last one is empty: it stands for the end of the method,
  // where outputs are read.
  std::vector<Block> blocks;
  std::vector<uint32_t> block_of;  // per instruction, and one more for the end
};

// A jump on the constant false, which no instruction changes, is unconditional.
// REQUIRES: program::validate found nothing.
ControlFlow find_control_flow(const program::Method& method);

// Whether the instruction never goes on to the next one.
bool is_unconditional(const ControlFlow& flow, uint32_t instruction);

// A step that defines what a walk looks for. One that is not sure to (a write through a value that
// may stand for several buffers, a part of the bytes) is met, and the walk goes on past it.
struct Definition {
  uint32_t step = 0;
  bool is_sure = true;
  int32_t value = -1;  // that is written
};

// From uses back to the definitions that reach them, along all paths: the liveness of one thing at
// a time. The cost is the number of blocks through which the thing is live.
class BackwardWalk {
 public:
  explicit BackwardWalk(const ControlFlow& flow) : flow_(flow), seen_(flow.blocks.size(), 0) {}

  // Forgets which blocks were seen: the next walks are about another thing.
  void start() { ++round_; }

  // Calls on_range(b, e) for every stretch of instructions through which a use at `step` (the
  // number of instructions: at the end) needs what was defined before, the defining instruction
  // included; on_definition(d) for those that reach it; on_entry() where the start of the method
  // is reached. `definitions` ascend by step; those at `step` itself come after the use. Blocks
  // that an earlier walk of this round went through whole are not walked again.
  // False when the budget is spent: the answer is not complete then.
  template <typename OnRange, typename OnDefinition, typename OnEntry>
  bool walk(uint32_t step, const std::vector<Definition>& definitions, uint64_t* budget,
            OnRange on_range, OnDefinition on_definition, OnEntry on_entry) {
    const uint32_t block = flow_.block_of[step];
    if (!back_to_definition(flow_.blocks[block].begin, step, definitions, on_range,
                            on_definition)) {
      return true;
    }
    enter(block, on_entry);
    while (!pending_.empty()) {
      const uint32_t next = pending_.back();
      pending_.pop_back();
      if (*budget == 0) {
        pending_.clear();
        return false;
      }
      --*budget;
      const ControlFlow::Block& b = flow_.blocks[next];
      if (back_to_definition(b.begin, b.end, definitions, on_range, on_definition)) {
        enter(next, on_entry);
      }
    }
    return true;
  }

 private:
  // True when the start of the block is reached.
  template <typename OnRange, typename OnDefinition>
  static bool back_to_definition(uint32_t begin, uint32_t end,
                                 const std::vector<Definition>& definitions, OnRange on_range,
                                 OnDefinition on_definition) {
    const auto after = std::lower_bound(
        definitions.begin(), definitions.end(), end,
        [](const Definition& definition, uint32_t step) { return definition.step < step; });
    for (auto i = static_cast<size_t>(after - definitions.begin());
         i-- > 0 && definitions[i].step >= begin;) {
      on_definition(definitions[i]);
      if (!definitions[i].is_sure) continue;
      on_range(definitions[i].step, end);
      // Others may define it at the same step.
      for (; i-- > 0 && definitions[i].step == definitions[i + 1].step;) {
        on_definition(definitions[i]);
      }
      return false;
    }
    on_range(begin, end);
    return true;
  }

  template <typename OnEntry>
  void enter(uint32_t block, OnEntry on_entry) {
    if (block == 0) on_entry();
    for (uint32_t p : flow_.blocks[block].predecessors) {
      if (seen_[p] == round_) continue;
      seen_[p] = round_;
      pending_.push_back(p);
    }
  }

  const ControlFlow& flow_;
  std::vector<uint64_t> seen_;  // the round in which a block was walked from its end
  uint64_t round_ = 0;
  std::vector<uint32_t> pending_;
};

// Calls on_range(b, e) for the instructions before which what `from` defined may still hold: from
// the next one to the next definitions on all paths, those included. False when the budget is
// spent.
template <typename OnRange>
bool walk_forward(const ControlFlow& flow, uint32_t from,
                  const std::vector<Definition>& definitions, uint64_t* budget, OnRange on_range) {
  // True when the end of the block is reached; `begin` is where to look from.
  const auto to_definition = [&](uint32_t begin, uint32_t end) {
    const auto next = std::lower_bound(
        definitions.begin(), definitions.end(), begin,
        [](const Definition& definition, uint32_t step) { return definition.step < step; });
    if (next != definitions.end() && next->step < end) {
      on_range(begin, next->step + 1);
      return false;
    }
    on_range(begin, end);
    return true;
  };
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<uint32_t> pending;
  const auto leave = [&](uint32_t block) {
    for (uint32_t next : flow.blocks[block].successors) {
      if (!seen[next]) pending.push_back(next);
      seen[next] = true;
    }
  };
  const uint32_t block = flow.block_of[from];
  if (to_definition(from + 1, flow.blocks[block].end)) leave(block);
  while (!pending.empty()) {
    const uint32_t next = pending.back();
    pending.pop_back();
    if (*budget == 0) return false;
    --*budget;
    if (to_definition(flow.blocks[next].begin, flow.blocks[next].end)) leave(next);
  }
  return true;
}

}  // namespace berth::place
