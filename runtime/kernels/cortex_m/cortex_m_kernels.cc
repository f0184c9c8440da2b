#include "runtime/kernels/cortex_m/cortex_m_kernels.h"

namespace berth::runtime {

Span<const Kernel> cortex_m_kernels() {
  static constexpr Kernel kKernels[] = {
      kQuantizePerTensorKernel,
      kDequantizePerTensorKernel,
      kQuantizedAddKernel,
      kQuantizedMulKernel,
      kQuantizedActivationKernel,
      kMinimumKernel,
      kMaximumKernel,
      kQuantizedLinearKernel,
      kSoftmaxKernel,
      kTransposeKernel,
      kPadKernel,
      kQuantizedConv2dKernel,
      kQuantizedDepthwiseConv2dKernel,
      kQuantizedTransposeConv2dKernel,
      kQuantizedAvgPool2dKernel,
      kQuantizedMaxPool2dKernel,
      kQuantizedBatchMatmulKernel,
  };
  return kKernels;
}

}  // namespace berth::runtime
