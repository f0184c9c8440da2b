// The berth:: operators: what TFLite models need and the vendor stack has no operator for, or one
// that takes less (int8 and 4 dims alone, no batch of factors).
// Conventions are those of cortex_m_kernels.h (images, weights, padding, offsets, multipliers);
// arithmetic is TFLite's reference.
#pragma once

#include "runtime/core/kernel.h"
#include "runtime/core/span.h"

namespace berth::runtime {

// All of the below.
Span<const Kernel> berth_kernels();

// int8, int16, NumPy broadcasting: as cortex_m::quantized_add, with a left shift of 20 (int8) or 15
// (int16).
Status run_berth_quantized_add(KernelContext& context, const Args& args);
Status run_berth_quantized_sub(KernelContext& context, const Args& args);
// int8, int16, NumPy broadcasting, with a range.
Status run_berth_quantized_mul(KernelContext& context, const Args& args);
// int8, int16; at least one dim. mbqm(sum of elements - in_zp * count) + out_zp: mult and shift
// hold 1 / count.
Status run_berth_quantized_mean(KernelContext& context, const Args& args);
// int8, int16, any dim order; (N, C, H, W). Not both flags.
Status run_resize_bilinear(KernelContext& context, const Args& args);
// Any dtype, any dim order; (N, C, H, W).
Status run_resize_nearest(KernelContext& context, const Args& args);
// uint8, int8, int16, int32 to each other: mbqm(in - in_zp) + out_zp, clamped to the output's type.
Status run_requantize(KernelContext& context, const Args& args);
// float32 to uint8, int8, int16: in / scale rounded half away from zero, plus zp, clamped.
Status run_berth_quantize(KernelContext& context, const Args& args);
// int16 to int16 with scale 1/32768: position = (in * mult + half) >> shift in 1/256 (tanh), 1/512
// (logistic) of a table entry, an entry being 1/24 (of 2 in for tanh). shift 0 .. 31. Where in's
// scale is 2^-n: mult 3 << (12 - n), shift 0.
Status run_berth_quantized_tanh(KernelContext& context, const Args& args);
Status run_berth_quantized_logistic(KernelContext& context, const Args& args);
// int8, int16.
Status run_berth_quantized_leaky_relu(KernelContext& context, const Args& args);
// int16 activations (zero point 0), int8 weights. bias int64 or none: 64-bit sums, multiplier
// rounded to 16 bits, shift -31 .. 14. bias int32: 32-bit sums that wrap, whole multiplier.
Status run_berth_quantized_conv2d(KernelContext& context, const Args& args);
Status run_berth_quantized_depthwise_conv2d(KernelContext& context, const Args& args);
// int16 as above, or int8; lists of one multiplier and shift, or one per output. No kernel_sum.
Status run_berth_quantized_linear(KernelContext& context, const Args& args);
// int8, int16, with a range.
Status run_berth_quantized_avg_pool2d(KernelContext& context, const Args& args);
Status run_berth_quantized_max_pool2d(KernelContext& context, const Args& args);
// int8, int16, int32, NumPy broadcasting, up to 16 dims.
Status run_berth_minimum(KernelContext& context, const Args& args);
Status run_berth_maximum(KernelContext& context, const Args& args);
// out dim d is in dim perm[d]; any dtype, any dim orders.
Status run_berth_transpose(KernelContext& context, const Args& args);
// int8, int16, int32. Lists of 4 (aligned at the right) or rank entries, in the order of memory:
// (N, H, W, C) for an image.
Status run_berth_pad(KernelContext& context, const Args& args);
// uint8, int8, int16, int32 to float32: (in - zp) * scale, rounded once.
Status run_berth_dequantize(KernelContext& context, const Args& args);

inline constexpr Kernel kBerthAddKernel{&ops::kBerthAdd, run_berth_quantized_add};
inline constexpr Kernel kBerthSubKernel{&ops::kBerthSub, run_berth_quantized_sub};
inline constexpr Kernel kBerthMulKernel{&ops::kBerthMul, run_berth_quantized_mul};
inline constexpr Kernel kBerthMeanKernel{&ops::kBerthMean, run_berth_quantized_mean};
inline constexpr Kernel kBerthResizeBilinearKernel{&ops::kBerthResizeBilinear, run_resize_bilinear};
inline constexpr Kernel kBerthResizeNearestKernel{&ops::kBerthResizeNearest, run_resize_nearest};
inline constexpr Kernel kBerthRequantizeKernel{&ops::kBerthRequantize, run_requantize};
inline constexpr Kernel kBerthQuantizeKernel{&ops::kBerthQuantize, run_berth_quantize};
inline constexpr Kernel kBerthTanhKernel{&ops::kBerthTanh, run_berth_quantized_tanh};
inline constexpr Kernel kBerthLogisticKernel{&ops::kBerthLogistic, run_berth_quantized_logistic};
inline constexpr Kernel kBerthLeakyReluKernel{&ops::kBerthLeakyRelu,
                                              run_berth_quantized_leaky_relu};
inline constexpr Kernel kBerthConv2dKernel{&ops::kBerthConv2d, run_berth_quantized_conv2d};
inline constexpr Kernel kBerthDepthwiseConv2dKernel{&ops::kBerthDepthwiseConv2d,
                                                    run_berth_quantized_depthwise_conv2d};
inline constexpr Kernel kBerthLinearKernel{&ops::kBerthLinear, run_berth_quantized_linear};
inline constexpr Kernel kBerthAvgPool2dKernel{&ops::kBerthAvgPool2d,
                                              run_berth_quantized_avg_pool2d};
inline constexpr Kernel kBerthMaxPool2dKernel{&ops::kBerthMaxPool2d,
                                              run_berth_quantized_max_pool2d};
inline constexpr Kernel kBerthMinimumKernel{&ops::kBerthMinimum, run_berth_minimum};
inline constexpr Kernel kBerthMaximumKernel{&ops::kBerthMaximum, run_berth_maximum};
inline constexpr Kernel kBerthTransposeKernel{&ops::kBerthTranspose, run_berth_transpose};
inline constexpr Kernel kBerthPadKernel{&ops::kBerthPad, run_berth_pad};
inline constexpr Kernel kBerthDequantizeKernel{&ops::kBerthDequantize, run_berth_dequantize};

inline constexpr Kernel kBerthKernels[] = {
    kBerthAddKernel,
    kBerthSubKernel,
    kBerthMulKernel,
    kBerthMeanKernel,
    kBerthResizeBilinearKernel,
    kBerthResizeNearestKernel,
    kBerthRequantizeKernel,
    kBerthQuantizeKernel,
    kBerthTanhKernel,
    kBerthLogisticKernel,
    kBerthLeakyReluKernel,
    kBerthConv2dKernel,
    kBerthDepthwiseConv2dKernel,
    kBerthLinearKernel,
    kBerthAvgPool2dKernel,
    kBerthMaxPool2dKernel,
    kBerthMinimumKernel,
    kBerthMaximumKernel,
    kBerthTransposeKernel,
    kBerthPadKernel,
    kBerthDequantizeKernel,
};

}  // namespace berth::runtime
