#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {
namespace {

template <size_t kCount>
struct KernelTable {
  Kernel kernels[kCount];
};

template <size_t... kCounts>
constexpr KernelTable<(kCounts + ...)> join_tables(const Kernel (&... tables)[kCounts]) {
  KernelTable<(kCounts + ...)> all{};
  size_t n = 0;
  const auto append = [&](const Kernel* table, size_t count) {
    for (size_t i = 0; i < count; ++i) all.kernels[n++] = table[i];
  };
  (append(tables, kCounts), ...);
  return all;
}

constexpr auto kAll =
    join_tables(kPrimKernels, kMathKernels, kComparisonKernels, kCopyKernels, kReductionKernels,
                kShapeKernels, kIndexKernels, kNetworkKernels, kQuantizedDecomposedKernels);

}  // namespace

Span<const Kernel> portable_kernels() { return kAll.kernels; }

}  // namespace berth::runtime
