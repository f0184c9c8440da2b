#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {

Span<const Kernel> portable_kernels() {
  static constexpr Kernel kKernels[] = {kCatKernel, kClampKernel, kCopyKernel, kEtViewKernel};
  return kKernels;
}

}  // namespace berth::runtime
