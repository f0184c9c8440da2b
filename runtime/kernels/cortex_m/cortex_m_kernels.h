// The cortex_m:: operators: names, argument order, arithmetic and scratch are those of the vendor's
// operator library for Cortex-M, so files of ours run on its kernels and its files on ours.
// Firmware that wants only some of them makes a table of its own from the single kernels; what it
// does not name is not linked.
//
// What all of them expect:
//   image        int8, sizes (N, C, H, W), bytes in the order N H W C (dim order 0 2 3 1; dims of
//                size 1 may stand anywhere)
//   weights      int8, row-major, zero point 0 unless an offset says otherwise
//   padding      (top, left); what lies below and to the right follows from the output's shape.
//                Outside the image there is nothing
//   offset       is added to an element: minus the zero point for inputs and weights, plus the zero
//                point for outputs
//   mult, shift  mbqm of contract/fixed_point.h; shift -31 .. 31, positive shifts left; mult is not
//                -2^31
//
// A kernel refuses shapes (kBadShape), values and dtypes (kBadArguments) that do not fit, and
// scratch that is too small for the ISA it is built for (kScratchTooSmall), before it writes. On a
// Cortex-M also geometry beyond 32 bits and scratch at an odd address (kUnsupported, kMisaligned).
// Elementwise operators are right in place, when the output is the bytes of an input of its shape
// and order.
#pragma once

#include "runtime/core/kernel.h"
#include "runtime/core/span.h"

namespace berth::runtime {

// All of the below.
Span<const Kernel> cortex_m_kernels();

// (in float32, scale, zp, min, max, dtype, out of dtype): round(in * (1 / scale)), half to even,
// plus zp. int8, int16.
Status run_quantize_per_tensor(KernelContext& context, const Args& args);
// (in, scale, zp, min, max, dtype of in, out float32): (in - zp) * scale, rounded once. int8.
Status run_dequantize_per_tensor(KernelContext& context, const Args& args);
// int8, NumPy broadcasting: mbqm((self - zp) << 20), the same of other, their sum scaled, out zp,
// clamped.
Status run_quantized_add(KernelContext& context, const Args& args);
// int8, NumPy broadcasting: mbqm((self - zp) * (other - zp)) + out zp.
Status run_quantized_mul(KernelContext& context, const Args& args);
// int8; the table has 256 entries, entry q + 128 is the answer to q.
Status run_quantized_activation(KernelContext& context, const Args& args);
// int8, at most 4 dims, NumPy broadcasting.
Status run_minimum(KernelContext& context, const Args& args);
Status run_maximum(KernelContext& context, const Args& args);
// Row-major (..., in) times weights (out, in). bias int32 (out) or none. kernel_sum int32, out
// elements, or none: bias plus in_offset * sum of weights, used when bias is none. One multiplier
// and one shift. Maximum before minimum.
Status run_quantized_linear(KernelContext& context, const Args& args);
// int8, along one dim: multiplier, shift (not negative) and diff_min (not positive) as TFLite
// prepares them with 5 integer bits; out zp -128, out scale 1/256. in_zp is not used.
Status run_softmax(KernelContext& context, const Args& args);
// out dim d is in dim perm[d]; int8, at most 4 dims, any dim orders.
Status run_transpose(KernelContext& context, const Args& args);
// Lists of 4 entries, aligned at the right, in the order of memory: (N, H, W, C) for an image.
// int8, 1 to 4 dims.
Status run_pad(KernelContext& context, const Args& args);
// Weights (O, KH, KW, I / groups); groups = I / weights' last dim. bias int32 (O) or none; mults,
// shifts int32 (O).
Status run_quantized_conv2d(KernelContext& context, const Args& args);
// Weights (1, KH, KW, O), O = I * depth_multiplier, output channel i * depth_multiplier + j sees
// input channel i. Any batch (the vendor's kernel: 1).
Status run_quantized_depthwise_conv2d(KernelContext& context, const Args& args);
// Weights (O, KH, KW, I), not turned round: input (y, x) adds to output (y * stride - pad + ky,
// ...). Dilation 1. output_padding is not used, the output's shape says it.
Status run_quantized_transpose_conv2d(KernelContext& context, const Args& args);
// Mean over the part of the window inside the image, half away from zero. zp, mult, shift,
// ceil_mode are not used: in and out are of one scale.
Status run_quantized_avg_pool2d(KernelContext& context, const Args& args);
// Dilation 1, in zp = out zp. ceil_mode is not used.
Status run_quantized_max_pool2d(KernelContext& context, const Args& args);
// lhs (B, M, K) and rhs transposed (B, N, K), row-major; both offsets are minus the zero points,
// whatever their name.
Status run_quantized_batch_matmul(KernelContext& context, const Args& args);

inline constexpr Kernel kQuantizePerTensorKernel{&ops::kQuantizePerTensor, run_quantize_per_tensor};
inline constexpr Kernel kDequantizePerTensorKernel{&ops::kDequantizePerTensor,
                                                   run_dequantize_per_tensor};
inline constexpr Kernel kQuantizedAddKernel{&ops::kQuantizedAdd, run_quantized_add};
inline constexpr Kernel kQuantizedMulKernel{&ops::kQuantizedMul, run_quantized_mul};
inline constexpr Kernel kQuantizedActivationKernel{&ops::kQuantizedActivation,
                                                   run_quantized_activation};
inline constexpr Kernel kMinimumKernel{&ops::kMinimum, run_minimum};
inline constexpr Kernel kMaximumKernel{&ops::kMaximum, run_maximum};
inline constexpr Kernel kQuantizedLinearKernel{&ops::kQuantizedLinear, run_quantized_linear};
inline constexpr Kernel kSoftmaxKernel{&ops::kSoftmax, run_softmax};
inline constexpr Kernel kTransposeKernel{&ops::kTranspose, run_transpose};
inline constexpr Kernel kPadKernel{&ops::kPad, run_pad};
inline constexpr Kernel kQuantizedConv2dKernel{&ops::kQuantizedConv2d, run_quantized_conv2d};
inline constexpr Kernel kQuantizedDepthwiseConv2dKernel{&ops::kQuantizedDepthwiseConv2d,
                                                        run_quantized_depthwise_conv2d};
inline constexpr Kernel kQuantizedTransposeConv2dKernel{&ops::kQuantizedTransposeConv2d,
                                                        run_quantized_transpose_conv2d};
inline constexpr Kernel kQuantizedAvgPool2dKernel{&ops::kQuantizedAvgPool2d,
                                                  run_quantized_avg_pool2d};
inline constexpr Kernel kQuantizedMaxPool2dKernel{&ops::kQuantizedMaxPool2d,
                                                  run_quantized_max_pool2d};
inline constexpr Kernel kQuantizedBatchMatmulKernel{&ops::kQuantizedBatchMatmul,
                                                    run_quantized_batch_matmul};

inline constexpr Kernel kCortexMKernels[] = {
    kQuantizePerTensorKernel,
    kDequantizePerTensorKernel,
    kQuantizedAddKernel,
    kQuantizedMulKernel,
    kQuantizedActivationKernel,
    kMinimumKernel,
    kMaximumKernel,
    kQuantizedLinearKernel,
    kSoftmaxKernel,
    kTransposeKernel,
    kPadKernel,
    kQuantizedConv2dKernel,
    kQuantizedDepthwiseConv2dKernel,
    kQuantizedTransposeConv2dKernel,
    kQuantizedAvgPool2dKernel,
    kQuantizedMaxPool2dKernel,
    kQuantizedBatchMatmulKernel,
};

}  // namespace berth::runtime
