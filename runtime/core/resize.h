// Changing the shape of a tensor within the bytes that were planned for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/status.h"
#include "runtime/core/tensor.h"

namespace berth::runtime {

// kOk when the tensor has, or can take, these sizes: rank as it is, bytes within its capacity; a
// shape that is not dynamic can only stay as it is. kBadShape otherwise, and nothing changed.
inline Status resize(Tensor& tensor, const int32_t* sizes, uint32_t rank) {
  if (rank != tensor.rank) return Status::kBadShape;
  bool same = true;
  size_t bytes = element_size(tensor.dtype);
  for (uint32_t d = 0; d < rank; ++d) {
    same = same && sizes[d] == tensor.sizes[d];
    if (sizes[d] < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(sizes[d]), &bytes)) {
      return Status::kBadShape;
    }
  }
  if (same) return Status::kOk;
  if (!tensor.dynamic || bytes > tensor.capacity) return Status::kBadShape;
  int32_t* own = const_cast<int32_t*>(tensor.sizes);  // in method memory: the shape is dynamic
  for (uint32_t d = 0; d < rank; ++d) own[d] = sizes[d];
  return Status::kOk;
}

}  // namespace berth::runtime
