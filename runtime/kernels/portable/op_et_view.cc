#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {

Status run_et_view(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.numel() == out.numel(), kBadShape);
  KERNEL_REQUIRE(args.list_size(1) == out.rank, kBadShape);
  int open = 0;
  for (int d = 0; d < out.rank; ++d) {
    const int64_t size = args.int_at(1, static_cast<uint32_t>(d));
    if (size == -1) {
      KERNEL_REQUIRE(++open == 1, kBadArguments);
    } else {
      KERNEL_REQUIRE(size == out.sizes[d], kBadShape);
    }
  }
  out.data = self.data;
  return Status::kOk;
}

}  // namespace berth::runtime
