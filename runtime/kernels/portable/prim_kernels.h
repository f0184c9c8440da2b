// Kernels of the executor itself: numbers in value cells, views. They need no scratch and touch no
// tensor's elements but those that they copy.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// Int with Int gives Int; with a Double, Double; comparisons give Bool. kBadArguments where the
// cell is of another kind than the result, for a division of Ints by 0, and for numbers that no Int
// holds.
Status run_prim_add(KernelContext& context, const Args& args);
Status run_prim_sub(KernelContext& context, const Args& args);
Status run_prim_mul(KernelContext& context, const Args& args);
Status run_prim_floordiv(KernelContext& context, const Args& args);
Status run_prim_mod(KernelContext& context, const Args& args);
Status run_prim_truediv(KernelContext& context, const Args& args);
Status run_prim_eq(KernelContext& context, const Args& args);
Status run_prim_ne(KernelContext& context, const Args& args);
Status run_prim_lt(KernelContext& context, const Args& args);
Status run_prim_le(KernelContext& context, const Args& args);
Status run_prim_gt(KernelContext& context, const Args& args);
Status run_prim_ge(KernelContext& context, const Args& args);
Status run_prim_neg(KernelContext& context, const Args& args);
Status run_prim_ceil(KernelContext& context, const Args& args);
Status run_prim_round(KernelContext& context, const Args& args);
Status run_prim_trunc(KernelContext& context, const Args& args);
Status run_prim_floordiv_int(KernelContext& context, const Args& args);
Status run_sym_float(KernelContext& context, const Args& args);
Status run_sym_int(KernelContext& context, const Args& args);
Status run_sym_max(KernelContext& context, const Args& args);
Status run_sym_min(KernelContext& context, const Args& args);
Status run_sym_not(KernelContext& context, const Args& args);
Status run_sym_ite(KernelContext& context, const Args& args);

inline constexpr Kernel kPrimAddScalarKernel{&ops::kPrimAddScalar, run_prim_add};
inline constexpr Kernel kPrimSubScalarKernel{&ops::kPrimSubScalar, run_prim_sub};
inline constexpr Kernel kPrimMulScalarKernel{&ops::kPrimMulScalar, run_prim_mul};
inline constexpr Kernel kPrimFloordivScalarKernel{&ops::kPrimFloordivScalar, run_prim_floordiv};
inline constexpr Kernel kPrimModScalarKernel{&ops::kPrimModScalar, run_prim_mod};
inline constexpr Kernel kPrimModIntKernel{&ops::kPrimModInt, run_prim_mod};
inline constexpr Kernel kPrimTruedivScalarKernel{&ops::kPrimTruedivScalar, run_prim_truediv};
inline constexpr Kernel kPrimEqScalarKernel{&ops::kPrimEqScalar, run_prim_eq};
inline constexpr Kernel kPrimNeScalarKernel{&ops::kPrimNeScalar, run_prim_ne};
inline constexpr Kernel kPrimLtScalarKernel{&ops::kPrimLtScalar, run_prim_lt};
inline constexpr Kernel kPrimLeScalarKernel{&ops::kPrimLeScalar, run_prim_le};
inline constexpr Kernel kPrimGtScalarKernel{&ops::kPrimGtScalar, run_prim_gt};
inline constexpr Kernel kPrimGeScalarKernel{&ops::kPrimGeScalar, run_prim_ge};
inline constexpr Kernel kPrimNegScalarKernel{&ops::kPrimNegScalar, run_prim_neg};
inline constexpr Kernel kPrimCeilScalarKernel{&ops::kPrimCeilScalar, run_prim_ceil};
inline constexpr Kernel kPrimRoundScalarKernel{&ops::kPrimRoundScalar, run_prim_round};
inline constexpr Kernel kPrimTruncScalarKernel{&ops::kPrimTruncScalar, run_prim_trunc};
inline constexpr Kernel kPrimFloordivIntKernel{&ops::kPrimFloordivInt, run_prim_floordiv_int};
inline constexpr Kernel kPrimSymFloatScalarKernel{&ops::kPrimSymFloatScalar, run_sym_float};
inline constexpr Kernel kPrimSymIntScalarKernel{&ops::kPrimSymIntScalar, run_sym_int};
inline constexpr Kernel kPrimSymMaxScalarKernel{&ops::kPrimSymMaxScalar, run_sym_max};
inline constexpr Kernel kPrimSymMinScalarKernel{&ops::kPrimSymMinScalar, run_sym_min};
inline constexpr Kernel kPrimSymNotScalarKernel{&ops::kPrimSymNotScalar, run_sym_not};
inline constexpr Kernel kPrimSymIteScalarKernel{&ops::kPrimSymIteScalar, run_sym_ite};

// A tensor's size along a dim (negative ones count from the end), its element count, its first
// element.
Status run_sym_size(KernelContext& context, const Args& args);
Status run_sym_numel(KernelContext& context, const Args& args);
Status run_local_scalar(KernelContext& context, const Args& args);

inline constexpr Kernel kSymSizeIntKernel{&ops::kAtenSymSizeInt, run_sym_size};
inline constexpr Kernel kSymNumelKernel{&ops::kAtenSymNumel, run_sym_numel};
inline constexpr Kernel kLocalScalarDenseKernel{&ops::kAtenLocalScalarDense, run_local_scalar};

// dst, resized to index + 1 entries, takes src as the last one. One dtype, one order.
Status run_et_copy_index(KernelContext& context, const Args& args);

inline constexpr Kernel kEtCopyIndexKernel{&ops::kPrimEtCopyIndexTensor, run_et_copy_index};

// out becomes self's bytes. The list may hold one -1; out takes its shape where that may change,
// and must have it where not.
Status run_et_view(KernelContext& context, const Args& args);

inline constexpr Kernel kEtViewKernel{&ops::kPrimEtView, run_et_view};

inline constexpr Kernel kPrimKernels[] = {kPrimAddScalarKernel,
                                          kPrimSubScalarKernel,
                                          kPrimMulScalarKernel,
                                          kPrimFloordivScalarKernel,
                                          kPrimModScalarKernel,
                                          kPrimModIntKernel,
                                          kPrimTruedivScalarKernel,
                                          kPrimEqScalarKernel,
                                          kPrimNeScalarKernel,
                                          kPrimLtScalarKernel,
                                          kPrimLeScalarKernel,
                                          kPrimGtScalarKernel,
                                          kPrimGeScalarKernel,
                                          kPrimNegScalarKernel,
                                          kPrimCeilScalarKernel,
                                          kPrimRoundScalarKernel,
                                          kPrimTruncScalarKernel,
                                          kPrimFloordivIntKernel,
                                          kPrimSymFloatScalarKernel,
                                          kPrimSymIntScalarKernel,
                                          kPrimSymMaxScalarKernel,
                                          kPrimSymMinScalarKernel,
                                          kPrimSymNotScalarKernel,
                                          kPrimSymIteScalarKernel,
                                          kSymSizeIntKernel,
                                          kSymNumelKernel,
                                          kLocalScalarDenseKernel,
                                          kEtCopyIndexKernel,
                                          kEtViewKernel};

}  // namespace berth::runtime
