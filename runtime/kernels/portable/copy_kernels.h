// Kernels that copy, cast and fill.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// self takes src's elements, NumPy broadcasting, one dtype. non_blocking means nothing here.
Status run_copy(KernelContext& context, const Args& args);

inline constexpr Kernel kCopyKernel{&ops::kAtenCopyInPlace, run_copy};

inline constexpr Kernel kCopyKernels[] = {kCopyKernel};

}  // namespace berth::runtime
