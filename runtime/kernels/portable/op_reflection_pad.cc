#include <cstring>

#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

// Which element of a dim stands at `i`, which may be outside [0, size).
struct Reflect {
  static int64_t at(int64_t i, int64_t size) {
    return i < 0 ? -i : i < size ? i : 2 * (size - 1) - i;
  }
};
struct Replicate {
  static int64_t at(int64_t i, int64_t size) { return i < 0 ? 0 : i < size ? i : size - 1; }
};

template <typename Rule, size_t N>
void pad_row(const uint8_t* from, int64_t from_step, int64_t size, int64_t before, int64_t to_step,
             int64_t count, uint8_t* to) {
  constexpr int64_t kSize = static_cast<int64_t>(N);
  for (int64_t j = 0; j < count; ++j)
    memcpy(to + j * to_step * kSize, from + Rule::at(j - before, size) * from_step * kSize, N);
}

template <typename Rule, size_t N>
void pad_all(const Tensor& self, const int64_t* before, const Tensor& out) {
  const ElementMap from = map_elements(self), to = map_elements(out);
  const int last = out.rank - 1;
  constexpr int64_t kSize = static_cast<int64_t>(N);
  int32_t at[kMaxRank] = {};
  for (;;) {
    int64_t source = 0, target = 0;
    for (int d = 0; d < last; ++d) {
      source += Rule::at(at[d] - before[d], self.sizes[d]) * from.steps[d];
      target += at[d] * to.steps[d];
    }
    pad_row<Rule, N>(self.as<uint8_t>() + source * kSize, from.steps[last], self.sizes[last],
                     before[last], to.steps[last], out.sizes[last],
                     out.as_mutable<uint8_t>() + target * kSize);
    int d = last - 1;
    for (; d >= 0; --d) {
      if (++at[d] < out.sizes[d]) break;
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

// (self, padding, out): padding is (before, after) of the last dim, of the one before it, ...; one
// or two dims stand in front of the padded ones. With limited, padding stays below the dim's size.
template <typename Rule>
Status pad(const Args& args, bool limited) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(&self != &out, kBadArguments);
  const uint32_t entries = args.list_size(1);
  KERNEL_REQUIRE(entries == 2 || entries == 4 || entries == 6, kBadArguments);
  const int dims = static_cast<int>(entries / 2);
  KERNEL_REQUIRE(self.rank == dims + 1 || self.rank == dims + 2, kBadShape);
  Sizes sizes(self);
  int64_t before[kMaxRank] = {};
  for (int i = 0; i < dims; ++i) {
    const int dim = self.rank - 1 - i;
    const int64_t low = args.int_at(1, static_cast<uint32_t>(2 * i));
    const int64_t high = args.int_at(1, static_cast<uint32_t>(2 * i + 1));
    const int64_t size = self.sizes[dim];
    KERNEL_REQUIRE(fits<int32_t>(low) && fits<int32_t>(high), kBadArguments);
    KERNEL_REQUIRE(!limited || (low < size && high < size), kBadArguments);
    KERNEL_REQUIRE(size > 0 && size + low + high > 0 && fits<int32_t>(size + low + high),
                   kBadShape);
    // What negative padding cuts must be there.
    KERNEL_REQUIRE(low > -size && high > -size, kBadShape);
    sizes.at[dim] = static_cast<int32_t>(size + low + high);
    before[dim] = low;
  }
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;
  switch (element_size(out.dtype)) {
    case 1:
      pad_all<Rule, 1>(self, before, out);
      break;
    case 2:
      pad_all<Rule, 2>(self, before, out);
      break;
    case 4:
      pad_all<Rule, 4>(self, before, out);
      break;
    case 8:
      pad_all<Rule, 8>(self, before, out);
      break;
    default:
      pad_all<Rule, 16>(self, before, out);
      break;
  }
  return Status::kOk;
}

}  // namespace

Status run_reflection_pad(KernelContext&, const Args& args) { return pad<Reflect>(args, true); }

Status run_replication_pad(KernelContext&, const Args& args) { return pad<Replicate>(args, false); }

}  // namespace berth::runtime
