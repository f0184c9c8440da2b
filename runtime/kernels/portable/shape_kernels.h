// Kernels of aten:: that move elements.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// Any dtype; inputs and output share dtype and, where their sizes leave a choice, the order of
// their bytes. 1-D inputs without elements are passed over. An input that already lies in its place
// in the output is left alone.
Status run_cat(KernelContext& context, const Args& args);

inline constexpr Kernel kCatKernel{&ops::kAtenCat, run_cat};

inline constexpr Kernel kShapeKernels[] = {kCatKernel};

}  // namespace berth::runtime
