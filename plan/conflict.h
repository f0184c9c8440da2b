// Why buffers do not fit: few of them that have no room together.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

// Buffers that can be in `pool` alone and have no room there within `capacity` bytes, or that have
// no room in all their pools together: the fewest found, biggest first. Looks at each moment, then
// searches, with at most `max_nodes`; of up to ten roots in a plain model it is a smallest set
// there is. Empty when no set is known.
std::vector<int32_t> find_conflict(const Model& model, int32_t pool, uint64_t capacity,
                                   uint64_t max_nodes);

}  // namespace berth::plan
