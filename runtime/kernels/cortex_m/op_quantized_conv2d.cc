#include "runtime/kernels/convolution.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"

namespace berth::runtime {

Status run_quantized_conv2d(KernelContext& context, const Args& args) {
  return run_conv2d<int8_t>(context, args);
}

}  // namespace berth::runtime
