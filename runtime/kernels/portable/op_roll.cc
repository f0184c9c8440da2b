#include <cstring>

#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

// The elements from `cut` on come first.
void roll_bytes(const Tensor& self, size_t cut, const Tensor& out) {
  const size_t size = element_size(self.dtype), head = cut * size, bytes = self.nbytes();
  memmove(out.data, self.as<uint8_t>() + head, bytes - head);
  memmove(out.as_mutable<uint8_t>() + (bytes - head), self.data, head);
}

// shift in [0, size), elements go that far up.
int64_t wrap(int64_t shift, int64_t size) {
  const int64_t rest = shift % size;
  return rest < 0 ? rest + size : rest;
}

}  // namespace

// (self, shifts, dims, out): without dims the tensor is rolled as one row.
Status run_roll(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  const uint32_t count = args.list_size(1);
  if (args.list_size(2) == 0) {
    KERNEL_REQUIRE(count == 1, kBadArguments);
    KERNEL_REQUIRE(self.rank == out.rank, kBadShape);
    KERNEL_REQUIRE(is_row_major(self) && is_row_major_at(out, Sizes(self)), kBadShape);
    KERNEL_TRY(resize(out, Sizes(self)));
    const int64_t elements = static_cast<int64_t>(self.numel());
    if (elements == 0) return Status::kOk;
    roll_bytes(self, static_cast<size_t>(wrap(-wrap(args.int_at(1, 0), elements), elements)), out);
    return Status::kOk;
  }
  KERNEL_REQUIRE(args.list_size(2) == count, kBadArguments);
  int64_t shifts[kMaxRank] = {};
  for (uint32_t i = 0; i < count; ++i) {
    int dim = 0;
    KERNEL_TRY(read_dim(args.int_at(2, i), self.rank, &dim));
    if (self.rank == 0 || self.sizes[dim] == 0) continue;
    shifts[dim] = wrap(shifts[dim] + wrap(args.int_at(1, i), self.sizes[dim]), self.sizes[dim]);
  }
  KERNEL_TRY(resize(out, Sizes(self)));
  if (out.numel() == 0) return Status::kOk;
  // Each rolled dim has two parts that keep together; all combinations are copied.
  int dims[kMaxRank];
  int rolled = 0;
  for (int d = 0; d < self.rank; ++d) {
    if (shifts[d] != 0) dims[rolled++] = d;
  }
  const ElementMap own = map_elements(self), target = map_elements(out);
  for (uint32_t parts = 0; parts < 1u << rolled; ++parts) {
    ElementMap from = own, to = target;
    Sizes sizes(self);
    for (int i = 0; i < rolled; ++i) {
      const int d = dims[i];
      const int32_t shift = static_cast<int32_t>(shifts[d]);
      const bool tail = (parts >> i & 1) != 0;  // the part that comes round
      sizes.at[d] = tail ? shift : self.sizes[d] - shift;
      from.base += tail ? (self.sizes[d] - shift) * own.steps[d] : 0;
      to.base += tail ? 0 : shift * target.steps[d];
    }
    copy_elements(sizes.rank, sizes.at, out.dim_order, element_size(out.dtype), self.data, from,
                  out.data, to);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
