// A tensor as kernels see it. Sizes and dim order point into the program file (into method memory
// when the shape may change); data points into a pool, the file, or the caller's memory. Strides
// are computed where they are needed: most kernels walk memory in dim order and never ask.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/scalar_type.h"

namespace berth::runtime {

constexpr int kMaxRank = 16;

// Where a tensor's bytes are, as the file says it.
enum class Home : uint8_t {
  kCaller = 0,      // an unplanned output: in memory that the caller binds
  kPool = 1,        // planned
  kConstant = 2,    // in the file: never written
  kInput = 3,       // an unplanned input: the caller's bytes, never written
  kView = 4,        // wherever the tensor is that et_view made it from; never written
  kOutputView = 5,  // the same, of an unplanned output: written like one
};

struct Tensor {
  void* data = nullptr;
  const int32_t* sizes = nullptr;
  const uint8_t* dim_order = nullptr;  // outermost to innermost
  size_t capacity = 0;                 // bytes at the upper bound of the shape
  ScalarType dtype = ScalarType::kFloat;
  uint8_t rank = 0;
  bool dynamic = false;  // sizes may be lowered by resize
  Home home = Home::kCaller;

  int32_t size(int dim) const { return sizes[dim]; }
  size_t numel() const {
    size_t count = 1;
    for (int d = 0; d < rank; ++d) count *= static_cast<size_t>(sizes[d]);
    return count;
  }
  size_t nbytes() const { return numel() * element_size(dtype); }
  template <typename T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  template <typename T>
  T* as_mutable() const {
    return static_cast<T*>(data);
  }
};

// Elements between neighbours along each dim, written to strides[0..rank).
inline void compute_strides(const Tensor& tensor, size_t* strides) {
  size_t step = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    const int dim = tensor.dim_order[i];
    strides[dim] = step;
    step *= tensor.sizes[dim] == 0 ? 1 : static_cast<size_t>(tensor.sizes[dim]);
  }
}

inline bool same_shape(const Tensor& a, const Tensor& b) {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.sizes[d] != b.sizes[d]) return false;
  }
  return true;
}

inline bool same_dim_order(const Tensor& a, const Tensor& b) {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d) {
    if (a.dim_order[d] != b.dim_order[d]) return false;
  }
  return true;
}

}  // namespace berth::runtime
