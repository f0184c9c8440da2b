#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/quantized_sum.h"

namespace berth::runtime {

Status run_quantized_add(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(all_have_dtype(ScalarType::kChar, args.tensor(0), args.tensor(4), args.tensor(13)),
                 kBadArguments);
  return add_quantized<int8_t, true>(args, +1);
}

}  // namespace berth::runtime
