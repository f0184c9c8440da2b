#include "contract/vendor_limits.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/extremes.h"

namespace berth::runtime {

Status run_minimum(KernelContext&, const Args& args) {
  const Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(vendor_takes(out.dtype, out.rank), kBadArguments);
  return run_extremes<Smaller, int8_t>(args);
}

}  // namespace berth::runtime
