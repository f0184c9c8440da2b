#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (self, out): alias_copy, detach_copy, lift_fresh_copy.
Status run_alias_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(1);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_TRY(resize(out, Sizes(self)));
  copy_all(self, out);
  return Status::kOk;
}

}  // namespace berth::runtime
