#include "runtime/kernels/portable/portable_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

Status run_copy(KernelContext&, const Args& args) {
  Tensor& self = args.tensor(0);
  const Tensor& src = args.tensor(1);
  KERNEL_REQUIRE(self.dtype == src.dtype, kBadArguments);
  KERNEL_REQUIRE(src.rank <= self.rank, kBadShape);
  if (self.numel() == 0) return Status::kOk;
  size_t self_strides[kMaxRank], src_strides[kMaxRank];
  compute_strides(self, self_strides);
  compute_strides(src, src_strides);
  LoopNest<2> nest;
  for (int i = 0; i < self.rank; ++i) {
    const int dim = self.dim_order[i];
    size_t step[2] = {self_strides[dim], 0};
    KERNEL_REQUIRE(broadcast_step(src, src_strides, self.rank, dim, self.sizes[dim], &step[1]),
                   kBadShape);
    nest.append(static_cast<size_t>(self.sizes[dim]), step);
  }
  copy_strided(nest, element_size(self.dtype), src.data, self.data);
  return Status::kOk;
}

}  // namespace berth::runtime
