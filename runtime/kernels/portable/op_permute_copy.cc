#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

// Dim d of out is dim dims[d] of self.
Status permute(const Tensor& self, const int* dims, Tensor& out) {
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes;
  for (int d = 0; d < self.rank; ++d) {
    KERNEL_TRY(append_size(self.sizes[dims[d]], &sizes));
    map.steps[d] = own.steps[dims[d]];
  }
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

Status swap_dims(const Tensor& self, int a, int b, Tensor& out) {
  int dims[kMaxRank];
  for (int d = 0; d < self.rank; ++d) dims[d] = d == a ? b : d == b ? a : d;
  return permute(self, dims, out);
}

}  // namespace

// (self, dims, out)
Status run_permute_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  KERNEL_REQUIRE(args.list_size(1) == self.rank, kBadArguments);
  int dims[kMaxRank];
  bool taken[kMaxRank] = {};
  for (int d = 0; d < self.rank; ++d) {
    KERNEL_TRY(read_dim(args.int_at(1, static_cast<uint32_t>(d)), self.rank, &dims[d]));
    KERNEL_REQUIRE(!taken[dims[d]], kBadArguments);
    taken[dims[d]] = true;
  }
  return permute(self, dims, args.tensor(2));
}

// (self, dim0, dim1, out)
Status run_transpose_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  int a = 0, b = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &a));
  KERNEL_TRY(read_dim(args.integer(2), self.rank, &b));
  return swap_dims(self, a, b, args.tensor(3));
}

// (self, out): at most two dims.
Status run_t_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  KERNEL_REQUIRE(self.rank <= 2, kBadShape);
  return swap_dims(self, 0, self.rank == 2 ? 1 : 0, args.tensor(1));
}

}  // namespace berth::runtime
