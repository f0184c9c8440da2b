#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/rounding.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename T>
Status run_typed(const Args& args, const Tensor& in, Tensor& out) {
  const float scale = static_cast<float>(args.number(1));
  KERNEL_REQUIRE(scale > 0.0f, kBadArguments);
  int32_t zero_point = 0;
  Range range;
  KERNEL_TRY(read_zero_point<T>(args, 2, &zero_point));
  KERNEL_TRY(read_range<T>(args, 3, 4, &range));
  const float inverse = 1.0f / scale;
  apply_unary<T, float>(in, out, [=](float value) {
    return static_cast<T>(
        clamp_to(round_half_even(value * inverse) + zero_point, range.low, range.high));
  });
  return Status::kOk;
}

}  // namespace

Status run_quantize_per_tensor(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(6);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(args.integer(5) == static_cast<int64_t>(out.dtype), kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  return dispatch_dtype<int8_t, int16_t>(
      out.dtype, [&](auto zero) { return run_typed<decltype(zero)>(args, in, out); });
}

}  // namespace berth::runtime
