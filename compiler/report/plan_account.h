// What lies between the bytes alive at a pool's fullest moment and the bytes of the pool.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace berth::report {

struct PoolAccount {
  std::string name;
  uint64_t bytes = 0;
  uint64_t lower_bound = 0;
  plan::Step bound_at = 0;
  uint64_t padding = 0;        // rounding of the sizes alive at that moment
  uint64_t fragmentation = 0;  // bytes - lower_bound
  std::optional<uint64_t> capacity;
  std::vector<int32_t> live;  // at that moment, biggest first
};

// Per pool. REQUIRES: plan::check() found nothing.
std::vector<PoolAccount> account(const plan::Problem& problem, const plan::Plan& plan);

}  // namespace berth::report
