#include "contract/checked.h"
#include "runtime/core/resize.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/portable/prim_kernels.h"

namespace berth::runtime {

Status run_et_view(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(args.list_size(1) == out.rank, kBadShape);
  int32_t sizes[kMaxRank];
  int open = -1;       // the dim that the list leaves open
  uint64_t count = 1;  // elements of the others
  for (int d = 0; d < out.rank; ++d) {
    const int64_t size = args.int_at(1, static_cast<uint32_t>(d));
    if (size == -1) {
      KERNEL_REQUIRE(open < 0, kBadArguments);
      open = d;
      continue;
    }
    KERNEL_REQUIRE(size >= 0 && fits<int32_t>(size), kBadArguments);
    KERNEL_REQUIRE(checked_mul(count, static_cast<uint64_t>(size), &count), kBadShape);
    sizes[d] = static_cast<int32_t>(size);
  }
  const uint64_t elements = self.numel();
  if (open >= 0) {
    KERNEL_REQUIRE(
        count > 0 && elements % count == 0 && fits<int32_t>(static_cast<int64_t>(elements / count)),
        kBadShape);
    sizes[open] = static_cast<int32_t>(elements / count);
    count = elements;
  }
  KERNEL_REQUIRE(count == elements, kBadShape);
  KERNEL_TRY(resize(out, sizes, out.rank));
  out.data = self.data;
  return Status::kOk;
}

}  // namespace berth::runtime
