#include "runtime/kernels/berth/berth_kernels.h"

namespace berth::runtime {

Span<const Kernel> berth_kernels() { return kBerthKernels; }

}  // namespace berth::runtime
