// A choice of pools under construction: roots are given to pools one at a time, and a bound tells
// how good the choice can still become. Addresses do not matter here: a pool has room as long as
// its capacity is not passed at any step.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/fit.h"
#include "plan/model.h"

namespace berth::plan {

class PoolChoice {
 public:
  // `capacities`: per pool; UINT64_MAX for none. The model outlives this.
  PoolChoice(const Model& model, std::vector<uint64_t> capacities);

  // Whether the pool has room for root i. REQUIRES: i is not given.
  bool has_room(int32_t i, int32_t pool);
  void give(int32_t i, int32_t pool);
  void take_back(int32_t i);
  // -1 when it is not given.
  int32_t pool_of(int32_t i) const { return pool_of_[i]; }
  const std::vector<int32_t>& pools() const { return pool_of_; }
  uint64_t cost() const { return cost_; }

  // False when some root has no pool with room. Else *bound is a score that no completion beats.
  bool find_bound(Score* bound);

  // Bytes that a root saves in the pool it likes best against the next one; most first is a good
  // order to decide in.
  uint64_t saving(int32_t i) const;

  uint64_t looks() const { return looks_; }

 private:
  const Model& model_;
  const std::vector<uint64_t> capacities_;
  std::vector<std::vector<int32_t>> columns_;     // roots that are alive together
  std::vector<std::vector<int32_t>> columns_of_;  // per root
  std::vector<std::vector<uint64_t>> sums_;       // per pool and column: bytes given
  std::vector<int32_t> pool_of_;
  uint64_t cost_ = 0;
  uint64_t looks_ = 0;
  // Scratch of find_bound(), per root: the cheapest pool with room, and what the next one costs
  // more per byte.
  std::vector<int32_t> cheapest_;
  std::vector<uint64_t> step_up_;
};

}  // namespace berth::plan
