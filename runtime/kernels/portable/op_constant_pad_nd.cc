#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/scalar_bytes.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (self, pad, value, out): pad is (before, after) of the last dim, of the one before it, ...
Status run_constant_pad_nd(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(&self != &out, kBadArguments);
  const uint32_t entries = args.list_size(1);
  KERNEL_REQUIRE(entries % 2 == 0 && entries / 2 <= self.rank, kBadArguments);
  ScalarBytes value;
  KERNEL_TRY(read_scalar_bytes(args, 2, out.dtype, &value));
  Sizes sizes(self), kept(self);
  int64_t in_start[kMaxRank] = {}, out_start[kMaxRank] = {};
  bool empty = false;  // nothing of self is left
  for (uint32_t i = 0; i < entries / 2; ++i) {
    const int dim = self.rank - 1 - static_cast<int>(i);
    const int64_t before = args.int_at(1, 2 * i), after = args.int_at(1, 2 * i + 1);
    KERNEL_REQUIRE(fits<int32_t>(before) && fits<int32_t>(after), kBadArguments);
    const int64_t size = self.sizes[dim] + before + after;
    KERNEL_REQUIRE(size >= 0 && fits<int32_t>(size), kBadShape);
    sizes.at[dim] = static_cast<int32_t>(size);
    in_start[dim] = before < 0 ? -before : 0;
    out_start[dim] = before < 0 ? 0 : before;
    const int64_t count = self.sizes[dim] - in_start[dim] + (after < 0 ? after : 0);
    empty = empty || count <= 0;
    kept.at[dim] = static_cast<int32_t>(count);
  }
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;
  fill_tensor(out, value);
  if (empty) return Status::kOk;
  ElementMap from = map_elements(self), to = map_elements(out);
  for (int d = 0; d < self.rank; ++d) {
    from.base += in_start[d] * from.steps[d];
    to.base += out_start[d] * to.steps[d];
  }
  copy_elements(kept.rank, kept.at, out.dim_order, element_size(out.dtype), self.data, from,
                out.data, to);
  return Status::kOk;
}

}  // namespace berth::runtime
