#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/dequantization.h"

namespace berth::runtime {

Status run_dequantize_per_tensor(KernelContext&, const Args& args) {
  constexpr uint32_t kIn = 0, kDtype = 5, kOut = 6;
  const Tensor& in = args.tensor(kIn);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar), kBadArguments);
  KERNEL_REQUIRE(args.integer(kDtype) == static_cast<int64_t>(ScalarType::kChar), kBadArguments);
  return dequantize<int8_t>(args, in, args.tensor(kOut));
}

}  // namespace berth::runtime
