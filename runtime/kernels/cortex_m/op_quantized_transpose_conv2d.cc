#include "runtime/kernels/conv_arguments.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/cortex_m/int8_transpose.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

Status run_quantized_transpose_conv2d(KernelContext& context, const Args& args) {
  constexpr uint32_t kOutputPadding = 5;
  constexpr ConvSlots kSlots{6, 7, 2};
  const Tensor& in = args.tensor(ConvSlots::kIn);
  const Tensor& weights = args.tensor(ConvSlots::kWeights);
  const Tensor& out = args.tensor(kSlots.out());
  WindowShape shape;
  SumStages<int8_t> sums;
  KERNEL_TRY(read_convolution(args, kSlots, &shape, &sums));
  KERNEL_REQUIRE(shape.dilation_h == 1 && shape.dilation_w == 1, kUnsupported);
  // The output padding is checked, then left alone: the output's shape says the same.
  int64_t output_pad_h = 0, output_pad_w = 0;
  KERNEL_TRY(read_pair(args, kOutputPadding, kInt32Min, &output_pad_h, &output_pad_w));
  shape.kernel_c = weights.size(3);
  KERNEL_REQUIRE(weights.size(0) == shape.out_c && shape.kernel_c == shape.in_c, kBadShape);
  if (out.numel() == 0) return Status::kOk;
  KERNEL_TRY(check_conv_scratch(context, args, kSlots, 0, shape, transpose_conv2d_scratch_bytes));
  KERNEL_TRY(
      check_conv_scratch(context, args, kSlots, 1, shape, transpose_conv2d_output_scratch_bytes));

  if constexpr (kBuildIsa != Isa::kHost) {
    // One of the two is large enough for a word per tap and channel, whichever way the vendor's
    // kernel would have gone.
    const Tensor& first = args.tensor(kSlots.scratch());
    const Tensor& second = args.tensor(kSlots.scratch() + 1);
    const Tensor& room = second.nbytes() == 0 ? first : second;
    KERNEL_REQUIRE(takes_int8_transpose(shape), kUnsupported);
    KERNEL_REQUIRE(room.nbytes() / sizeof(int32_t) >= transpose_shares(shape), kScratchTooSmall);
    KERNEL_REQUIRE(is_word_aligned(room), kMisaligned);
    convolve_transpose_int8(shape, in.as<int8_t>(), sums.in_offset, weights.as<int8_t>(),
                            sums.stage, room.as_mutable<int32_t>(), out.as_mutable<int8_t>());
    return Status::kOk;
  }
  const size_t rows = static_cast<size_t>(shape.batch * shape.out_h * shape.out_w);
  const size_t depth = static_cast<size_t>(shape.kernel_h * shape.kernel_w * shape.in_c);
  const size_t channels = static_cast<size_t>(shape.out_c);
  multiply<uint32_t>(TransposeConvSource{in.as<int8_t>(), shape, sums.in_offset}, rows, depth,
                     weights.as<int8_t>(), channels, 0,
                     RowSink<OutputStage, int8_t>{sums.stage, out.as_mutable<int8_t>(), channels});
  return Status::kOk;
}

}  // namespace berth::runtime
