// Dims and sizes as aten:: operators give them: negative dims count from the end, a tensor of rank
// 0 has one dim of one element as far as dim arguments are concerned, and a size of -1 is left
// open.
//
// A file may name one tensor as input and output. So a kernel takes sizes and strides of its inputs
// before it resizes its output.
#pragma once

#include <cstdint>

#include "contract/checked.h"
#include "runtime/core/resize.h"
#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// *out in [0, rank), or 0 where rank is 0.
inline Status read_dim(int64_t dim, int rank, int* out) {
  const int64_t dims = rank == 0 ? 1 : rank;
  KERNEL_REQUIRE(dim >= -dims && dim < dims, kBadArguments);
  *out = static_cast<int>(dim < 0 ? dim + dims : dim);
  return Status::kOk;
}

// A shape on its way to an output.
struct Sizes {
  int32_t at[kMaxRank];
  int rank = 0;

  Sizes() = default;
  explicit Sizes(const Tensor& tensor) : rank(tensor.rank) {
    for (int d = 0; d < rank; ++d) at[d] = tensor.sizes[d];
  }
};

inline Status append_size(int64_t size, Sizes* sizes) {
  KERNEL_REQUIRE(sizes->rank < kMaxRank && size >= 0 && fits<int32_t>(size), kBadShape);
  sizes->at[sizes->rank++] = static_cast<int32_t>(size);
  return Status::kOk;
}

// Row-major once it has taken these sizes. REQUIRES: ranks are equal.
inline bool is_row_major_at(const Tensor& tensor, const Sizes& sizes) {
  Tensor shaped = tensor;
  shaped.sizes = sizes.at;
  return is_row_major(shaped);
}

inline Status resize(Tensor& tensor, const Sizes& sizes) {
  return resize(tensor, sizes.at, static_cast<uint32_t>(sizes.rank));
}

// The shape that a list of sizes makes of `elements` elements; one entry may be -1.
inline Status read_sizes(const Args& args, uint32_t index, uint64_t elements, Sizes* out) {
  KERNEL_REQUIRE(args.list_size(index) <= kMaxRank, kBadShape);
  int open = -1;
  uint64_t count = 1;
  for (uint32_t i = 0; i < args.list_size(index); ++i) {
    int64_t size = args.int_at(index, i);
    if (size == -1) {
      KERNEL_REQUIRE(open < 0, kBadArguments);
      open = out->rank;
      size = 1;
    }
    KERNEL_TRY(append_size(size, out));
    KERNEL_REQUIRE(checked_mul(count, static_cast<uint64_t>(size), &count), kBadShape);
  }
  if (open >= 0) {
    KERNEL_REQUIRE(count > 0 && elements % count == 0, kBadShape);
    const uint64_t size = elements / count;
    KERNEL_REQUIRE(size <= INT32_MAX, kBadShape);
    out->at[open] = static_cast<int32_t>(size);
    count = elements;
  }
  KERNEL_REQUIRE(count == elements, kBadShape);
  return Status::kOk;
}

// Part of a dim: `count` elements from `start` on, `step` apart.
struct Slice {
  int64_t start = 0;
  int64_t count = 0;
  int64_t step = 1;
};

// start and end may be none, count from the end where negative, and are cut to the dim.
inline Status read_slice(const Args& args, uint32_t start, uint32_t end, uint32_t step,
                         int64_t size, Slice* out) {
  int64_t first = args.is_none(start) ? 0 : args.integer(start);
  int64_t last = args.is_none(end) ? size : args.integer(end);
  out->step = args.integer(step);
  KERNEL_REQUIRE(out->step > 0, kBadArguments);
  if (first < 0) first += size;
  if (last < 0) last += size;
  first = first < 0 ? 0 : first > size ? size : first;
  last = last < first ? first : last > size ? size : last;
  out->start = first;
  out->count = last == first ? 0 : (last - first - 1) / out->step + 1;
  return Status::kOk;
}

// An index into `size` elements; negative ones count from the end.
inline Status read_index(int64_t index, int64_t size, int64_t* out) {
  KERNEL_REQUIRE(index >= -size && index < size, kBadArguments);
  *out = index < 0 ? index + size : index;
  return Status::kOk;
}

}  // namespace berth::runtime
