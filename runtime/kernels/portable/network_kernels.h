// Stock operators that are layers of float32 networks. All dim orders unless said. Outputs take
// their shape where that may change and must have it where not.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

Status run_adaptive_avg_pool2d(KernelContext& context, const Args& args);
// alpha * mat1 * mat2 + beta * self, self broadcast; with a beta of 0 self is not read.
Status run_addmm(KernelContext& context, const Args& args);
// Right in place.
Status run_aten_softmax(KernelContext& context, const Args& args);
Status run_avg_pool2d(KernelContext& context, const Args& args);
Status run_baddbmm(KernelContext& context, const Args& args);
Status run_bmm(KernelContext& context, const Args& args);
// One or two dims, groups, dilation, transposed. Weights row-major or channels-last; of a
// transposed one in any order.
Status run_convolution(KernelContext& context, const Args& args);
// Row-major activations.
Status run_linear(KernelContext& context, const Args& args);
// Right in place.
Status run_log_softmax(KernelContext& context, const Args& args);
// The first of equals; a NaN only where it is the first of its window, as stock kernels have it.
Status run_max_pool2d_with_indices(KernelContext& context, const Args& args);
Status run_mm(KernelContext& context, const Args& args);
// Input and output lie in the same order. Right in place.
Status run_native_batch_norm_legit_no_training(KernelContext& context, const Args& args);
// Row-major tensors.
Status run_native_group_norm(KernelContext& context, const Args& args);
Status run_native_layer_norm(KernelContext& context, const Args& args);
Status run_upsample_bilinear2d_vec(KernelContext& context, const Args& args);
Status run_upsample_nearest2d_vec(KernelContext& context, const Args& args);
// Floats of any width.
Status run_glu(KernelContext& context, const Args& args);
// Outside training, where the mask is true everywhere; or with p 0.
Status run_native_dropout(KernelContext& context, const Args& args);
// Training only: by the batch's own mean and biased variance.
Status run_native_batch_norm_no_stats(KernelContext& context, const Args& args);

inline constexpr Kernel kAdaptiveAvgPool2dKernel{&ops::kAtenAdaptiveAvgPool2d,
                                                 run_adaptive_avg_pool2d};
inline constexpr Kernel kAddmmKernel{&ops::kAtenAddmm, run_addmm};
inline constexpr Kernel kAtenSoftmaxKernel{&ops::kAtenSoftmax, run_aten_softmax};
inline constexpr Kernel kAvgPool2dKernel{&ops::kAtenAvgPool2d, run_avg_pool2d};
inline constexpr Kernel kBaddbmmKernel{&ops::kAtenBaddbmm, run_baddbmm};
inline constexpr Kernel kBmmKernel{&ops::kAtenBmm, run_bmm};
inline constexpr Kernel kConvolutionKernel{&ops::kAtenConvolution, run_convolution};
inline constexpr Kernel kLinearKernel{&ops::kAtenLinear, run_linear};
inline constexpr Kernel kLogSoftmaxKernel{&ops::kAtenLogSoftmax, run_log_softmax};
inline constexpr Kernel kMaxPool2dWithIndicesKernel{&ops::kAtenMaxPool2dWithIndices,
                                                    run_max_pool2d_with_indices};
inline constexpr Kernel kMmKernel{&ops::kAtenMm, run_mm};
inline constexpr Kernel kNativeBatchNormLegitNoTrainingKernel{
    &ops::kAtenNativeBatchNormLegitNoTraining, run_native_batch_norm_legit_no_training};
inline constexpr Kernel kNativeGroupNormKernel{&ops::kAtenNativeGroupNorm, run_native_group_norm};
inline constexpr Kernel kNativeLayerNormKernel{&ops::kAtenNativeLayerNorm, run_native_layer_norm};
inline constexpr Kernel kUpsampleBilinear2dVecKernel{&ops::kAtenUpsampleBilinear2dVec,
                                                     run_upsample_bilinear2d_vec};
inline constexpr Kernel kUpsampleNearest2dVecKernel{&ops::kAtenUpsampleNearest2dVec,
                                                    run_upsample_nearest2d_vec};

inline constexpr Kernel kGluKernel{&ops::kAtenGlu, run_glu};
inline constexpr Kernel kNativeDropoutKernel{&ops::kAtenNativeDropout, run_native_dropout};
inline constexpr Kernel kNativeBatchNormNoStatsKernel{&ops::kAtenNativeBatchNormLegitNoStats,
                                                      run_native_batch_norm_no_stats};

inline constexpr Kernel kNetworkKernels[] = {
    kAdaptiveAvgPool2dKernel,
    kAddmmKernel,
    kAtenSoftmaxKernel,
    kAvgPool2dKernel,
    kBaddbmmKernel,
    kBmmKernel,
    kConvolutionKernel,
    kLinearKernel,
    kLogSoftmaxKernel,
    kMaxPool2dWithIndicesKernel,
    kMmKernel,
    kNativeBatchNormLegitNoTrainingKernel,
    kNativeGroupNormKernel,
    kNativeLayerNormKernel,
    kUpsampleBilinear2dVecKernel,
    kUpsampleNearest2dVecKernel,
    kGluKernel,
    kNativeDropoutKernel,
    kNativeBatchNormNoStatsKernel,
};

}  // namespace berth::runtime
