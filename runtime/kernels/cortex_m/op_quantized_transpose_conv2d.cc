#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/output_stage.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

Status run_quantized_transpose_conv2d(KernelContext&, const Args& args) {
  enum : uint32_t {
    kIn,
    kWeights,
    kBias,
    kStride,
    kPadding,
    kOutputPadding,
    kDilation,
    kInOffset,
    kOutOffset,
    kMultipliers,
    kShifts,
    kLow,
    kHigh,
    kScratch,
    kOutputScratch,
    kOut
  };
  const Tensor& in = args.tensor(kIn);
  const Tensor& weights = args.tensor(kWeights);
  Tensor& out = args.tensor(kOut);
  WindowShape shape;
  KERNEL_TRY(read_window(args, {kStride, kPadding, kDilation}, in, weights, out, ScalarType::kChar,
                         &shape));
  KERNEL_REQUIRE(shape.dilation_h == 1 && shape.dilation_w == 1, kUnsupported);
  int64_t output_pad_h = 0,
          output_pad_w = 0;  // checked, then left alone: the output's shape says the same
  KERNEL_TRY(read_pair(args, kOutputPadding, kInt32Min, &output_pad_h, &output_pad_w));
  shape.kernel_c = weights.size(3);
  KERNEL_REQUIRE(weights.size(0) == shape.out_c && shape.kernel_c == shape.in_c, kBadShape);
  int32_t in_offset = 0;
  OutputStage stage;
  KERNEL_TRY(read_input_offset(args, kInOffset, &in_offset));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOutOffset, &stage.zero_point));
  KERNEL_TRY(read_range<int8_t>(args, kLow, kHigh, &stage.range));
  const size_t channels = static_cast<size_t>(shape.out_c);
  KERNEL_TRY(read_bias(args, kBias, channels, &stage.bias));
  KERNEL_TRY(check_channel_scaling(args.tensor(kMultipliers), args.tensor(kShifts), channels));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_TRY(
      check_scratch(args.tensor(kScratch), transpose_conv2d_scratch_bytes(shape, kBuildIsa)));
  KERNEL_TRY(check_scratch(args.tensor(kOutputScratch),
                           transpose_conv2d_output_scratch_bytes(shape, kBuildIsa)));

  stage.scaling = {args.tensor(kMultipliers).as<int32_t>(), args.tensor(kShifts).as<int32_t>(), 1};
  const size_t rows = static_cast<size_t>(shape.batch * shape.out_h * shape.out_w);
  const size_t depth = static_cast<size_t>(shape.kernel_h * shape.kernel_w * shape.in_c);
  multiply<uint32_t>(TransposeConvSource{in.as<int8_t>(), shape, in_offset}, rows, depth,
                     weights.as<int8_t>(), channels, 0,
                     RowSink<OutputStage, int8_t>{stage, out.as_mutable<int8_t>(), channels});
  return Status::kOk;
}

}  // namespace berth::runtime
