// Sums of a block of outputs grow on the stack while the reduced dims are walked; where the
// innermost output dim lies side by side in the input (channels of an image), that is a vector
// addition per position.
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/column_sums.h"
#include "runtime/kernels/cortex_m/rescaling.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

constexpr size_t kBlock = 64;

enum : uint32_t { kIn, kDims, kKeepDim, kInZeroPoint, kOutZeroPoint, kMultiplier, kShift, kOut };

struct MeanRule {
  int32_t in_zero_point = 0, out_zero_point = 0;
  Scaling scaling;
};

// kept: (out, in) steps of the dims that stay; reduced: in steps of those that go.
template <typename T>
void mean(const LoopNest<2>& kept, const LoopNest<1>& reduced, int32_t count, const MeanRule& rule,
          const T* in, T* out) {
  const int32_t start = wrapping_sub(0, wrapping_mul(rule.in_zero_point, count));
  constexpr Range kRange = full_range<T>();
  const Rescaling by(rule.scaling, rule.out_zero_point, kRange.low, kRange.high);
  kept.for_each_run([&](const size_t(&offset)[2], size_t length, const size_t(&step)[2]) {
    for (size_t first = 0; first < length; first += kBlock) {
      const size_t block = length - first < kBlock ? length - first : kBlock;
      const T* block_in = in + offset[1] + first * step[1];
      alignas(16) int32_t sums[kBlock];
      for (int32_t& sum : sums) sum = start;
      reduced.for_each_run([&](const size_t(&at)[1], size_t terms, const size_t(&stride)[1]) {
        add_terms(block_in + at[0], stride[0], terms, step[1], block, sums);
      });
      rescale(by, block, sums);
      T* block_out = out + offset[0] + first * step[0];
      for (size_t i = 0; i < block; ++i) block_out[i * step[0]] = static_cast<T>(sums[i]);
    }
  });
}

template <typename T>
Status run_typed(const Args& args, const LoopNest<2>& kept, const LoopNest<1>& reduced,
                 int64_t count) {
  MeanRule rule;
  KERNEL_TRY(read_zero_point<T>(args, kInZeroPoint, &rule.in_zero_point));
  KERNEL_TRY(read_zero_point<T>(args, kOutZeroPoint, &rule.out_zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &rule.scaling));
  if (args.tensor(kOut).numel() == 0) return Status::kOk;
  KERNEL_REQUIRE(count > 0 && fits<int32_t>(count), kBadShape);
  mean<T>(kept, reduced, static_cast<int32_t>(count), rule, args.tensor(kIn).as<T>(),
          args.tensor(kOut).as_mutable<T>());
  return Status::kOk;
}

}  // namespace

Status run_berth_quantized_mean(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(kIn);
  const Tensor& out = args.tensor(kOut);
  const bool keep = args.boolean(kKeepDim);
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  uint32_t reduced_dims = 0;
  for (uint32_t i = 0; i < args.list_size(kDims); ++i) {
    int64_t dim = args.int_at(kDims, i);
    if (dim < 0) dim += in.rank;
    KERNEL_REQUIRE(dim >= 0 && dim < in.rank && (reduced_dims & (1u << dim)) == 0, kBadArguments);
    reduced_dims |= 1u << dim;
  }
  KERNEL_REQUIRE(reduced_dims != 0, kBadArguments);

  int in_dim_of[kMaxRank];  // of each output dim; -1 where it stands for a reduced one
  int out_rank = 0;
  int64_t count = 1;
  for (int d = 0; d < in.rank; ++d) {
    const bool reduce = (reduced_dims & (1u << d)) != 0;
    if (reduce) count = count > INT32_MAX ? count : count * in.sizes[d];
    if (reduce && !keep) continue;
    KERNEL_REQUIRE(out_rank < out.rank && out.sizes[out_rank] == (reduce ? 1 : in.sizes[d]),
                   kBadShape);
    in_dim_of[out_rank++] = reduce ? -1 : d;
  }
  KERNEL_REQUIRE(out_rank == out.rank, kBadShape);

  size_t in_strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(in, in_strides);
  compute_strides(out, out_strides);
  LoopNest<2> kept;
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    if (in_dim_of[dim] < 0) continue;
    kept.append(static_cast<size_t>(out.sizes[dim]),
                {out_strides[dim], in_strides[in_dim_of[dim]]});
  }
  LoopNest<1> reduced;
  for (int i = 0; i < in.rank; ++i) {
    const int dim = in.dim_order[i];
    if ((reduced_dims & (1u << dim)) != 0)
      reduced.append(static_cast<size_t>(in.sizes[dim]), {in_strides[dim]});
  }
  return dispatch_dtype<int8_t, int16_t>(
      in.dtype, [&](auto zero) { return run_typed<decltype(zero)>(args, kept, reduced, count); });
}

}  // namespace berth::runtime
