// The kernels of one model, by the names that `berth compile --header` writes. What is not named is
// not linked: the search runs in the compiler, and only its answer is left.
//
//     constexpr OperatorName kNames[] = {BERTH_DIGITS_OPERATORS};
//     constexpr auto kSelected = select_kernels(kNames);
//     const Span<const Kernel> kernels[] = {kSelected.kernels};
#pragma once

#include <cstddef>

#include "runtime/core/kernel.h"
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {

struct OperatorName {
  const char* name;
  const char* overload;
};

template <size_t kCount>
struct SelectedKernels {
  Kernel kernels[kCount];
};

// What the compiler stops at when no table has a kernel of a name.
void no_kernel_has_this_name();

template <size_t kCount>
constexpr bool find_kernel(const Kernel (&table)[kCount], const OperatorName& name, Kernel* out) {
  for (const Kernel& kernel : table) {
    if (!same_text(kernel.schema->name, name.name)) continue;
    if (!same_text(kernel.schema->overload, name.overload)) continue;
    *out = kernel;
    return true;
  }
  return false;
}

template <size_t kCount>
constexpr SelectedKernels<kCount> select_kernels(const OperatorName (&names)[kCount]) {
  SelectedKernels<kCount> selected{};
  for (size_t i = 0; i < kCount; ++i) {
    Kernel* out = &selected.kernels[i];
    const bool found =
        find_kernel(kCortexMKernels, names[i], out) || find_kernel(kBerthKernels, names[i], out) ||
        find_kernel(kPrimKernels, names[i], out) || find_kernel(kMathKernels, names[i], out) ||
        find_kernel(kComparisonKernels, names[i], out) ||
        find_kernel(kCopyKernels, names[i], out) || find_kernel(kReductionKernels, names[i], out) ||
        find_kernel(kShapeKernels, names[i], out) || find_kernel(kIndexKernels, names[i], out) ||
        find_kernel(kNetworkKernels, names[i], out) ||
        find_kernel(kQuantizedDecomposedKernels, names[i], out);
    if (!found) no_kernel_has_this_name();
  }
  return selected;
}

}  // namespace berth::runtime
