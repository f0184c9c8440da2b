#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

struct SoftmaxRule {
  Scaling scaling;  // of differences, to Q5.26
  int32_t diff_min = 0;

  // exp(x - max) in Q0.31; differences below diff_min count for nothing.
  int32_t exponential(int32_t difference) const {
    if (difference < diff_min) return 0;
    const int32_t scaled =
        srdhm(wrapping_shift_left(difference, scaling.shift), scaling.multiplier);
    return exp_on_negative(scaled, 5);
  }
};

// One row of `count` elements that stand `step` apart, in and out alike. In place: the last pass
// reads each element before it writes it.
void softmax_row(const int8_t* in, int8_t* out, size_t count, size_t step,
                 const SoftmaxRule& rule) {
  int32_t largest = -128;
  for (size_t i = 0; i < count; ++i) {
    if (in[i * step] > largest) largest = in[i * step];
  }
  int64_t total = 0;  // Q12.19
  for (size_t i = 0; i < count; ++i) total += rdbpot(rule.exponential(in[i * step] - largest), 12);
  // More than 4095 elements as large as the largest: each is 0 in the output anyway.
  const int32_t sum = total < 1 ? 1 : total > kInt32Max ? kInt32Max : static_cast<int32_t>(total);
  const int headroom = count_leading_zeros32(static_cast<uint32_t>(sum));
  const int32_t reciprocal = one_over_one_plus_x(
      static_cast<int32_t>((static_cast<uint32_t>(sum) << headroom) - (uint32_t{1} << 31)));
  const int exponent = (12 - headroom) + 31 - 8;
  for (size_t i = 0; i < count; ++i) {
    const int32_t difference = in[i * step] - largest;
    int32_t value = -128;
    if (difference >= rule.diff_min) {
      const int32_t quotient = srdhm(reciprocal, rule.exponential(difference));
      value = clamp_to((exponent > 31 ? 0 : rdbpot(quotient, exponent)) - 128, -128, 127);
    }
    out[i * step] = static_cast<int8_t>(value);
  }
}

}  // namespace

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
      softmax_row(in.as<int8_t>() + first, out.as_mutable<int8_t>() + first, count, step, rule);
    }
  }
  return Status::kOk;
}

}  // namespace berth::runtime
