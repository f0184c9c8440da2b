#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (self, dims, out)
Status run_flip(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  ElementMap map = map_elements(self);
  bool flipped[kMaxRank] = {};
  for (uint32_t i = 0; i < args.list_size(1); ++i) {
    int dim = 0;
    KERNEL_TRY(read_dim(args.int_at(1, i), self.rank, &dim));
    KERNEL_REQUIRE(!flipped[dim], kBadArguments);
    flipped[dim] = true;
    if (self.rank == 0) continue;
    map.base += (self.sizes[dim] - 1) * map.steps[dim];
    map.steps[dim] = -map.steps[dim];
  }
  KERNEL_TRY(resize(out, Sizes(self)));
  if (out.numel() > 0) copy_mapped(self, map, out);
  return Status::kOk;
}

}  // namespace berth::runtime
