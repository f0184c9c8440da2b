#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (self, repeats, out): new dims come in front.
Status run_repeat(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  const uint32_t rank = args.list_size(1);
  KERNEL_REQUIRE(rank >= self.rank && rank <= kMaxRank, kBadShape);
  const int added = static_cast<int>(rank) - self.rank;
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes, part;  // part: what one copy fills; a dim of size 1 is filled at once
  int32_t copies[kMaxRank];
  for (int d = 0; d < static_cast<int>(rank); ++d) {
    const int64_t repeats = args.int_at(1, static_cast<uint32_t>(d));
    KERNEL_REQUIRE(repeats >= 0 && fits<int32_t>(repeats), kBadArguments);
    const int64_t size = d < added ? 1 : self.sizes[d - added];
    KERNEL_TRY(append_size(size * repeats, &sizes));
    copies[d] = size == 1 ? 1 : static_cast<int32_t>(repeats);
    KERNEL_TRY(append_size(size == 1 ? repeats : size, &part));
    map.steps[d] = size == 1 ? 0 : own.steps[d - added];
  }
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;
  ElementMap target = map_elements(out);
  int32_t at[kMaxRank] = {};
  for (;;) {
    copy_elements(part.rank, part.at, out.dim_order, element_size(out.dtype), self.data, map,
                  out.data, target);
    int d = part.rank - 1;
    for (; d >= 0; --d) {
      target.base += part.at[d] * target.steps[d];
      if (++at[d] < copies[d]) break;
      target.base -= int64_t{copies[d]} * part.at[d] * target.steps[d];
      at[d] = 0;
    }
    if (d < 0) return Status::kOk;
  }
}

}  // namespace berth::runtime
