#include "contract/vendor_limits.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/permutation.h"

namespace berth::runtime {

Status run_transpose(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(vendor_takes(in.dtype, in.rank), kBadArguments);
  return permute_tensor(args);
}

}  // namespace berth::runtime
