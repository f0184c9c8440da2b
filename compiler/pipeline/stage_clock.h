// What the pipelines have in common: time per stage, and a board's pools as the planner's.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "compiler/place/place.h"
#include "compiler/target/board.h"
#include "program/program.h"

namespace berth {

class StageClock {
 public:
  using OnStage = std::function<void(const std::string& stage, uint64_t nanoseconds)>;
  explicit StageClock(const OnStage& on_stage) : on_stage_(on_stage), last_(Clock::now()) {}
  void done(const std::string& stage) {
    if (!on_stage_) return;
    const auto now = Clock::now();
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_).count();
    on_stage_(stage, static_cast<uint64_t>(spent));
    last_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const OnStage& on_stage_;
  Clock::time_point last_;
};

inline std::vector<program::Pool> board_pools(const target::Board& board) {
  std::vector<program::Pool> pools;
  for (const target::Pool& pool : board.pools) {
    pools.push_back(
        {pool.name, pool.mem_id, pool.alignment, pool.size.value_or(0), pool.attributes});
  }
  return pools;
}

// REQUIRES: the pools of the place options are the board's, and perhaps others behind them.
inline place::PoolSpread board_spread(const target::Board& board) {
  place::PoolSpread spread;
  for (const target::Pool& pool : board.pools) spread.costs.push_back(pool.cost);
  return spread;
}

}  // namespace berth
