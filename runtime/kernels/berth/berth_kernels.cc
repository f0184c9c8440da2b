#include "runtime/kernels/berth/berth_kernels.h"

namespace berth::runtime {

Span<const Kernel> berth_kernels() {
  static constexpr Kernel kKernels[] = {
      kBerthAddKernel,
      kBerthSubKernel,
      kBerthMulKernel,
      kBerthMeanKernel,
      kBerthResizeBilinearKernel,
      kBerthResizeNearestKernel,
      kBerthRequantizeKernel,
      kBerthQuantizeKernel,
      kBerthTanhKernel,
      kBerthLogisticKernel,
      kBerthLeakyReluKernel,
      kBerthConv2dKernel,
      kBerthDepthwiseConv2dKernel,
      kBerthLinearKernel,
      kBerthAvgPool2dKernel,
      kBerthMaxPool2dKernel,
      kBerthMinimumKernel,
      kBerthMaximumKernel,
      kBerthTransposeKernel,
      kBerthPadKernel,
      kBerthDequantizeKernel,
  };
  return kKernels;
}

}  // namespace berth::runtime
