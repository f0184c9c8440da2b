// Tensors of indices: int64 or int32 elements, checked before anything is written and again where
// they are used: in a file from a stranger the output may lie on the indices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

class IndexValues {
 public:
  IndexValues() = default;
  // REQUIRES: is_index(tensor).
  explicit IndexValues(const Tensor& tensor)
      : data_(tensor.data), count_(tensor.numel()), wide_(tensor.dtype == ScalarType::kLong) {}

  // By the order of memory.
  int64_t at(size_t i) const {
    return wide_ ? static_cast<const int64_t*>(data_)[i] : static_cast<const int32_t*>(data_)[i];
  }

  // All in [low, high).
  bool lie_in(int64_t low, int64_t high) const {
    bool inside = true;
    for (size_t i = 0; i < count_; ++i) inside = inside && at(i) >= low && at(i) < high;
    return inside;
  }

 private:
  const void* data_ = nullptr;
  size_t count_ = 0;
  bool wide_ = false;
};

inline bool is_index(const Tensor& tensor) {
  return tensor.dtype == ScalarType::kLong || tensor.dtype == ScalarType::kInt;
}

}  // namespace berth::runtime
