// Proof by trying everything, for problems of a few buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

// Whether search_all() understands the model: one pool, nothing fixed, no in-place options.
bool is_plain(const Model& model);

struct Exhausted {
  std::optional<std::vector<Placement>> better;  // a layout below the limit, the lowest found
  bool complete = false;                         // nothing lower exists
  uint64_t nodes = 0;
};

// Looks for the lowest layout of fewer than `limit` bytes; none can have fewer than `floor`. Gives
// up after max_nodes. REQUIRES: is_plain(model).
Exhausted search_all(const Model& model, uint64_t limit, uint64_t floor, uint64_t max_nodes);

}  // namespace berth::plan
