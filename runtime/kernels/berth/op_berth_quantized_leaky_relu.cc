#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename T>
Status run_typed(const Args& args) {
  enum : uint32_t {
    kIn,
    kInZeroPoint,
    kOutZeroPoint,
    kMultiplier,
    kShift,
    kAlphaMultiplier,
    kAlphaShift,
    kOut
  };
  int32_t in_zero_point = 0, out_zero_point = 0;
  Scaling positive, negative;
  KERNEL_TRY(read_zero_point<T>(args, kInZeroPoint, &in_zero_point));
  KERNEL_TRY(read_zero_point<T>(args, kOutZeroPoint, &out_zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &positive));
  KERNEL_TRY(read_scaling(args, kAlphaMultiplier, kAlphaShift, &negative));
  apply_unary<T, T>(args.tensor(kIn), args.tensor(kOut), [=](T value) {
    const int32_t centred = value - in_zero_point;
    const int32_t scaled = centred >= 0 ? positive.apply(centred) : negative.apply(centred);
    constexpr Range kRange = full_range<T>();
    return static_cast<T>(clamp_to(wrapping_add(scaled, out_zero_point), kRange.low, kRange.high));
  });
  return Status::kOk;
}

}  // namespace

Status run_berth_quantized_leaky_relu(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& out = args.tensor(7);
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  return dispatch_dtype<int8_t, int16_t>(
      in.dtype, [&](auto zero) { return run_typed<decltype(zero)>(args); });
}

}  // namespace berth::runtime
