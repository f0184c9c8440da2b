// How messages of the planners call a buffer and a pool. (The checker has its own.)
#pragma once

#include <string>

#include "plan/plan.h"

namespace berth::plan {

inline std::string buffer_name(const Problem& problem, int32_t i) {
  const std::string& id = problem.buffers[i].id;
  return id.empty() ? "buffer #" + std::to_string(i) : "buffer " + id;
}

inline std::string pool_name(const Problem& problem, int32_t i) {
  const std::string& name = problem.pools[i].name;
  return name.empty() ? "pool #" + std::to_string(i) : "pool " + name;
}

}  // namespace berth::plan
