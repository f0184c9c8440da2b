#include <cmath>

#include "runtime/kernels/portable/reduction.h"
#include "runtime/kernels/portable/reduction_kernels.h"

namespace berth::runtime {
namespace {

template <typename T, typename Visit>
void for_each_element(const ReductionWalk& walk, Compute compute, const Tensor& in, size_t in_at,
                      const Visit& visit) {
  walk.for_each_run(in_at, [&](size_t offset, size_t count, size_t step) {
    T block[kBlock];
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t length = count - begin < kBlock ? count - begin : kBlock;
      load_block(compute, in.dtype, in.data, offset + begin * step, step, length, block);
      for (size_t i = 0; i < length; ++i) visit(block[i]);
    }
  });
}

template <typename T>
void run_walk(const ReductionWalk& walk, Compute compute, const Tensor& in, const Tensor& out) {
  walk.for_each_output([&](size_t out_at, size_t in_at) {
    T most = -static_cast<T>(INFINITY), total = 0;
    if (walk.combined() != 0) {
      for_each_element<T>(walk, compute, in, in_at,
                          [&](T x) { most = x > most || x != x ? x : most; });
      // Infinite ones would give infinity minus infinity.
      if (std::isinf(most)) most = 0;
      for_each_element<T>(walk, compute, in, in_at, [&](T x) { total += std::exp(x - most); });
    } else {
      most = 0;
    }
    const T answer = std::log(total) + most;
    store_block(compute, out.dtype, &answer, 1, out.data, out_at, 1);
  });
}

}  // namespace

// (self, dims, keepdim, out)
Status run_logsumexp(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(has_arithmetic(in.dtype) && is_floating(out.dtype), kBadArguments);
  DimSet dims = 0;
  KERNEL_TRY(read_dim_set(args, 1, in.rank, &dims));
  ReductionWalk walk;
  KERNEL_TRY(walk.open(in, dims, args.boolean(2), out));
  if (walk.outputs() == 0) return Status::kOk;
  const Compute compute = compute_of(out.dtype);
  if (compute == Compute::kDouble) {
    run_walk<double>(walk, compute, in, out);
  } else {
    run_walk<float>(walk, compute, in, out);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
