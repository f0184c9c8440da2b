#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (self, sizes, strides, storage_offset, out): strides count elements of self's memory, which must
// hold all that they reach.
Status run_as_strided_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(4);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(args.list_size(1) == args.list_size(2), kBadArguments);
  KERNEL_REQUIRE(args.list_size(1) <= kMaxRank, kBadShape);
  ElementMap map;
  if (!args.is_none(3)) map.base = args.integer(3);
  KERNEL_REQUIRE(map.base >= 0, kBadArguments);
  Sizes sizes;
  uint64_t last = static_cast<uint64_t>(map.base);
  bool empty = false;
  for (uint32_t i = 0; i < args.list_size(1); ++i) {
    const int64_t size = args.int_at(1, i), step = args.int_at(2, i);
    KERNEL_REQUIRE(step >= 0, kBadArguments);
    KERNEL_TRY(append_size(size, &sizes));
    empty = empty || size == 0;
    map.steps[i] = step;
    uint64_t reach = 0;
    KERNEL_REQUIRE(size < 2 || (checked_mul(static_cast<uint64_t>(size - 1),
                                            static_cast<uint64_t>(step), &reach) &&
                                checked_add(last, reach, &last)),
                   kBadShape);
  }
  KERNEL_REQUIRE(empty || last < self.numel(), kBadShape);
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

// (self, dim, size, step, out): windows along dim; their elements are a new last dim.
Status run_unfold_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(4);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank > 0, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  const int64_t size = args.integer(2), step = args.integer(3);
  KERNEL_REQUIRE(size >= 0 && size <= self.sizes[dim] && step > 0, kBadArguments);
  ElementMap map = map_elements(self);
  Sizes sizes(self);
  const int64_t count = (self.sizes[dim] - size) / step + 1;
  KERNEL_REQUIRE(fits<int32_t>(count), kBadShape);
  sizes.at[dim] = static_cast<int32_t>(count);
  KERNEL_TRY(append_size(size, &sizes));
  map.steps[self.rank] = map.steps[dim];
  map.steps[dim] = count > 1 ? step * map.steps[dim] : 0;
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

// (self, offset, dim1, dim2, out): the diagonal is a new last dim.
Status run_diagonal_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(4);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank >= 2, kBadShape);
  const int64_t offset = args.integer(1);
  int row = 0, column = 0;
  KERNEL_TRY(read_dim(args.integer(2), self.rank, &row));
  KERNEL_TRY(read_dim(args.integer(3), self.rank, &column));
  KERNEL_REQUIRE(row != column, kBadArguments);
  KERNEL_REQUIRE(fits<int32_t>(offset), kBadArguments);
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes;
  for (int d = 0; d < self.rank; ++d) {
    if (d == row || d == column) continue;
    map.steps[sizes.rank] = own.steps[d];
    KERNEL_TRY(append_size(self.sizes[d], &sizes));
  }
  const int64_t rows = self.sizes[row] + (offset < 0 ? offset : 0);
  const int64_t columns = self.sizes[column] - (offset > 0 ? offset : 0);
  const int64_t count = rows < columns ? rows : columns;
  map.base = offset > 0 ? offset * own.steps[column] : -offset * own.steps[row];
  map.steps[sizes.rank] = own.steps[row] + own.steps[column];
  KERNEL_TRY(append_size(count < 0 ? 0 : count, &sizes));
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

}  // namespace berth::runtime
