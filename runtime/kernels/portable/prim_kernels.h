// Kernels of the executor itself: numbers in value cells, views.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// out becomes self's bytes. The list may hold one -1; out takes its shape where that may change,
// and must have it where not.
Status run_et_view(KernelContext& context, const Args& args);

inline constexpr Kernel kEtViewKernel{&ops::kPrimEtView, run_et_view};

inline constexpr Kernel kPrimKernels[] = {kEtViewKernel};

}  // namespace berth::runtime
