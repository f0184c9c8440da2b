// Operators of aten:: that are layers of networks.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

inline constexpr OperatorSchema kAtenConvolution{"aten::convolution", "out", "TTtIIIbIiO"};
inline constexpr OperatorSchema kAtenMm{"aten::mm", "out", "TTO"};
inline constexpr OperatorSchema kAtenBmm{"aten::bmm", "out", "TTO"};
inline constexpr OperatorSchema kAtenAddmm{"aten::addmm", "out", "TTTssO"};
inline constexpr OperatorSchema kAtenBaddbmm{"aten::baddbmm", "out", "TTTssO"};
inline constexpr OperatorSchema kAtenLinear{"aten::linear", "out", "TTtO"};
inline constexpr OperatorSchema kAtenSoftmax{"aten::_softmax", "out", "TibO"};
inline constexpr OperatorSchema kAtenLogSoftmax{"aten::_log_softmax", "out", "TibO"};
inline constexpr OperatorSchema kAtenGlu{"aten::glu", "out", "TiO"};
inline constexpr OperatorSchema kAtenAvgPool2d{"aten::avg_pool2d", "out", "TIIIbbnO"};
inline constexpr OperatorSchema kAtenMaxPool2dWithIndices{"aten::max_pool2d_with_indices", "out",
                                                          "TIIIIbOO"};
inline constexpr OperatorSchema kAtenAdaptiveAvgPool2d{"aten::_adaptive_avg_pool2d", "out", "TIO"};
inline constexpr OperatorSchema kAtenNativeDropout{"aten::native_dropout", "out", "TdcOO"};
inline constexpr OperatorSchema kAtenNativeBatchNormLegitNoTraining{
    "aten::_native_batch_norm_legit_no_training", "out", "TttTTddOOO"};
inline constexpr OperatorSchema kAtenNativeBatchNormLegitNoStats{"aten::_native_batch_norm_legit",
                                                                 "no_stats_out", "TttbddOOO"};
inline constexpr OperatorSchema kAtenNativeLayerNorm{"aten::native_layer_norm", "out", "TIttdOOO"};
inline constexpr OperatorSchema kAtenNativeGroupNorm{"aten::native_group_norm", "out",
                                                     "TttiiiidOOO"};
inline constexpr OperatorSchema kAtenUpsampleBilinear2dVec{"aten::upsample_bilinear2d", "vec_out",
                                                           "TjbkO"};
inline constexpr OperatorSchema kAtenUpsampleNearest2dVec{"aten::upsample_nearest2d", "vec_out",
                                                          "TjkO"};

inline constexpr const OperatorSchema* kAtenNetwork[] = {&kAtenConvolution,
                                                         &kAtenMm,
                                                         &kAtenBmm,
                                                         &kAtenAddmm,
                                                         &kAtenBaddbmm,
                                                         &kAtenLinear,
                                                         &kAtenSoftmax,
                                                         &kAtenLogSoftmax,
                                                         &kAtenGlu,
                                                         &kAtenAvgPool2d,
                                                         &kAtenMaxPool2dWithIndices,
                                                         &kAtenAdaptiveAvgPool2d,
                                                         &kAtenNativeDropout,
                                                         &kAtenNativeBatchNormLegitNoTraining,
                                                         &kAtenNativeBatchNormLegitNoStats,
                                                         &kAtenNativeLayerNorm,
                                                         &kAtenNativeGroupNorm,
                                                         &kAtenUpsampleBilinear2dVec,
                                                         &kAtenUpsampleNearest2dVec};

}  // namespace berth::ops
