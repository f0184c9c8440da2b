// Kernels of aten:: that compute one element of the output from one of each input.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// int8, int16, int32, float32; a bound that is none does not bound. Integer tensors take
// whole-numbered bounds. Right in place. NaN stays NaN.
Status run_clamp(KernelContext& context, const Args& args);

inline constexpr Kernel kClampKernel{&ops::kAtenClamp, run_clamp};

inline constexpr Kernel kMathKernels[] = {kClampKernel};

}  // namespace berth::runtime
