// Kernels of aten:: that combine the elements of dims. Dtypes with arithmetic (element_blocks.h),
// any dim orders; dims may be negative, and none or no dims stand for all; the output is resized.
// Errors: kBadShape where sizes do not fit or nothing has no answer, kBadArguments where dtypes or
// dims do not fit; a dtype argument must be the output's.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// Computed in the output's dtype. Of no elements: 0, NaN, 1. mean is for floats.
Status run_sum(KernelContext& context, const Args& args);
Status run_sum_all(KernelContext& context, const Args& args);
Status run_mean(KernelContext& context, const Args& args);
Status run_mean_all(KernelContext& context, const Args& args);
Status run_prod(KernelContext& context, const Args& args);
Status run_prod_all(KernelContext& context, const Args& args);

inline constexpr Kernel kSumIntListKernel{&ops::kAtenSumIntList, run_sum};
inline constexpr Kernel kSumKernel{&ops::kAtenSum, run_sum_all};
inline constexpr Kernel kMeanKernel{&ops::kAtenMean, run_mean};
inline constexpr Kernel kMeanDtypeKernel{&ops::kAtenMeanDtype, run_mean_all};
inline constexpr Kernel kProdIntKernel{&ops::kAtenProdInt, run_prod};
inline constexpr Kernel kProdKernel{&ops::kAtenProd, run_prod_all};

// What is not 0 is true, NaN too; the output is bool or uint8.
Status run_any(KernelContext& context, const Args& args);
Status run_any_dims(KernelContext& context, const Args& args);
Status run_any_all(KernelContext& context, const Args& args);
Status run_all(KernelContext& context, const Args& args);
Status run_all_dims(KernelContext& context, const Args& args);
Status run_all_all(KernelContext& context, const Args& args);

inline constexpr Kernel kAnyKernel{&ops::kAtenAny, run_any};
inline constexpr Kernel kAnyDimsKernel{&ops::kAtenAnyDims, run_any_dims};
inline constexpr Kernel kAnyAllKernel{&ops::kAtenAnyAll, run_any_all};
inline constexpr Kernel kAllKernel{&ops::kAtenAll, run_all};
inline constexpr Kernel kAllDimsKernel{&ops::kAtenAllDims, run_all_dims};
inline constexpr Kernel kAllAllKernel{&ops::kAtenAllAll, run_all_all};

// p is any number, infinities included; none is 2. For float outputs.
Status run_norm(KernelContext& context, const Args& args);
Status run_linalg_vector_norm(KernelContext& context, const Args& args);
Status run_logsumexp(KernelContext& context, const Args& args);

inline constexpr Kernel kNormKernel{&ops::kAtenNorm, run_norm};
inline constexpr Kernel kNormDtypeKernel{&ops::kAtenNormDtype, run_norm};
inline constexpr Kernel kLinalgVectorNormKernel{&ops::kAtenLinalgVectorNorm,
                                                run_linalg_vector_norm};
inline constexpr Kernel kLogsumexpKernel{&ops::kAtenLogsumexp, run_logsumexp};

// NaN where one is among the elements. There is no extreme of no elements.
Status run_amax(KernelContext& context, const Args& args);
Status run_amin(KernelContext& context, const Args& args);
Status run_aminmax(KernelContext& context, const Args& args);
Status run_max_all(KernelContext& context, const Args& args);
Status run_min_all(KernelContext& context, const Args& args);

inline constexpr Kernel kAmaxKernel{&ops::kAtenAmax, run_amax};
inline constexpr Kernel kAminKernel{&ops::kAtenAmin, run_amin};
inline constexpr Kernel kAminmaxKernel{&ops::kAtenAminmax, run_aminmax};
inline constexpr Kernel kMaxUnaryKernel{&ops::kAtenMaxUnary, run_max_all};
inline constexpr Kernel kMinUnaryKernel{&ops::kAtenMinUnary, run_min_all};

// Places are int64: along the dim, or in the flattened tensor where the dim is none. The first of
// equal elements counts, and the first NaN before all.
Status run_max_dim(KernelContext& context, const Args& args);
Status run_min_dim(KernelContext& context, const Args& args);
Status run_argmax(KernelContext& context, const Args& args);
Status run_argmin(KernelContext& context, const Args& args);

inline constexpr Kernel kMaxDimKernel{&ops::kAtenMaxDim, run_max_dim};
inline constexpr Kernel kMinDimKernel{&ops::kAtenMinDim, run_min_dim};
inline constexpr Kernel kArgmaxKernel{&ops::kAtenArgmax, run_argmax};
inline constexpr Kernel kArgminKernel{&ops::kAtenArgmin, run_argmin};

// Of floats. The divisor is the count less the correction (none: 1), at least 0.
Status run_var(KernelContext& context, const Args& args);
Status run_var_correction(KernelContext& context, const Args& args);
Status run_std(KernelContext& context, const Args& args);
Status run_std_correction(KernelContext& context, const Args& args);
Status run_var_mean_correction(KernelContext& context, const Args& args);

inline constexpr Kernel kVarKernel{&ops::kAtenVar, run_var};
inline constexpr Kernel kVarCorrectionKernel{&ops::kAtenVarCorrection, run_var_correction};
inline constexpr Kernel kStdKernel{&ops::kAtenStd, run_std};
inline constexpr Kernel kStdCorrectionKernel{&ops::kAtenStdCorrection, run_std_correction};
inline constexpr Kernel kVarMeanCorrectionKernel{&ops::kAtenVarMeanCorrection,
                                                 run_var_mean_correction};

// Computed in the output's dtype; right in place.
Status run_cumsum(KernelContext& context, const Args& args);
Status run_cumprod(KernelContext& context, const Args& args);

inline constexpr Kernel kCumsumKernel{&ops::kAtenCumsum, run_cumsum};
inline constexpr Kernel kCumprodKernel{&ops::kAtenCumprod, run_cumprod};

inline constexpr Kernel kReductionKernels[] = {
    kSumIntListKernel, kSumKernel,           kMeanKernel,
    kMeanDtypeKernel,  kProdIntKernel,       kProdKernel,
    kAnyKernel,        kAnyDimsKernel,       kAnyAllKernel,
    kAllKernel,        kAllDimsKernel,       kAllAllKernel,
    kNormKernel,       kNormDtypeKernel,     kLinalgVectorNormKernel,
    kLogsumexpKernel,  kAmaxKernel,          kAminKernel,
    kAminmaxKernel,    kMaxUnaryKernel,      kMinUnaryKernel,
    kMaxDimKernel,     kMinDimKernel,        kArgmaxKernel,
    kArgminKernel,     kVarKernel,           kVarCorrectionKernel,
    kStdKernel,        kStdCorrectionKernel, kVarMeanCorrectionKernel,
    kCumsumKernel,     kCumprodKernel};

}  // namespace berth::runtime
