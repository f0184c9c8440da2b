#include <cmath>

#include "runtime/kernels/portable/quantized_decomposed_kernels.h"
#include "runtime/kernels/portable/quantized_values.h"

namespace berth::runtime {
namespace {

struct Extent {
  float low = 0.0f, high = 0.0f;  // 0 always belongs
};

Extent extent_of(const float* values, size_t count) {
  Extent extent;
  for (size_t i = 0; i < count; ++i) {
    extent.low = values[i] < extent.low ? values[i] : extent.low;
    extent.high = values[i] > extent.high ? values[i] : extent.high;
  }
  return extent;
}

// The stock rule (FBGEMM's): scales below this are raised to it.
constexpr double kSmallestScale = 6.1e-5f;

// The scale as it is written: a double keeps more of it than quantising uses.
struct Chosen {
  double scale = 0.0;
  int32_t zero_point = 0;
};

Chosen choose(const Extent& extent, int32_t low, int32_t high) {
  float from = extent.low, to = extent.high;
  const double steps = static_cast<double>(high) - low;
  double scale = (static_cast<double>(to) - from) / steps;
  const float rounded = static_cast<float>(scale);
  // Nothing but zeros, or a scale without an inverse.
  if (rounded == 0.0f || std::isinf(1.0f / rounded)) scale = 0.1;
  if (scale < kSmallestScale) {
    const float stretch = static_cast<float>(kSmallestScale / static_cast<float>(scale));
    scale = kSmallestScale;
    if (from == 0.0f) {
      to = static_cast<float>(scale * steps);
    } else if (to == 0.0f) {
      from = static_cast<float>(-scale * steps);
    } else {
      from *= stretch;
      to *= stretch;
    }
  }
  // Of the two ends the one that rounds with less error places the zero.
  const double by_low = low - from / scale, by_high = high - to / scale;
  const double low_error = std::fabs(static_cast<double>(low)) + std::fabs(from / scale);
  const double high_error = std::fabs(static_cast<double>(high)) + std::fabs(to / scale);
  const double place = low_error < high_error ? by_low : by_high;
  Chosen chosen;
  chosen.scale = scale;
  chosen.zero_point = place < low       ? low
                      : !(place < high) ? high
                                        : static_cast<int32_t>(std::nearbyint(place));
  return chosen;
}

void store(const Chosen& chosen, const Tensor& scales, const Tensor& zero_points, size_t i) {
  if (scales.dtype == ScalarType::kFloat) {
    scales.as_mutable<float>()[i] = static_cast<float>(chosen.scale);
  } else {
    scales.as_mutable<double>()[i] = chosen.scale;
  }
  if (zero_points.dtype == ScalarType::kInt) {
    zero_points.as_mutable<int32_t>()[i] = chosen.zero_point;
  } else {
    zero_points.as_mutable<int64_t>()[i] = chosen.zero_point;
  }
}

Status check_outputs(const Tensor& in, const Tensor& scales, const Tensor& zero_points) {
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(QuantValues::are_scales(scales) && QuantValues::are_zero_points(zero_points),
                 kBadArguments);
  KERNEL_REQUIRE(&in != &scales && &in != &zero_points && &scales != &zero_points, kBadArguments);
  return Status::kOk;
}

}  // namespace

// (input, quant_min, quant_max, eps, dtype, scale, zero_point): the stock kernel has no use for
// eps.
Status run_decomposed_choose_qparams(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& scale = args.tensor(5);
  Tensor& zero_point = args.tensor(6);
  KERNEL_TRY(check_outputs(in, scale, zero_point));
  const int64_t low = args.integer(1), high = args.integer(2);
  KERNEL_REQUIRE(low < high && low >= -kZeroPointLimit && high <= kZeroPointLimit, kBadArguments);
  Sizes one;
  KERNEL_TRY(append_size(1, &one));
  KERNEL_TRY(resize(scale, one));
  KERNEL_TRY(resize(zero_point, one));
  store(choose(extent_of(in.as<float>(), in.numel()), static_cast<int32_t>(low),
               static_cast<int32_t>(high)),
        scale, zero_point, 0);
  return Status::kOk;
}

// (input, dtype, scales, zero_points): int8, one pair for each row of the last dim.
Status run_decomposed_choose_qparams_per_token_asymmetric(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& scales = args.tensor(2);
  Tensor& zero_points = args.tensor(3);
  KERNEL_TRY(check_outputs(in, scales, zero_points));
  KERNEL_REQUIRE(in.rank > 0 && is_row_major(in), kBadShape);
  Sizes sizes(in);
  sizes.at[in.rank - 1] = 1;
  KERNEL_REQUIRE(scales.rank == in.rank && is_row_major_at(scales, sizes), kBadShape);
  KERNEL_REQUIRE(zero_points.rank == in.rank && is_row_major_at(zero_points, sizes), kBadShape);
  KERNEL_TRY(resize(scales, sizes));
  KERNEL_TRY(resize(zero_points, sizes));
  const size_t depth = static_cast<size_t>(in.sizes[in.rank - 1]), rows = scales.numel();
  for (size_t r = 0; r < rows; ++r)
    store(choose(extent_of(in.as<float>() + r * depth, depth), -128, 127), scales, zero_points, r);
  return Status::kOk;
}

}  // namespace berth::runtime
