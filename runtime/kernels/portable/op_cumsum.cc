// Running sums and products along a dim.
#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/reduction_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename T>
void accumulate(const LoopNest<2>& lines, Compute compute, const Tensor& in, size_t in_step,
                const Tensor& out, size_t out_step, size_t length, bool product) {
  const auto run_line = [&](size_t out_at, size_t in_at) {
    T total = product ? T{1} : T{0};
    T block[kBlock];
    for (size_t begin = 0; begin < length; begin += kBlock) {
      const size_t count = length - begin < kBlock ? length - begin : kBlock;
      load_block(compute, in.dtype, in.data, in_at + begin * in_step, in_step, count, block);
      for (size_t i = 0; i < count; ++i) {
        total = product ? times(total, block[i]) : plus(total, block[i]);
        block[i] = total;
      }
      store_block(compute, out.dtype, block, count, out.data, out_at + begin * out_step, out_step);
    }
  };
  lines.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    for (size_t i = 0; i < count; ++i) run_line(offset[0] + i * step[0], offset[1] + i * step[1]);
  });
}

// (self, dim, dtype or none, out)
Status run_along(const Args& args, bool product) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(has_arithmetic(in.dtype) && has_arithmetic(out.dtype), kBadArguments);
  KERNEL_REQUIRE(args.is_none(2) || args.integer(2) == static_cast<int>(out.dtype), kBadArguments);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), in.rank, &dim));
  KERNEL_TRY(resize(out, in.sizes, in.rank));
  if (out.numel() == 0) return Status::kOk;

  size_t in_strides[kMaxRank] = {1}, out_strides[kMaxRank] = {1};
  compute_strides(in, in_strides);
  compute_strides(out, out_strides);
  LoopNest<2> lines;  // where each begins
  for (int i = 0; i < out.rank; ++i) {
    const int d = out.dim_order[i];
    if (d == dim) continue;
    lines.append(static_cast<size_t>(out.sizes[d]), {out_strides[d], in_strides[d]});
  }
  const size_t length = in.rank == 0 ? 1 : static_cast<size_t>(in.sizes[dim]);
  const Compute compute = compute_of(out.dtype);
  const auto run = compute == Compute::kFloat    ? accumulate<float>
                   : compute == Compute::kDouble ? accumulate<double>
                                                 : accumulate<int64_t>;
  run(lines, compute, in, in_strides[dim], out, out_strides[dim], length, product);
  return Status::kOk;
}

}  // namespace

Status run_cumsum(KernelContext&, const Args& args) { return run_along(args, false); }
Status run_cumprod(KernelContext&, const Args& args) { return run_along(args, true); }

}  // namespace berth::runtime
