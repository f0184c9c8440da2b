#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename Out, typename In>
Status run_pair(const Args& args) {
  enum : uint32_t { kIn, kInZeroPoint, kOutZeroPoint, kMultiplier, kShift, kOut };
  int32_t in_zero_point = 0, out_zero_point = 0;
  Scaling scaling;
  KERNEL_TRY(read_zero_point<In>(args, kInZeroPoint, &in_zero_point));
  KERNEL_TRY(read_zero_point<Out>(args, kOutZeroPoint, &out_zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &scaling));
  apply_unary<Out, In>(args.tensor(kIn), args.tensor(kOut), [=](In value) {
    const int64_t moved =
        int64_t{scaling.apply(wrapping_sub(value, in_zero_point))} + out_zero_point;
    constexpr Range kRange = full_range<Out>();
    return static_cast<Out>(moved < kRange.low    ? kRange.low
                            : moved > kRange.high ? kRange.high
                                                  : moved);
  });
  return Status::kOk;
}

}  // namespace

Status run_requantize(KernelContext&, const Args& args) {
  constexpr uint32_t kIn = 0, kOut = 5;
  const Tensor& in = args.tensor(kIn);
  const Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  return dispatch_dtype<uint8_t, int8_t, int16_t, int32_t>(in.dtype, [&](auto from) {
    return dispatch_dtype<uint8_t, int8_t, int16_t, int32_t>(
        out.dtype, [&](auto to) { return run_pair<decltype(to), decltype(from)>(args); });
  });
}

}  // namespace berth::runtime
