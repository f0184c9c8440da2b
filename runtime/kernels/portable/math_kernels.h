// Kernels of aten:: that compute one element of the output from one of each input. Dtypes: uint8,
// int8 .. int64, float16, bfloat16, float32, float64, bool, mixed by torch's rules of promotion;
// integers wrap. Shapes follow NumPy's broadcasting, the output is resized; dim orders may differ.
// Right in place. Errors: kBadShape where sizes do not fit, kBadArguments where dtypes or numbers
// do not.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// Functions of one element: integers give float32.
Status run_acos(KernelContext& context, const Args& args);
Status run_acosh(KernelContext& context, const Args& args);
Status run_asin(KernelContext& context, const Args& args);
Status run_asinh(KernelContext& context, const Args& args);
Status run_atan(KernelContext& context, const Args& args);
Status run_atanh(KernelContext& context, const Args& args);
Status run_cos(KernelContext& context, const Args& args);
Status run_cosh(KernelContext& context, const Args& args);
Status run_erf(KernelContext& context, const Args& args);
Status run_exp(KernelContext& context, const Args& args);
Status run_exp2(KernelContext& context, const Args& args);
Status run_expm1(KernelContext& context, const Args& args);
Status run_log(KernelContext& context, const Args& args);
Status run_log10(KernelContext& context, const Args& args);
Status run_log1p(KernelContext& context, const Args& args);
Status run_log2(KernelContext& context, const Args& args);
Status run_reciprocal(KernelContext& context, const Args& args);
Status run_rsqrt(KernelContext& context, const Args& args);
Status run_sigmoid(KernelContext& context, const Args& args);
Status run_sin(KernelContext& context, const Args& args);
Status run_sinh(KernelContext& context, const Args& args);
Status run_sqrt(KernelContext& context, const Args& args);
Status run_tan(KernelContext& context, const Args& args);
Status run_tanh(KernelContext& context, const Args& args);

inline constexpr Kernel kAcosKernel{&ops::kAtenAcos, run_acos};
inline constexpr Kernel kAcoshKernel{&ops::kAtenAcosh, run_acosh};
inline constexpr Kernel kAsinKernel{&ops::kAtenAsin, run_asin};
inline constexpr Kernel kAsinhKernel{&ops::kAtenAsinh, run_asinh};
inline constexpr Kernel kAtanKernel{&ops::kAtenAtan, run_atan};
inline constexpr Kernel kAtanhKernel{&ops::kAtenAtanh, run_atanh};
inline constexpr Kernel kCosKernel{&ops::kAtenCos, run_cos};
inline constexpr Kernel kCoshKernel{&ops::kAtenCosh, run_cosh};
inline constexpr Kernel kErfKernel{&ops::kAtenErf, run_erf};
inline constexpr Kernel kExpKernel{&ops::kAtenExp, run_exp};
inline constexpr Kernel kExp2Kernel{&ops::kAtenExp2, run_exp2};
inline constexpr Kernel kExpm1Kernel{&ops::kAtenExpm1, run_expm1};
inline constexpr Kernel kLogKernel{&ops::kAtenLog, run_log};
inline constexpr Kernel kLog10Kernel{&ops::kAtenLog10, run_log10};
inline constexpr Kernel kLog1pKernel{&ops::kAtenLog1p, run_log1p};
inline constexpr Kernel kLog2Kernel{&ops::kAtenLog2, run_log2};
inline constexpr Kernel kReciprocalKernel{&ops::kAtenReciprocal, run_reciprocal};
inline constexpr Kernel kRsqrtKernel{&ops::kAtenRsqrt, run_rsqrt};
inline constexpr Kernel kSigmoidKernel{&ops::kAtenSigmoid, run_sigmoid};
inline constexpr Kernel kSinKernel{&ops::kAtenSin, run_sin};
inline constexpr Kernel kSinhKernel{&ops::kAtenSinh, run_sinh};
inline constexpr Kernel kSqrtKernel{&ops::kAtenSqrt, run_sqrt};
inline constexpr Kernel kTanKernel{&ops::kAtenTan, run_tan};
inline constexpr Kernel kTanhKernel{&ops::kAtenTanh, run_tanh};

// The tensor's dtype is the output's; integers are whole already. round goes to even;
// round.decimals is for floats. neg, abs and the roundings refuse bools.
Status run_abs(KernelContext& context, const Args& args);
Status run_neg(KernelContext& context, const Args& args);
Status run_sign(KernelContext& context, const Args& args);
Status run_ceil(KernelContext& context, const Args& args);
Status run_floor(KernelContext& context, const Args& args);
Status run_round(KernelContext& context, const Args& args);
Status run_trunc(KernelContext& context, const Args& args);
Status run_round_decimals(KernelContext& context, const Args& args);

inline constexpr Kernel kAbsKernel{&ops::kAtenAbs, run_abs};
inline constexpr Kernel kNegKernel{&ops::kAtenNeg, run_neg};
inline constexpr Kernel kSignKernel{&ops::kAtenSign, run_sign};
inline constexpr Kernel kCeilKernel{&ops::kAtenCeil, run_ceil};
inline constexpr Kernel kFloorKernel{&ops::kAtenFloor, run_floor};
inline constexpr Kernel kRoundKernel{&ops::kAtenRound, run_round};
inline constexpr Kernel kTruncKernel{&ops::kAtenTrunc, run_trunc};
inline constexpr Kernel kRoundDecimalsKernel{&ops::kAtenRoundDecimals, run_round_decimals};

// Activations. gelu's string is "none" or "tanh". relu, hardtanh and threshold take integers too.
Status run_relu(KernelContext& context, const Args& args);
Status run_hardtanh(KernelContext& context, const Args& args);
Status run_leaky_relu(KernelContext& context, const Args& args);
Status run_elu(KernelContext& context, const Args& args);
Status run_gelu(KernelContext& context, const Args& args);
Status run_silu(KernelContext& context, const Args& args);
Status run_mish(KernelContext& context, const Args& args);
Status run_hardsigmoid(KernelContext& context, const Args& args);
Status run_hardswish(KernelContext& context, const Args& args);
Status run_softplus(KernelContext& context, const Args& args);
Status run_threshold(KernelContext& context, const Args& args);
Status run_logit(KernelContext& context, const Args& args);

inline constexpr Kernel kReluKernel{&ops::kAtenRelu, run_relu};
inline constexpr Kernel kHardtanhKernel{&ops::kAtenHardtanh, run_hardtanh};
inline constexpr Kernel kLeakyReluKernel{&ops::kAtenLeakyRelu, run_leaky_relu};
inline constexpr Kernel kEluKernel{&ops::kAtenElu, run_elu};
inline constexpr Kernel kGeluKernel{&ops::kAtenGelu, run_gelu};
inline constexpr Kernel kSiluKernel{&ops::kAtenSilu, run_silu};
inline constexpr Kernel kMishKernel{&ops::kAtenMish, run_mish};
inline constexpr Kernel kHardsigmoidKernel{&ops::kAtenHardsigmoid, run_hardsigmoid};
inline constexpr Kernel kHardswishKernel{&ops::kAtenHardswish, run_hardswish};
inline constexpr Kernel kSoftplusKernel{&ops::kAtenSoftplus, run_softplus};
inline constexpr Kernel kThresholdKernel{&ops::kAtenThreshold, run_threshold};
inline constexpr Kernel kLogitKernel{&ops::kAtenLogit, run_logit};

// A bound that is none does not bound; where the bounds cross, the upper one wins.
Status run_clamp(KernelContext& context, const Args& args);
Status run_clamp_tensor(KernelContext& context, const Args& args);

inline constexpr Kernel kClampKernel{&ops::kAtenClamp, run_clamp};
inline constexpr Kernel kClampTensorKernel{&ops::kAtenClampTensor, run_clamp_tensor};

// self + alpha * other, self - alpha * other, other - alpha * self. An alpha with a fraction is for
// floats only.
Status run_add(KernelContext& context, const Args& args);
Status run_sub(KernelContext& context, const Args& args);
Status run_rsub(KernelContext& context, const Args& args);

inline constexpr Kernel kAddKernel{&ops::kAtenAdd, run_add};
inline constexpr Kernel kAddScalarKernel{&ops::kAtenAddScalar, run_add};
inline constexpr Kernel kSubKernel{&ops::kAtenSub, run_sub};
inline constexpr Kernel kSubScalarKernel{&ops::kAtenSubScalar, run_sub};
inline constexpr Kernel kRsubTensorKernel{&ops::kAtenRsubTensor, run_rsub};
inline constexpr Kernel kRsubScalarKernel{&ops::kAtenRsubScalar, run_rsub};

// div gives floats. With a mode ("floor", "trunc") it keeps integers, as the ones after it do;
// those refuse to divide integers by 0, and bools.
Status run_mul(KernelContext& context, const Args& args);
Status run_mul_scalar(KernelContext& context, const Args& args);
Status run_div(KernelContext& context, const Args& args);
Status run_div_scalar(KernelContext& context, const Args& args);
Status run_div_mode(KernelContext& context, const Args& args);
Status run_div_scalar_mode(KernelContext& context, const Args& args);
Status run_floor_divide(KernelContext& context, const Args& args);
Status run_fmod(KernelContext& context, const Args& args);
Status run_fmod_scalar(KernelContext& context, const Args& args);
Status run_remainder(KernelContext& context, const Args& args);
Status run_remainder_scalar(KernelContext& context, const Args& args);
Status run_remainder_scalar_tensor(KernelContext& context, const Args& args);

inline constexpr Kernel kMulKernel{&ops::kAtenMul, run_mul};
inline constexpr Kernel kMulScalarKernel{&ops::kAtenMulScalar, run_mul_scalar};
inline constexpr Kernel kDivKernel{&ops::kAtenDiv, run_div};
inline constexpr Kernel kDivScalarKernel{&ops::kAtenDivScalar, run_div_scalar};
inline constexpr Kernel kDivModeKernel{&ops::kAtenDivMode, run_div_mode};
inline constexpr Kernel kDivScalarModeKernel{&ops::kAtenDivScalarMode, run_div_scalar_mode};
inline constexpr Kernel kFloorDivideKernel{&ops::kAtenFloorDivide, run_floor_divide};
inline constexpr Kernel kFmodTensorKernel{&ops::kAtenFmodTensor, run_fmod};
inline constexpr Kernel kFmodScalarKernel{&ops::kAtenFmodScalar, run_fmod_scalar};
inline constexpr Kernel kRemainderTensorKernel{&ops::kAtenRemainderTensor, run_remainder};
inline constexpr Kernel kRemainderScalarKernel{&ops::kAtenRemainderScalar, run_remainder_scalar};
inline constexpr Kernel kRemainderScalarTensorKernel{&ops::kAtenRemainderScalarTensor,
                                                     run_remainder_scalar_tensor};

// Integers to negative powers round towards zero.
Status run_pow(KernelContext& context, const Args& args);
Status run_pow_tensor_scalar(KernelContext& context, const Args& args);
Status run_pow_scalar(KernelContext& context, const Args& args);
Status run_atan2(KernelContext& context, const Args& args);

inline constexpr Kernel kPowTensorTensorKernel{&ops::kAtenPowTensorTensor, run_pow};
inline constexpr Kernel kPowTensorScalarKernel{&ops::kAtenPowTensorScalar, run_pow_tensor_scalar};
inline constexpr Kernel kPowScalarKernel{&ops::kAtenPowScalar, run_pow_scalar};
inline constexpr Kernel kAtan2Kernel{&ops::kAtenAtan2, run_atan2};

// maximum and minimum: NaN where either is; fmax and fmin: where both are.
Status run_aten_maximum(KernelContext& context, const Args& args);
Status run_aten_minimum(KernelContext& context, const Args& args);
Status run_fmax(KernelContext& context, const Args& args);
Status run_fmin(KernelContext& context, const Args& args);

inline constexpr Kernel kAtenMaximumKernel{&ops::kAtenMaximum, run_aten_maximum};
inline constexpr Kernel kAtenMinimumKernel{&ops::kAtenMinimum, run_aten_minimum};
inline constexpr Kernel kFmaxKernel{&ops::kAtenFmax, run_fmax};
inline constexpr Kernel kFminKernel{&ops::kAtenFmin, run_fmin};

// Masks are bool or uint8. masked_fill's result is of self's dtype, its value a number or a tensor
// of rank 0.
Status run_where(KernelContext& context, const Args& args);
Status run_masked_fill(KernelContext& context, const Args& args);
Status run_addcmul(KernelContext& context, const Args& args);
Status run_addcdiv(KernelContext& context, const Args& args);

inline constexpr Kernel kWhereSelfKernel{&ops::kAtenWhereSelf, run_where};
inline constexpr Kernel kMaskedFillScalarKernel{&ops::kAtenMaskedFillScalar, run_masked_fill};
inline constexpr Kernel kMaskedFillTensorKernel{&ops::kAtenMaskedFillTensor, run_masked_fill};
inline constexpr Kernel kAddcmulKernel{&ops::kAtenAddcmul, run_addcmul};
inline constexpr Kernel kAddcdivKernel{&ops::kAtenAddcdiv, run_addcdiv};

inline constexpr Kernel kMathKernels[] = {kAcosKernel,
                                          kAcoshKernel,
                                          kAsinKernel,
                                          kAsinhKernel,
                                          kAtanKernel,
                                          kAtanhKernel,
                                          kCosKernel,
                                          kCoshKernel,
                                          kErfKernel,
                                          kExpKernel,
                                          kExp2Kernel,
                                          kExpm1Kernel,
                                          kLogKernel,
                                          kLog10Kernel,
                                          kLog1pKernel,
                                          kLog2Kernel,
                                          kReciprocalKernel,
                                          kRsqrtKernel,
                                          kSigmoidKernel,
                                          kSinKernel,
                                          kSinhKernel,
                                          kSqrtKernel,
                                          kTanKernel,
                                          kTanhKernel,
                                          kAbsKernel,
                                          kNegKernel,
                                          kSignKernel,
                                          kCeilKernel,
                                          kFloorKernel,
                                          kRoundKernel,
                                          kTruncKernel,
                                          kRoundDecimalsKernel,
                                          kReluKernel,
                                          kHardtanhKernel,
                                          kLeakyReluKernel,
                                          kEluKernel,
                                          kGeluKernel,
                                          kSiluKernel,
                                          kMishKernel,
                                          kHardsigmoidKernel,
                                          kHardswishKernel,
                                          kSoftplusKernel,
                                          kThresholdKernel,
                                          kLogitKernel,
                                          kClampKernel,
                                          kClampTensorKernel,
                                          kAddKernel,
                                          kAddScalarKernel,
                                          kSubKernel,
                                          kSubScalarKernel,
                                          kRsubTensorKernel,
                                          kRsubScalarKernel,
                                          kMulKernel,
                                          kMulScalarKernel,
                                          kDivKernel,
                                          kDivScalarKernel,
                                          kDivModeKernel,
                                          kDivScalarModeKernel,
                                          kFloorDivideKernel,
                                          kFmodTensorKernel,
                                          kFmodScalarKernel,
                                          kRemainderTensorKernel,
                                          kRemainderScalarKernel,
                                          kRemainderScalarTensorKernel,
                                          kPowTensorTensorKernel,
                                          kPowTensorScalarKernel,
                                          kPowScalarKernel,
                                          kAtan2Kernel,
                                          kAtenMaximumKernel,
                                          kAtenMinimumKernel,
                                          kFmaxKernel,
                                          kFminKernel,
                                          kWhereSelfKernel,
                                          kMaskedFillScalarKernel,
                                          kMaskedFillTensorKernel,
                                          kAddcmulKernel,
                                          kAddcdivKernel};

}  // namespace berth::runtime
