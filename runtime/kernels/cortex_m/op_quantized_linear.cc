#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/linear.h"

namespace berth::runtime {

Status run_quantized_linear(KernelContext&, const Args& args) {
  return run_linear<int8_t>(args, LinearForm::kVendor);
}

}  // namespace berth::runtime
