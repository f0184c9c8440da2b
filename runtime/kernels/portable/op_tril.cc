#include <cstring>

#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

// Element (i, j) of the last two dims stays where j - i <= diagonal (lower) or >= it (upper); the
// others become 0.
Status keep_triangle(const Args& args, bool lower) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank >= 2, kBadShape);
  const int64_t asked = args.integer(1);
  KERNEL_TRY(resize(out, Sizes(self)));
  if (out.numel() == 0) return Status::kOk;
  copy_all(self, out);

  const int row_dim = out.rank - 2, column_dim = out.rank - 1;
  const int64_t rows = out.sizes[row_dim], columns = out.sizes[column_dim];
  const int64_t diagonal = asked < -rows ? -rows : asked > columns ? columns : asked;
  const ElementMap map = map_elements(out);
  const int64_t size = element_size(out.dtype);
  int32_t at[kMaxRank] = {};
  int64_t base = 0;
  for (;;) {
    for (int64_t i = 0; i < rows; ++i) {
      int64_t cut = i + diagonal + (lower ? 1 : 0);  // the first column past the kept or lost ones
      cut = cut < 0 ? 0 : cut > columns ? columns : cut;
      const int64_t begin = lower ? cut : 0, end = lower ? columns : cut;
      uint8_t* row = out.as_mutable<uint8_t>() + (base + i * map.steps[row_dim]) * size;
      if (map.steps[column_dim] == 1) {
        memset(row + begin * size, 0, static_cast<size_t>((end - begin) * size));
        continue;
      }
      for (int64_t j = begin; j < end; ++j)
        memset(row + j * map.steps[column_dim] * size, 0, static_cast<size_t>(size));
    }
    int d = row_dim - 1;
    for (; d >= 0; --d) {
      base += map.steps[d];
      if (++at[d] < out.sizes[d]) break;
      base -= out.sizes[d] * map.steps[d];
      at[d] = 0;
    }
    if (d < 0) return Status::kOk;
  }
}

}  // namespace

// (self, diagonal, out)
Status run_tril(KernelContext&, const Args& args) { return keep_triangle(args, true); }

// (self, diagonal, out)
Status run_triu(KernelContext&, const Args& args) { return keep_triangle(args, false); }

}  // namespace berth::runtime
