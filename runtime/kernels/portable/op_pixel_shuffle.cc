#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

// Both directions walk (leading dims, channels, row factor, column factor, rows, columns) of
//   folded (..., channels * factor^2, rows, columns)
//   spread (..., channels, rows * factor, columns * factor).
struct PixelWalk {
  Sizes sizes;
  ElementMap folded, spread;
  // Of loops, as the memory of each likes it.
  uint8_t folded_order[kMaxRank], spread_order[kMaxRank];
};

Status make_walk(const Tensor& folded, const Tensor& spread, int64_t factor, PixelWalk* walk) {
  const int lead = folded.rank - 3;
  KERNEL_REQUIRE(lead + 5 <= kMaxRank, kBadShape);
  const ElementMap a = map_elements(folded), b = map_elements(spread);
  for (int d = 0; d < lead; ++d) {
    walk->folded.steps[d] = a.steps[d];
    walk->spread.steps[d] = b.steps[d];
    KERNEL_TRY(append_size(folded.sizes[d], &walk->sizes));
  }
  const int64_t sizes[5] = {spread.sizes[lead], factor, factor, folded.sizes[lead + 1],
                            folded.sizes[lead + 2]};
  const int64_t folded_steps[5] = {a.steps[lead] * factor * factor, a.steps[lead] * factor,
                                   a.steps[lead], a.steps[lead + 1], a.steps[lead + 2]};
  const int64_t spread_steps[5] = {b.steps[lead], b.steps[lead + 1], b.steps[lead + 2],
                                   b.steps[lead + 1] * factor, b.steps[lead + 2] * factor};
  constexpr uint8_t kSpreadOrder[5] = {0, 3, 1, 4, 2};
  for (int i = 0; i < 5; ++i) {
    walk->folded.steps[lead + i] = folded_steps[i];
    walk->spread.steps[lead + i] = spread_steps[i];
    KERNEL_TRY(append_size(sizes[i], &walk->sizes));
  }
  for (int d = 0; d < lead + 5; ++d) {
    walk->folded_order[d] = static_cast<uint8_t>(d);
    walk->spread_order[d] = static_cast<uint8_t>(d < lead ? d : lead + kSpreadOrder[d - lead]);
  }
  return Status::kOk;
}

// A factor whose square a channel count can hold.
Status read_factor(const Args& args, int64_t* out) {
  *out = args.integer(1);
  KERNEL_REQUIRE(*out >= 1 && *out <= 46340, kBadArguments);
  return Status::kOk;
}

}  // namespace

// (self, factor, out)
Status run_pixel_shuffle(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank >= 3, kBadShape);
  int64_t factor = 0;
  KERNEL_TRY(read_factor(args, &factor));
  const int lead = self.rank - 3;
  KERNEL_REQUIRE(self.sizes[lead] % (factor * factor) == 0, kBadShape);
  Sizes sizes;
  for (int d = 0; d < lead; ++d) KERNEL_TRY(append_size(self.sizes[d], &sizes));
  KERNEL_TRY(append_size(self.sizes[lead] / (factor * factor), &sizes));
  KERNEL_TRY(append_size(self.sizes[lead + 1] * factor, &sizes));
  KERNEL_TRY(append_size(self.sizes[lead + 2] * factor, &sizes));
  KERNEL_TRY(resize(out, sizes));
  PixelWalk walk;
  KERNEL_TRY(make_walk(self, out, factor, &walk));
  copy_elements(walk.sizes.rank, walk.sizes.at, walk.spread_order, element_size(out.dtype),
                self.data, walk.folded, out.data, walk.spread);
  return Status::kOk;
}

// (self, factor, out)
Status run_pixel_unshuffle(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank >= 3, kBadShape);
  int64_t factor = 0;
  KERNEL_TRY(read_factor(args, &factor));
  const int lead = self.rank - 3;
  KERNEL_REQUIRE(self.sizes[lead + 1] % factor == 0 && self.sizes[lead + 2] % factor == 0,
                 kBadShape);
  Sizes sizes;
  for (int d = 0; d < lead; ++d) KERNEL_TRY(append_size(self.sizes[d], &sizes));
  KERNEL_TRY(append_size(self.sizes[lead] * factor * factor, &sizes));
  KERNEL_TRY(append_size(self.sizes[lead + 1] / factor, &sizes));
  KERNEL_TRY(append_size(self.sizes[lead + 2] / factor, &sizes));
  KERNEL_TRY(resize(out, sizes));
  PixelWalk walk;
  KERNEL_TRY(make_walk(out, self, factor, &walk));
  copy_elements(walk.sizes.rank, walk.sizes.at, walk.folded_order, element_size(out.dtype),
                self.data, walk.spread, out.data, walk.folded);
  return Status::kOk;
}

}  // namespace berth::runtime
