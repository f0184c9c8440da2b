// How map and scan collect their results: src becomes entry `index` of dst, which grows to hold it.
// Entries before it keep their place, because dst's first dim is its outermost in memory.
#include <cstring>

#include "runtime/core/resize.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/portable/prim_kernels.h"

namespace berth::runtime {

Status run_et_copy_index(KernelContext&, const Args& args) {
  Tensor& dst = args.tensor(0);
  const Tensor& src = args.tensor(1);
  const int64_t index = args.integer(2);
  KERNEL_REQUIRE(dst.dtype == src.dtype, kBadArguments);
  KERNEL_REQUIRE(dst.rank == src.rank + 1 && index >= 0 && index < INT32_MAX, kBadShape);
  int32_t sizes[kMaxRank];
  KERNEL_REQUIRE(dst.dim_order[0] == 0, kBadArguments);
  for (int d = 0; d < src.rank; ++d) {
    KERNEL_REQUIRE(dst.sizes[d + 1] == src.sizes[d], kBadShape);
    KERNEL_REQUIRE(dst.dim_order[d + 1] == src.dim_order[d] + 1, kBadArguments);
    sizes[d + 1] = src.sizes[d];
  }
  sizes[0] = static_cast<int32_t>(index + 1);
  KERNEL_TRY(resize(dst, sizes, dst.rank));
  const size_t bytes = src.nbytes();
  if (bytes == 0) return Status::kOk;
  memmove(dst.as_mutable<uint8_t>() + static_cast<size_t>(index) * bytes, src.data, bytes);
  return Status::kOk;
}

}  // namespace berth::runtime
