// Kernels of aten:: that compare, and those of logic and bits. Dtypes, shapes and errors as in
// math_kernels.h; answers are bool, or 0 and 1 in any other dtype the output has.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// A number is rounded to the tensor's kind first. With NaN only "not equal" is true.
Status run_eq(KernelContext& context, const Args& args);
Status run_ne(KernelContext& context, const Args& args);
Status run_lt(KernelContext& context, const Args& args);
Status run_le(KernelContext& context, const Args& args);
Status run_gt(KernelContext& context, const Args& args);
Status run_ge(KernelContext& context, const Args& args);
Status run_eq_scalar(KernelContext& context, const Args& args);
Status run_ne_scalar(KernelContext& context, const Args& args);
Status run_lt_scalar(KernelContext& context, const Args& args);
Status run_le_scalar(KernelContext& context, const Args& args);
Status run_gt_scalar(KernelContext& context, const Args& args);
Status run_ge_scalar(KernelContext& context, const Args& args);

inline constexpr Kernel kEqTensorKernel{&ops::kAtenEqTensor, run_eq};
inline constexpr Kernel kNeTensorKernel{&ops::kAtenNeTensor, run_ne};
inline constexpr Kernel kLtTensorKernel{&ops::kAtenLtTensor, run_lt};
inline constexpr Kernel kLeTensorKernel{&ops::kAtenLeTensor, run_le};
inline constexpr Kernel kGtTensorKernel{&ops::kAtenGtTensor, run_gt};
inline constexpr Kernel kGeTensorKernel{&ops::kAtenGeTensor, run_ge};
inline constexpr Kernel kEqScalarKernel{&ops::kAtenEqScalar, run_eq_scalar};
inline constexpr Kernel kNeScalarKernel{&ops::kAtenNeScalar, run_ne_scalar};
inline constexpr Kernel kLtScalarKernel{&ops::kAtenLtScalar, run_lt_scalar};
inline constexpr Kernel kLeScalarKernel{&ops::kAtenLeScalar, run_le_scalar};
inline constexpr Kernel kGtScalarKernel{&ops::kAtenGtScalar, run_gt_scalar};
inline constexpr Kernel kGeScalarKernel{&ops::kAtenGeScalar, run_ge_scalar};

// What is not 0 is true, NaN too.
Status run_logical_and(KernelContext& context, const Args& args);
Status run_logical_or(KernelContext& context, const Args& args);
Status run_logical_xor(KernelContext& context, const Args& args);
Status run_logical_not(KernelContext& context, const Args& args);
Status run_isnan(KernelContext& context, const Args& args);
Status run_isinf(KernelContext& context, const Args& args);

inline constexpr Kernel kLogicalAndKernel{&ops::kAtenLogicalAnd, run_logical_and};
inline constexpr Kernel kLogicalOrKernel{&ops::kAtenLogicalOr, run_logical_or};
inline constexpr Kernel kLogicalXorKernel{&ops::kAtenLogicalXor, run_logical_xor};
inline constexpr Kernel kLogicalNotKernel{&ops::kAtenLogicalNot, run_logical_not};
inline constexpr Kernel kIsnanKernel{&ops::kAtenIsnan, run_isnan};
inline constexpr Kernel kIsinfKernel{&ops::kAtenIsinf, run_isinf};

// Integers and bools only. Shifts by a negative number or by the width and more give 0, to the
// right the sign.
Status run_bitwise_and(KernelContext& context, const Args& args);
Status run_bitwise_or(KernelContext& context, const Args& args);
Status run_bitwise_xor(KernelContext& context, const Args& args);
Status run_left_shift(KernelContext& context, const Args& args);
Status run_right_shift(KernelContext& context, const Args& args);
Status run_bitwise_and_scalar(KernelContext& context, const Args& args);
Status run_bitwise_or_scalar(KernelContext& context, const Args& args);
Status run_bitwise_xor_scalar(KernelContext& context, const Args& args);
Status run_left_shift_scalar(KernelContext& context, const Args& args);
Status run_right_shift_scalar(KernelContext& context, const Args& args);
Status run_bitwise_not(KernelContext& context, const Args& args);

inline constexpr Kernel kBitwiseAndTensorKernel{&ops::kAtenBitwiseAndTensor, run_bitwise_and};
inline constexpr Kernel kBitwiseOrTensorKernel{&ops::kAtenBitwiseOrTensor, run_bitwise_or};
inline constexpr Kernel kBitwiseXorTensorKernel{&ops::kAtenBitwiseXorTensor, run_bitwise_xor};
inline constexpr Kernel kBitwiseLeftShiftTensorKernel{&ops::kAtenBitwiseLeftShiftTensor,
                                                      run_left_shift};
inline constexpr Kernel kBitwiseRightShiftTensorKernel{&ops::kAtenBitwiseRightShiftTensor,
                                                       run_right_shift};
inline constexpr Kernel kBitwiseAndScalarKernel{&ops::kAtenBitwiseAndScalar,
                                                run_bitwise_and_scalar};
inline constexpr Kernel kBitwiseOrScalarKernel{&ops::kAtenBitwiseOrScalar, run_bitwise_or_scalar};
inline constexpr Kernel kBitwiseXorScalarKernel{&ops::kAtenBitwiseXorScalar,
                                                run_bitwise_xor_scalar};
inline constexpr Kernel kBitwiseLeftShiftTensorScalarKernel{&ops::kAtenBitwiseLeftShiftTensorScalar,
                                                            run_left_shift_scalar};
inline constexpr Kernel kBitwiseRightShiftTensorScalarKernel{
    &ops::kAtenBitwiseRightShiftTensorScalar, run_right_shift_scalar};
inline constexpr Kernel kBitwiseNotKernel{&ops::kAtenBitwiseNot, run_bitwise_not};

inline constexpr Kernel kComparisonKernels[] = {kEqTensorKernel,
                                                kNeTensorKernel,
                                                kLtTensorKernel,
                                                kLeTensorKernel,
                                                kGtTensorKernel,
                                                kGeTensorKernel,
                                                kEqScalarKernel,
                                                kNeScalarKernel,
                                                kLtScalarKernel,
                                                kLeScalarKernel,
                                                kGtScalarKernel,
                                                kGeScalarKernel,
                                                kLogicalAndKernel,
                                                kLogicalOrKernel,
                                                kLogicalXorKernel,
                                                kLogicalNotKernel,
                                                kIsnanKernel,
                                                kIsinfKernel,
                                                kBitwiseAndTensorKernel,
                                                kBitwiseOrTensorKernel,
                                                kBitwiseXorTensorKernel,
                                                kBitwiseLeftShiftTensorKernel,
                                                kBitwiseRightShiftTensorKernel,
                                                kBitwiseAndScalarKernel,
                                                kBitwiseOrScalarKernel,
                                                kBitwiseXorScalarKernel,
                                                kBitwiseLeftShiftTensorScalarKernel,
                                                kBitwiseRightShiftTensorScalarKernel,
                                                kBitwiseNotKernel};

}  // namespace berth::runtime
