#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/cortex_m/softmax_row.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

Status run_softmax(KernelContext&, const Args& args) {
  enum : uint32_t { kIn, kDim, kInZeroPoint, kOutZeroPoint, kMultiplier, kShift, kDiffMin, kOut };
  const Tensor& in = args.tensor(kIn);
  Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar) && has_dtype(out, ScalarType::kChar),
                 kBadArguments);
  KERNEL_REQUIRE(same_layout(in, out), kBadShape);
  int64_t dim = args.integer(kDim);
  if (dim < 0) dim += in.rank;
  KERNEL_REQUIRE(dim >= 0 && dim < in.rank, kBadArguments);
  int32_t in_zero_point = 0;  // a difference has none: checked and left alone
  KERNEL_TRY(read_zero_point<int8_t>(args, kInZeroPoint, &in_zero_point));
  KERNEL_REQUIRE(args.integer(kOutZeroPoint) == -128, kBadArguments);
  SoftmaxRule rule;
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &rule.scaling));
  KERNEL_REQUIRE(rule.scaling.multiplier >= 0 && rule.scaling.shift >= 0, kBadArguments);
  KERNEL_TRY(read_int32(args, kDiffMin, &rule.diff_min));
  KERNEL_REQUIRE(rule.diff_min <= 0, kBadArguments);
  if (out.numel() == 0) return Status::kOk;

  // In memory: outer blocks, each a matrix of `count` rows and `step` columns.
  size_t outer = 1, step = 1;
  bool inside = false;
  for (int i = 0; i < in.rank; ++i) {
    const int at = in.dim_order[i];
    if (at == dim) {
      inside = true;
    } else {
      (inside ? step : outer) *= static_cast<size_t>(in.sizes[at]);
    }
  }
  const size_t count = static_cast<size_t>(in.sizes[dim]);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t s = 0; s < step; ++s) {
      const size_t first = o * count * step + s;
      const int8_t* from = in.as<int8_t>() + first;
      int8_t* to = out.as_mutable<int8_t>() + first;
      if constexpr (kBuildIsa == Isa::kHost) {
        softmax_row(from, to, count, step, rule);
      } else {
        softmax_int8_row(from, to, count, step, rule.scaling, rule.diff_min);
      }
    }
  }
  return Status::kOk;
}

}  // namespace berth::runtime
