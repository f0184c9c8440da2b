#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

Status slice(const Tensor& self, int dim, const Slice& part, Tensor& out) {
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  Sizes sizes(self);
  sizes.at[dim] = static_cast<int32_t>(part.count);
  ElementMap map = map_elements(self);
  map.base = part.start * map.steps[dim];
  // A slice of one may have any step.
  map.steps[dim] = part.count > 1 ? part.step * map.steps[dim] : 0;
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

}  // namespace

// (self, dim, start, end, step, out)
Status run_slice_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  KERNEL_REQUIRE(self.rank > 0, kBadShape);
  int dim = 0;
  Slice part;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  KERNEL_TRY(read_slice(args, 2, 3, 4, self.sizes[dim], &part));
  return slice(self, dim, part, args.tensor(5));
}

// (self, dim, start, length, out)
Status run_narrow_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  KERNEL_REQUIRE(self.rank > 0, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  const int64_t size = self.sizes[dim];
  Slice part;
  part.start = args.integer(2);
  part.count = args.integer(3);
  KERNEL_REQUIRE(part.start >= -size && part.start <= size, kBadArguments);
  if (part.start < 0) part.start += size;
  KERNEL_REQUIRE(part.count >= 0 && part.count <= size - part.start, kBadArguments);
  return slice(self, dim, part, args.tensor(4));
}

// (self, dim, index, out): the dim is gone.
Status run_select_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank > 0, kBadShape);
  int dim = 0;
  int64_t index = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  KERNEL_TRY(read_index(args.integer(2), self.sizes[dim], &index));
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes;
  map.base = index * own.steps[dim];
  for (int d = 0; d < self.rank; ++d) {
    if (d == dim) continue;
    map.steps[sizes.rank] = own.steps[d];
    KERNEL_TRY(append_size(self.sizes[d], &sizes));
  }
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

}  // namespace berth::runtime
