#include <cstring>

#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (self, sizes, out)
Status run_view_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  Sizes sizes;
  KERNEL_TRY(read_sizes(args, 1, self.numel(), &sizes));
  KERNEL_REQUIRE(sizes.rank == out.rank, kBadShape);
  const bool same =
      sizes.rank == self.rank && memcmp(sizes.at, self.sizes, sizeof(int32_t) * self.rank) == 0;
  // Row-major tensors keep that whatever sizes they take.
  KERNEL_REQUIRE(same || (is_row_major(self) && is_row_major_at(out, sizes)), kBadShape);
  KERNEL_TRY(resize(out, sizes));
  if (same) {
    copy_all(self, out);
  } else if (out.data != self.data && out.numel() > 0) {
    memmove(out.data, self.data, out.nbytes());
  }
  return Status::kOk;
}

}  // namespace berth::runtime
