#include "contract/vendor_limits.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/padding.h"

namespace berth::runtime {

Status run_pad(KernelContext&, const Args& args) {
  constexpr uint32_t kIn = 0, kBefore = 1;
  const Tensor& in = args.tensor(kIn);
  KERNEL_REQUIRE(vendor_takes(in.dtype, in.rank), kBadArguments);
  KERNEL_REQUIRE(args.list_size(kBefore) == kVendorRank, kBadArguments);
  return pad_tensor(args);
}

}  // namespace berth::runtime
