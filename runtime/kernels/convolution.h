// Convolution with groups, int8 and int16: the operator from its arguments to the product. What the
// two types differ in is sum_stages.h's; int8 on a Cortex-M has kernels of its own.
#pragma once

#include "runtime/kernels/conv_arguments.h"
#include "runtime/kernels/cortex_m/int8_convolution.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

// Weights (out_c, kernel_h, kernel_w, in_c / groups). REQUIRES: read_convolution has passed.
inline Status check_conv_weights(const Tensor& weights, WindowShape* shape) {
  shape->kernel_c = weights.size(3);
  KERNEL_REQUIRE(weights.size(0) == shape->out_c && shape->kernel_c > 0 && shape->in_c > 0,
                 kBadShape);
  // In 32 bits, which small processors divide: all are sizes of tensors.
  const uint32_t in_c = static_cast<uint32_t>(shape->in_c);
  const uint32_t kernel_c = static_cast<uint32_t>(shape->kernel_c);
  KERNEL_REQUIRE(in_c % kernel_c == 0, kBadShape);
  KERNEL_REQUIRE(static_cast<uint32_t>(shape->out_c) % (in_c / kernel_c) == 0, kBadShape);
  return Status::kOk;
}

// REQUIRES: check_conv_weights has passed and no size is 0.
template <typename Sum, typename T, typename Stage>
void convolve(const WindowShape& shape, const T* in, int32_t in_offset, const int8_t* weights,
              const Stage& stage, T* out) {
  const size_t rows = static_cast<size_t>(shape.batch * shape.out_h * shape.out_w);
  const size_t depth = static_cast<size_t>(shape.kernel_h * shape.kernel_w * shape.kernel_c);
  const size_t groups = static_cast<size_t>(shape.in_c / shape.kernel_c);
  const size_t group_outputs = static_cast<size_t>(shape.out_c) / groups;
  const bool pixelwise = groups == 1 && shape.kernel_h == 1 && shape.kernel_w == 1 &&
                         shape.pad_h == 0 && shape.pad_w == 0 && shape.stride_h == 1 &&
                         shape.stride_w == 1 && shape.in_h == shape.out_h &&
                         shape.in_w == shape.out_w;
  RowSink<Stage, T> sink{stage, out, static_cast<size_t>(shape.out_c)};
  if (pixelwise) {
    multiply<Sum>(MatrixSource<T>{in, depth, in_offset}, rows, depth, weights, group_outputs, 0,
                  sink);
    return;
  }
  for (size_t group = 0; group < groups; ++group) {
    sink.first_channel = group * group_outputs;
    const ConvSource<T> source{in, shape, in_offset, static_cast<int64_t>(group) * shape.kernel_c,
                               shape.kernel_c};
    multiply<Sum>(source, rows, depth, weights + group * group_outputs * depth, group_outputs, 0,
                  sink);
  }
}

// cortex_m::quantized_conv2d (int8) and berth::quantized_conv2d (int16).
template <typename T>
Status run_conv2d(const KernelContext& context, const Args& args) {
  constexpr ConvSlots kSlots{5, 6, kConvScratches<T>};
  const Tensor& in = args.tensor(ConvSlots::kIn);
  const Tensor& weights = args.tensor(ConvSlots::kWeights);
  const Tensor& out = args.tensor(kSlots.out());
  WindowShape shape;
  SumStages<T> sums;
  KERNEL_TRY(read_convolution(args, kSlots, &shape, &sums));
  KERNEL_TRY(check_conv_weights(weights, &shape));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_TRY(check_conv_scratch(context, args, kSlots, 0, shape, conv2d_scratch_bytes));
  if constexpr (sizeof(T) == 1 && kBuildIsa != Isa::kHost) {
    const Tensor& given = args.tensor(kSlots.scratch());
    const Span<int8_t> scratch(given.as_mutable<int8_t>(), given.nbytes());
    // What no real layer is: no second kernel in flash for it.
    KERNEL_REQUIRE(takes_int8_convolution(shape, scratch), kUnsupported);
    convolve_int8(shape, in.as<T>(), sums.in_offset, weights.as<int8_t>(), sums.stage, scratch,
                  out.as_mutable<T>());
  } else {
    sums.run([&](auto zero, int32_t in_offset, const auto& stage) {
      convolve<decltype(zero)>(shape, in.as<T>(), in_offset, weights.as<int8_t>(), stage,
                               out.as_mutable<T>());
    });
  }
  return Status::kOk;
}

}  // namespace berth::runtime
