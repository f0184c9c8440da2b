// Operators of cortex_m::. Names, argument order and arithmetic are the vendor stack's.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// int8 NCHW tensors in channels-last dim order; padding is (top, left), the output's shape gives
// the rest.
inline constexpr OperatorSchema kQuantizePerTensor{"cortex_m::quantize_per_tensor", "out",
                                                   "TdiiiiO"};
inline constexpr OperatorSchema kDequantizePerTensor{"cortex_m::dequantize_per_tensor", "out",
                                                     "TdiiiiO"};
inline constexpr OperatorSchema kQuantizedAdd{"cortex_m::quantized_add", "out", "TiiiTiiiiiiiiO"};
inline constexpr OperatorSchema kQuantizedMul{"cortex_m::quantized_mul", "out", "TiTiiiiO"};
inline constexpr OperatorSchema kQuantizedActivation{"cortex_m::quantized_activation", "out",
                                                     "TTO"};
inline constexpr OperatorSchema kMinimum{"cortex_m::minimum", "out", "TTO"};
inline constexpr OperatorSchema kMaximum{"cortex_m::maximum", "out", "TTO"};
inline constexpr OperatorSchema kQuantizedLinear{"cortex_m::quantized_linear", "out",
                                                 "TTttiiiIIiiO"};
inline constexpr OperatorSchema kSoftmax{"cortex_m::softmax", "out", "TiiiiiiO"};
inline constexpr OperatorSchema kTranspose{"cortex_m::transpose", "out", "TIO"};
inline constexpr OperatorSchema kPad{"cortex_m::pad", "out", "TIIiO"};
inline constexpr OperatorSchema kQuantizedConv2d{"cortex_m::quantized_conv2d", "out",
                                                 "TTtIIIiiTTiiXO"};
inline constexpr OperatorSchema kQuantizedDepthwiseConv2d{"cortex_m::quantized_depthwise_conv2d",
                                                          "out", "TTtIIIiiiTTiiXO"};
inline constexpr OperatorSchema kQuantizedTransposeConv2d{"cortex_m::quantized_transpose_conv2d",
                                                          "out", "TTtIIIIiiTTiiXXO"};
inline constexpr OperatorSchema kQuantizedAvgPool2d{"cortex_m::quantized_avg_pool2d", "out",
                                                    "TIIIbiiiXO"};
inline constexpr OperatorSchema kQuantizedMaxPool2d{"cortex_m::quantized_max_pool2d", "out",
                                                    "TIIIIbiiiiO"};
inline constexpr OperatorSchema kQuantizedBatchMatmul{"cortex_m::quantized_batch_matmul", "out",
                                                      "TiTiiiiXO"};

inline constexpr const OperatorSchema* kCortexM[] = {&kQuantizePerTensor,
                                                     &kDequantizePerTensor,
                                                     &kQuantizedAdd,
                                                     &kQuantizedMul,
                                                     &kQuantizedActivation,
                                                     &kMinimum,
                                                     &kMaximum,
                                                     &kQuantizedLinear,
                                                     &kSoftmax,
                                                     &kTranspose,
                                                     &kPad,
                                                     &kQuantizedConv2d,
                                                     &kQuantizedDepthwiseConv2d,
                                                     &kQuantizedTransposeConv2d,
                                                     &kQuantizedAvgPool2d,
                                                     &kQuantizedMaxPool2d,
                                                     &kQuantizedBatchMatmul};

}  // namespace berth::ops
