// Stock operators that have no arithmetic of their own to speak of.
#pragma once

#include "runtime/core/kernel.h"
#include "runtime/core/span.h"

namespace berth::runtime {

// All of the below.
Span<const Kernel> portable_kernels();

// Any dtype; inputs and output share dtype and, where their sizes leave a choice, the order of
// their bytes. 1-D inputs without elements are passed over. An input that already lies in its place
// in the output is left alone.
Status run_cat(KernelContext& context, const Args& args);
// int8, int16, int32, float32; a bound that is none does not bound. Integer tensors take
// whole-numbered bounds. Right in place. NaN stays NaN.
Status run_clamp(KernelContext& context, const Args& args);
// self takes src's elements, NumPy broadcasting, one dtype. non_blocking means nothing here.
Status run_copy(KernelContext& context, const Args& args);
// out becomes self's bytes. The list may hold one -1; out takes its shape where that may change,
// and must have it where not.
Status run_et_view(KernelContext& context, const Args& args);

inline constexpr Kernel kCatKernel{&ops::kAtenCat, run_cat};
inline constexpr Kernel kClampKernel{&ops::kAtenClamp, run_clamp};
inline constexpr Kernel kCopyKernel{&ops::kAtenCopyInPlace, run_copy};
inline constexpr Kernel kEtViewKernel{&ops::kPrimEtView, run_et_view};

}  // namespace berth::runtime
