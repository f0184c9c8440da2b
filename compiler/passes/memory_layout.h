// How a tensor lies in memory, apart from how its dims are called: what passes compare when they
// ask whether bytes may stay where they are.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/ir.h"

namespace berth::passes {

// Sizes from outermost to innermost.
inline std::vector<int32_t> memory_sizes(const ir::TensorSpec& spec) {
  std::vector<int32_t> sizes;
  for (const uint8_t dim : spec.dim_order) sizes.push_back(spec.sizes[dim]);
  return sizes;
}

// The dims in memory order without those of size 1, which may stand anywhere.
inline std::vector<uint8_t> moving_dims(const ir::TensorSpec& spec) {
  std::vector<uint8_t> dims;
  for (const uint8_t dim : spec.dim_order) {
    if (spec.sizes[dim] != 1) dims.push_back(dim);
  }
  return dims;
}

// Equal type and sizes, and element i of one's memory is element i of the other's.
inline bool same_layout(const ir::TensorSpec& a, const ir::TensorSpec& b) {
  return a.dtype == b.dtype && a.sizes == b.sizes && moving_dims(a) == moving_dims(b);
}

}  // namespace berth::passes
