#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/depthwise.h"

namespace berth::runtime {

Status run_quantized_depthwise_conv2d(KernelContext& context, const Args& args) {
  return run_depthwise_conv2d<int8_t>(context, args);
}

}  // namespace berth::runtime
