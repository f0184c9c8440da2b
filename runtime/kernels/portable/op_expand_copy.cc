#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (self, sizes, implicit, out): new dims come in front; -1 keeps a size.
Status run_expand_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  const uint32_t rank = args.list_size(1);
  KERNEL_REQUIRE(rank >= self.rank && rank <= kMaxRank, kBadShape);
  const int added = static_cast<int>(rank) - self.rank;
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes;
  for (int d = 0; d < static_cast<int>(rank); ++d) {
    int64_t size = args.int_at(1, static_cast<uint32_t>(d));
    map.steps[d] = 0;
    if (d >= added) {
      const int32_t old = self.sizes[d - added];
      if (size == -1) size = old;
      KERNEL_REQUIRE(old == size || old == 1, kBadShape);
      if (old == size) map.steps[d] = own.steps[d - added];
    }
    KERNEL_TRY(append_size(size, &sizes));
  }
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

}  // namespace berth::runtime
