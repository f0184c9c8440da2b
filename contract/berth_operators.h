// Operators of berth::, which are ours alone: integer arithmetic that no stock operator has.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// (self, self_zp, self_mult, self_shift, other, other_zp, other_mult, other_shift, out_zp,
// out_mult, out_shift, act_min, act_max): left shift 20 for int8, 15 for int16; NumPy broadcasting.
inline constexpr OperatorSchema kBerthAdd{"berth::quantized_add", "out", "TiiiTiiiiiiiiO"};
inline constexpr OperatorSchema kBerthSub{"berth::quantized_sub", "out", "TiiiTiiiiiiiiO"};
// (self, self_zp, other, other_zp, out_zp, out_mult, out_shift, act_min, act_max): int8, int16.
inline constexpr OperatorSchema kBerthMul{"berth::quantized_mul", "out", "TiTiiiiiiO"};
// (input, dims, keepdim, in_zp, out_zp, mult, shift): mult and shift hold 1/count already.
inline constexpr OperatorSchema kBerthMean{"berth::quantized_mean", "out", "TIbiiiiO"};
// (input NCHW, align_corners, half_pixel_centers): the size is the output's.
inline constexpr OperatorSchema kBerthResizeBilinear{"berth::resize_bilinear", "out", "TbbO"};
inline constexpr OperatorSchema kBerthResizeNearest{"berth::resize_nearest", "out", "TbbO"};
// (input, in_zp, out_zp, mult, shift): integer to integer of any width.
inline constexpr OperatorSchema kBerthRequantize{"berth::requantize", "out", "TiiiiO"};
// (input float32, scale, zp, quant_min, quant_max): x / scale rounded half away from zero.
inline constexpr OperatorSchema kBerthQuantize{"berth::quantize", "out", "TdiiiO"};
// int16, table with interpolation: (input, mult, shift).
inline constexpr OperatorSchema kBerthTanh{"berth::quantized_tanh", "out", "TiiO"};
inline constexpr OperatorSchema kBerthLogistic{"berth::quantized_logistic", "out", "TiiO"};
// int16: (input, in_zp, out_zp, mult, shift, alpha_mult, alpha_shift).
inline constexpr OperatorSchema kBerthLeakyRelu{"berth::quantized_leaky_relu", "out", "TiiiiiiO"};
// int16 activations, int8 weights, bias int64 or int32 or none; arguments as the cortex_m:: ones
// without scratch.
inline constexpr OperatorSchema kBerthConv2d{"berth::quantized_conv2d", "out", "TTtIIIiiTTiiO"};
inline constexpr OperatorSchema kBerthDepthwiseConv2d{"berth::quantized_depthwise_conv2d", "out",
                                                      "TTtIIIiiiTTiiO"};
inline constexpr OperatorSchema kBerthLinear{"berth::quantized_linear", "out", "TTttiiiIIiiO"};
// int8 and int16 pooling: (input, kernel, stride, padding, act_min, act_max).
inline constexpr OperatorSchema kBerthAvgPool2d{"berth::quantized_avg_pool2d", "out", "TIIIiiO"};
inline constexpr OperatorSchema kBerthMaxPool2d{"berth::quantized_max_pool2d", "out", "TIIIiiO"};
// The forms of cortex_m:: operators that the vendor's kernels refuse (vendor_limits.h): int16, more
// than 4 dims, other types to dequantise. Arguments as there; dequantize is (input, scale, zp).
inline constexpr OperatorSchema kBerthMinimum{"berth::minimum", "out", "TTO"};
inline constexpr OperatorSchema kBerthMaximum{"berth::maximum", "out", "TTO"};
inline constexpr OperatorSchema kBerthTranspose{"berth::transpose", "out", "TIO"};
inline constexpr OperatorSchema kBerthPad{"berth::pad", "out", "TIIiO"};
inline constexpr OperatorSchema kBerthDequantize{"berth::dequantize", "out", "TdiO"};

inline constexpr const OperatorSchema* kBerth[] = {&kBerthAdd,
                                                   &kBerthSub,
                                                   &kBerthMul,
                                                   &kBerthMean,
                                                   &kBerthResizeBilinear,
                                                   &kBerthResizeNearest,
                                                   &kBerthRequantize,
                                                   &kBerthQuantize,
                                                   &kBerthTanh,
                                                   &kBerthLogistic,
                                                   &kBerthLeakyRelu,
                                                   &kBerthConv2d,
                                                   &kBerthDepthwiseConv2d,
                                                   &kBerthLinear,
                                                   &kBerthAvgPool2d,
                                                   &kBerthMaxPool2d,
                                                   &kBerthMinimum,
                                                   &kBerthMaximum,
                                                   &kBerthTranspose,
                                                   &kBerthPad,
                                                   &kBerthDequantize};

}  // namespace berth::ops
