#include "runtime/kernels/cortex_m/cortex_m_kernels.h"

namespace berth::runtime {

Span<const Kernel> cortex_m_kernels() { return kCortexMKernels; }

}  // namespace berth::runtime
