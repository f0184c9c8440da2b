// What must be alive at one moment, per pool.
#pragma once

#include <vector>

#include "plan/model.h"

namespace berth::plan {

// The fullest moment of each pool when root i is in pool_of[i] (-1: counted nowhere). `model` must
// know the in-place options for the result to be a bound of plans that take them.
std::vector<Moment> fullest_moments(const Model& model, const std::vector<int32_t>& pool_of);

// The only pool a root can be in, else -1.
std::vector<int32_t> only_pools(const Model& model);

}  // namespace berth::plan
