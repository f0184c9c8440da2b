#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/depthwise.h"

namespace berth::runtime {

Status run_berth_quantized_depthwise_conv2d(KernelContext& context, const Args& args) {
  return run_depthwise_conv2d<int16_t>(context, args);
}

}  // namespace berth::runtime
