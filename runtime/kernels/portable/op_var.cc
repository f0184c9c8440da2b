// Variances and standard deviations: the mean first, then the squares of what differs from it.
#include <cmath>

#include "runtime/kernels/portable/reduction.h"
#include "runtime/kernels/portable/reduction_kernels.h"

namespace berth::runtime {
namespace {

// What an operator asks for.
struct Spread {
  DimSet dims = 0;
  double correction = 1;
  bool keepdim = false;
  bool root = false;
};

template <typename T>
T sum_of(const ReductionWalk& walk, const Tensor& in, Compute compute, size_t in_at, T mean,
         bool squares) {
  T total = 0;
  walk.for_each_run(in_at, [&](size_t offset, size_t count, size_t step) {
    T block[kBlock];
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t length = count - begin < kBlock ? count - begin : kBlock;
      load_block(compute, in.dtype, in.data, offset + begin * step, step, length, block);
      T part = 0;
      for (size_t i = 0; i < length; ++i) {
        const T difference = block[i] - mean;
        part += squares ? difference * difference : block[i];
      }
      total += part;
    }
  });
  return total;
}

template <typename T>
void compute_spread(const ReductionWalk& walk, const Spread& spread, const Tensor& in,
                    Compute compute, const Tensor* means, const Tensor& out) {
  const T count = static_cast<T>(walk.combined());
  const double freedom = static_cast<double>(walk.combined()) - spread.correction;
  const T divisor = static_cast<T>(freedom > 0 ? freedom : 0);
  walk.for_each_output([&](size_t out_at, size_t in_at) {
    T mean = 0, squares = 0;
    if (walk.combined() != 0) {
      mean = sum_of<T>(walk, in, compute, in_at, 0, false) / count;
      squares = sum_of<T>(walk, in, compute, in_at, mean, true);
    } else {
      mean = static_cast<T>(NAN);
    }
    const T variance = squares / divisor;
    const T answer = spread.root ? std::sqrt(variance) : variance;
    store_block(compute, out.dtype, &answer, 1, out.data, out_at, 1);
    if (means != nullptr) store_block(compute, means->dtype, &mean, 1, means->data, out_at, 1);
  });
}

// means: null where they are not asked for.
Status run_spread(const Spread& spread, const Tensor& in, Tensor* means, Tensor& out) {
  KERNEL_REQUIRE(is_floating(in.dtype) && is_floating(out.dtype), kBadArguments);
  ReductionWalk walk;
  if (means != nullptr) {
    KERNEL_REQUIRE(is_floating(means->dtype) && same_dim_order(*means, out), kBadArguments);
    ReductionWalk first;
    KERNEL_TRY(first.open(in, spread.dims, spread.keepdim, *means));
  }
  KERNEL_TRY(walk.open(in, spread.dims, spread.keepdim, out));
  if (walk.outputs() == 0) return Status::kOk;
  const Compute compute = compute_of(in.dtype);
  if (compute == Compute::kDouble) {
    compute_spread<double>(walk, spread, in, compute, means, out);
  } else {
    compute_spread<float>(walk, spread, in, compute, means, out);
  }
  return Status::kOk;
}

// (self, dims or none, unbiased, keepdim, out)
Status run_unbiased(const Args& args, bool root) {
  Spread spread;
  KERNEL_TRY(read_dim_set(args, 1, args.tensor(0).rank, &spread.dims));
  spread.correction = args.boolean(2) ? 1 : 0;
  spread.keepdim = args.boolean(3);
  spread.root = root;
  return run_spread(spread, args.tensor(0), nullptr, args.tensor(4));
}

// (self, dims or none, correction or none, keepdim, out, [means])
Status run_corrected(const Args& args, bool root, Tensor* means) {
  Spread spread;
  KERNEL_TRY(read_dim_set(args, 1, args.tensor(0).rank, &spread.dims));
  if (!args.is_none(2)) spread.correction = args.number(2);
  KERNEL_REQUIRE(spread.correction == spread.correction, kBadArguments);
  spread.keepdim = args.boolean(3);
  spread.root = root;
  return run_spread(spread, args.tensor(0), means, args.tensor(4));
}

}  // namespace

Status run_var(KernelContext&, const Args& args) { return run_unbiased(args, false); }
Status run_std(KernelContext&, const Args& args) { return run_unbiased(args, true); }
Status run_var_correction(KernelContext&, const Args& args) {
  return run_corrected(args, false, nullptr);
}
Status run_std_correction(KernelContext&, const Args& args) {
  return run_corrected(args, true, nullptr);
}
Status run_var_mean_correction(KernelContext&, const Args& args) {
  return run_corrected(args, false, &args.tensor(5));
}

}  // namespace berth::runtime
