// Some roots of a problem, as a problem of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

// `roots` alone, with their options among each other. Root k of its model is roots[k].
Problem sub_problem(const Model& model, const std::vector<int32_t>& roots);
// The same in `pool` alone, which is pool 0 there.
Problem sub_problem(const Model& model, const std::vector<int32_t>& roots, int32_t pool);

}  // namespace berth::plan
