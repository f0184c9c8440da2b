// program -> plan::Problem, plan -> program. Serves compile (a new program) and replan (a program
// of someone else).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contract/result.h"
#include "plan/plan.h"
#include "program/program.h"

namespace berth::place {

// --spread: every buffer may go to every pool that its users reach (spread_pools.h).
struct PoolSpread {
  std::vector<uint64_t> costs;  // of a byte, per pool
  // Per backend, the attributes of the pools that it reaches. Buffers of others stay where they
  // are.
  std::map<std::string, std::vector<std::string>> reach;
  bool is_replan = false;  // pools of storages are where a file has them, not what was asked for
};

struct PlaceOptions {
  plan::Planner planner = plan::Planner::kBest;
  bool reuse = true;                 // false: every buffer its own bytes, whatever the planner
  std::vector<program::Pool> pools;  // of the board; the first one with mem_id 1 is the default
  std::function<void(const plan::Progress&)> on_progress = {};  // as plan::Options::progress
  std::optional<PoolSpread> spread = {};
};

// Gives every planned storage of every method a place, fills Method::pools and Method::plan.
// In-place options that the planner took merge two storages into one. Each plan is proven by
// plan/check before anything is written back; *program is changed only on success. Fails when a
// pool is too small (pool, need, have, shortage, instruction, the buffers live there), when a
// storage asks for a pool that the board lacks. Methods share their pools; where there are several,
// each keeps off the state of the others.
MaybeError place(program::Program* program, const PlaceOptions& options);

// Lets the record ask for base addresses that are aligned for every buffer: an offset that is a
// multiple of 64 is an address of one where the pool begins at one. Does nothing without a record.
void raise_pool_alignments(program::Program* program);

// "3 cortex_m::quantized_conv2d.out": what an owner is called in messages and reports.
std::string instruction_name(const program::Method& method, int32_t instruction);

}  // namespace berth::place
