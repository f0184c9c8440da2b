#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/wide_arguments.h"
#include "runtime/kernels/depthwise.h"

namespace berth::runtime {

Status run_berth_quantized_depthwise_conv2d(KernelContext&, const Args& args) {
  enum : uint32_t {
    kIn,
    kWeights,
    kBias,
    kStride,
    kPadding,
    kDilation,
    kMultiplier,
    kInOffset,
    kOutOffset,
    kMultipliers,
    kShifts,
    kLow,
    kHigh,
    kOut
  };
  const Tensor& in = args.tensor(kIn);
  const Tensor& weights = args.tensor(kWeights);
  Tensor& out = args.tensor(kOut);
  WindowShape shape;
  KERNEL_TRY(read_window(args, {kStride, kPadding, kDilation}, in, weights, out, ScalarType::kShort,
                         &shape));
  KERNEL_TRY(check_depthwise_weights(weights, args.integer(kMultiplier), shape));
  WideArguments wide;
  const size_t channels = static_cast<size_t>(shape.out_c);
  KERNEL_TRY(
      read_wide_arguments(args, {kBias, kInOffset, kOutOffset, kLow, kHigh}, channels, &wide));
  KERNEL_TRY(check_channel_scaling(args.tensor(kMultipliers), args.tensor(kShifts), channels,
                                   wide.max_shift()));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_REQUIRE(depthwise_conv2d_scratch_bytes(shape, Isa::kHost) == 0,
                 kBadShape);  // every size is at least 1

  wide.set_scaling(
      {args.tensor(kMultipliers).as<int32_t>(), args.tensor(kShifts).as<int32_t>(), 1});
  const int16_t* from = in.as<int16_t>();
  const int8_t* filters = weights.as<int8_t>();
  if (wide.narrow_bias) {
    convolve_depthwise<uint32_t>(shape, from, 0, filters, wide.narrow, out.as_mutable<int16_t>());
  } else {
    convolve_depthwise<int64_t>(shape, from, 0, filters, wide.wide, out.as_mutable<int16_t>());
  }
  return Status::kOk;
}

}  // namespace berth::runtime
