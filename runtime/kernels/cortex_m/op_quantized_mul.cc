#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/quantized_product.h"

namespace berth::runtime {

Status run_quantized_mul(KernelContext&, const Args& args) {
  return multiply_quantized<int8_t>(args, false);
}

}  // namespace berth::runtime
