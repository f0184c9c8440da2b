#include "runtime/kernels/portable/portable_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename T>
Status clamp_integers(const Args& args) {
  constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  double low = args.is_none(1) ? kLow : args.number(1);
  double high = args.is_none(2) ? kHigh : args.number(2);
  low = low < kLow ? kLow : low > kHigh ? kHigh : low;
  high = high < kLow ? kLow : high > kHigh ? kHigh : high;
  KERNEL_REQUIRE(low == low && high == high, kBadArguments);  // NaN
  const T low_bound = static_cast<T>(low), high_bound = static_cast<T>(high);
  KERNEL_REQUIRE(static_cast<double>(low_bound) == low && static_cast<double>(high_bound) == high,
                 kBadArguments);
  // Where the bounds cross, the upper one wins (torch's rule).
  apply_unary<T, T>(args.tensor(0), args.tensor(3), [=](T value) {
    const T raised = value < low_bound ? low_bound : value;
    return raised > high_bound ? high_bound : raised;
  });
  return Status::kOk;
}

Status clamp_floats(const Args& args) {
  const bool has_low = !args.is_none(1), has_high = !args.is_none(2);
  const float low = has_low ? static_cast<float>(args.number(1)) : 0.0f;
  const float high = has_high ? static_cast<float>(args.number(2)) : 0.0f;
  KERNEL_REQUIRE(low == low && high == high, kBadArguments);
  apply_unary<float, float>(args.tensor(0), args.tensor(3), [=](float value) {
    const float raised = has_low && value < low ? low : value;
    return has_high && raised > high ? high : raised;
  });
  return Status::kOk;
}

}  // namespace

Status run_clamp(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  switch (in.dtype) {
    case ScalarType::kChar:
      return clamp_integers<int8_t>(args);
    case ScalarType::kShort:
      return clamp_integers<int16_t>(args);
    case ScalarType::kInt:
      return clamp_integers<int32_t>(args);
    case ScalarType::kFloat:
      return clamp_floats(args);
    default:
      return Status::kBadArguments;
  }
}

}  // namespace berth::runtime
