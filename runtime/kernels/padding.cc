#include "runtime/kernels/padding.h"

#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// The lists run over memory order, aligned at the right. Where dims of size 1 leave the order open,
// the tensor's own dim order is tried first, then the two common ones: the output's shape says
// which was meant.
struct Padding {
  int64_t before[kMaxRank];  // by dim
  int64_t after[kMaxRank];
};

bool read_padding(const Args& args, const Tensor& in, const Tensor& out, const uint8_t* order,
                  Padding* padding) {
  const uint32_t lead = args.list_size(1) - in.rank;
  for (int i = 0; i < in.rank; ++i) {
    const int dim = order[i];
    const int64_t before = args.int_at(1, lead + i), after = args.int_at(2, lead + i);
    if (before < 0 || after < 0 || !fits<int32_t>(before) || !fits<int32_t>(after)) return false;
    if (out.sizes[dim] != in.sizes[dim] + before + after) return false;
    padding->before[dim] = before;
    padding->after[dim] = after;
  }
  return true;
}

template <typename T>
Status fill(const Tensor& out, int64_t value) {
  KERNEL_REQUIRE(fits<T>(value), kBadArguments);
  const size_t count = out.numel();
  T* data = out.as_mutable<T>();
  for (size_t i = 0; i < count; ++i) data[i] = static_cast<T>(value);
  return Status::kOk;
}

}  // namespace

Status pad_tensor(const Args& args) {
  enum : uint32_t { kIn, kBefore, kAfter, kValue, kOut };
  const Tensor& in = args.tensor(kIn);
  const Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(in.rank >= 1 && out.rank == in.rank, kBadShape);
  const uint32_t entries = args.list_size(kBefore);
  KERNEL_REQUIRE(entries == args.list_size(kAfter) && entries >= in.rank, kBadArguments);
  KERNEL_REQUIRE(entries == 4 || entries == in.rank, kBadArguments);
  for (uint32_t i = 0; i + in.rank < entries; ++i) {
    KERNEL_REQUIRE(args.int_at(kBefore, i) == 0 && args.int_at(kAfter, i) == 0, kBadArguments);
  }
  constexpr uint8_t kRowMajor[4] = {0, 1, 2, 3};
  Padding padding;
  bool found = read_padding(args, in, out, in.dim_order, &padding);
  if (!found && is_nhwc_image(in)) found = read_padding(args, in, out, kNhwcOrder, &padding);
  if (!found && in.rank == 4 && is_row_major(in))
    found = read_padding(args, in, out, kRowMajor, &padding);
  KERNEL_REQUIRE(found, kBadShape);

  KERNEL_TRY((dispatch_dtype<int8_t, int16_t, int32_t>(
      in.dtype, [&](auto zero) { return fill<decltype(zero)>(out, args.integer(kValue)); })));
  if (in.numel() == 0) return Status::kOk;
  size_t in_strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(in, in_strides);
  compute_strides(out, out_strides);
  LoopNest<2> nest;
  size_t start = 0;
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    start += static_cast<size_t>(padding.before[dim]) * out_strides[dim];
    nest.append(static_cast<size_t>(in.sizes[dim]), {out_strides[dim], in_strides[dim]});
  }
  const size_t size = element_size(in.dtype);
  copy_strided(nest, size, in.data, static_cast<uint8_t*>(out.data) + start * size);
  return Status::kOk;
}

}  // namespace berth::runtime
