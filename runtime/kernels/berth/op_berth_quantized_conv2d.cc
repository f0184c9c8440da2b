#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/convolution.h"

namespace berth::runtime {

Status run_berth_quantized_conv2d(KernelContext& context, const Args& args) {
  return run_conv2d<int16_t>(context, args);
}

}  // namespace berth::runtime
