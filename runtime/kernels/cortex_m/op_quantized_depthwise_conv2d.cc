#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/depthwise.h"

namespace berth::runtime {

Status run_quantized_depthwise_conv2d(KernelContext&, const Args& args) {
  return run_depthwise_conv2d<int8_t>(args);
}

}  // namespace berth::runtime
