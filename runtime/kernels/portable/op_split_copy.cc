#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

// Takes `size` elements of dim from `start` on.
Status check_part(const Tensor& self, int dim, int64_t size, Tensor& out) {
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  Sizes sizes(self);
  KERNEL_REQUIRE(size >= 0 && size <= self.sizes[dim], kBadShape);
  sizes.at[dim] = static_cast<int32_t>(size);
  return resize(out, sizes);
}

void copy_part(const Tensor& self, int dim, int64_t start, const Tensor& out) {
  ElementMap map = map_elements(self);
  map.base = start * map.steps[dim];
  copy_mapped(self, map, out);
}

}  // namespace

// (self, split_size, dim, outs): the last part may be shorter.
Status run_split_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  KERNEL_REQUIRE(self.rank > 0, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(2), self.rank, &dim));
  const int64_t size = self.sizes[dim], part = args.integer(1);
  KERNEL_REQUIRE(part > 0 || (part == 0 && size == 0), kBadArguments);
  const int64_t parts = size == 0 ? 1 : (size - 1) / part + 1;
  KERNEL_REQUIRE(args.list_size(3) == parts, kBadShape);
  for (int64_t i = 0; i < parts; ++i) {
    const int64_t rest = size - i * part;
    KERNEL_TRY(check_part(self, dim, rest < part ? rest : part,
                          args.tensor_at(3, static_cast<uint32_t>(i))));
  }
  for (int64_t i = 0; i < parts; ++i)
    copy_part(self, dim, i * part, args.tensor_at(3, static_cast<uint32_t>(i)));
  return Status::kOk;
}

// (self, sizes, dim, outs)
Status run_split_with_sizes_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  KERNEL_REQUIRE(self.rank > 0, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(2), self.rank, &dim));
  const uint32_t parts = args.list_size(1);
  KERNEL_REQUIRE(args.list_size(3) == parts, kBadShape);
  int64_t total = 0;
  for (uint32_t i = 0; i < parts; ++i) {
    KERNEL_TRY(check_part(self, dim, args.int_at(1, i), args.tensor_at(3, i)));
    total += args.int_at(1, i);
    KERNEL_REQUIRE(total <= self.sizes[dim], kBadShape);
  }
  KERNEL_REQUIRE(total == self.sizes[dim], kBadShape);
  int64_t start = 0;
  for (uint32_t i = 0; i < parts; ++i) {
    copy_part(self, dim, start, args.tensor_at(3, i));
    start += args.int_at(1, i);
  }
  return Status::kOk;
}

// (self, dim, outs): one for each index of the dim, which is gone in them.
Status run_unbind_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  KERNEL_REQUIRE(self.rank > 0, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  const uint32_t parts = args.list_size(2);
  KERNEL_REQUIRE(parts == static_cast<uint32_t>(self.sizes[dim]), kBadShape);
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes;
  for (int d = 0; d < self.rank; ++d) {
    if (d == dim) continue;
    map.steps[sizes.rank] = own.steps[d];
    KERNEL_TRY(append_size(self.sizes[d], &sizes));
  }
  for (uint32_t i = 0; i < parts; ++i) {
    KERNEL_REQUIRE(args.tensor_at(2, i).dtype == self.dtype, kBadArguments);
    KERNEL_TRY(resize(args.tensor_at(2, i), sizes));
  }
  for (uint32_t i = 0; i < parts; ++i) {
    map.base = static_cast<int64_t>(i) * own.steps[dim];
    copy_mapped(self, map, args.tensor_at(2, i));
  }
  return Status::kOk;
}

}  // namespace berth::runtime
