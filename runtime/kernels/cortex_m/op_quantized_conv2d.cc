#include "runtime/kernels/convolution.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"

namespace berth::runtime {

Status run_quantized_conv2d(KernelContext&, const Args& args) {
  enum : uint32_t {
    kIn,
    kWeights,
    kBias,
    kStride,
    kPadding,
    kDilation,
    kInOffset,
    kOutOffset,
    kMultipliers,
    kShifts,
    kLow,
    kHigh,
    kScratch,
    kOut
  };
  const Tensor& in = args.tensor(kIn);
  const Tensor& weights = args.tensor(kWeights);
  Tensor& out = args.tensor(kOut);
  WindowShape shape;
  KERNEL_TRY(read_window(args, {kStride, kPadding, kDilation}, in, weights, out, ScalarType::kChar,
                         &shape));
  KERNEL_TRY(check_conv_weights(weights, &shape));
  int32_t in_offset = 0;
  OutputStage stage;
  KERNEL_TRY(read_input_offset(args, kInOffset, &in_offset));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOutOffset, &stage.zero_point));
  KERNEL_TRY(read_range<int8_t>(args, kLow, kHigh, &stage.range));
  const size_t channels = static_cast<size_t>(shape.out_c);
  KERNEL_TRY(read_bias(args, kBias, channels, &stage.bias));
  KERNEL_TRY(check_channel_scaling(args.tensor(kMultipliers), args.tensor(kShifts), channels));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_TRY(check_scratch(args.tensor(kScratch), conv2d_scratch_bytes(shape, kBuildIsa)));

  stage.scaling = {args.tensor(kMultipliers).as<int32_t>(), args.tensor(kShifts).as<int32_t>(), 1};
  convolve<uint32_t>(shape, in.as<int8_t>(), in_offset, weights.as<int8_t>(), stage,
                     out.as_mutable<int8_t>());
  return Status::kOk;
}

}  // namespace berth::runtime
