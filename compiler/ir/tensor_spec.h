// The type of a tensor: what it holds, how large it is, how its elements lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/scalar_type.h"

namespace berth::ir {

using Bytes = std::vector<std::byte>;

struct TensorSpec {
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;  // outermost to innermost; (0, 1, ..) when contiguous
  uint64_t element_count() const;
  uint64_t nbytes() const;
  // Nothing when a size is negative or the bytes do not fit in 63 bits. The two above answer
  // UINT64_MAX then, so that a spec nobody has verified yet passes no limit.
  std::optional<uint64_t> checked_nbytes() const;
  bool operator==(const TensorSpec&) const = default;
};
std::vector<uint8_t> contiguous_order(size_t rank);
// (0, 2, 3, 1): NCHW sizes over NHWC bytes.
std::vector<uint8_t> channels_last_order();

}  // namespace berth::ir
