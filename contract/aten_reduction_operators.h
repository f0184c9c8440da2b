// Operators of aten:: that combine the elements of dims.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// Over dims that may be none (all of them), then keepdim; a dtype (or none) at the end.
inline constexpr OperatorSchema kAtenSumIntList{"aten::sum", "IntList_out", "TjbnO"};
inline constexpr OperatorSchema kAtenSum{"aten::sum", "out", "TnO"};
inline constexpr OperatorSchema kAtenMean{"aten::mean", "out", "TjbnO"};
inline constexpr OperatorSchema kAtenMeanDtype{"aten::mean", "dtype_out", "TnO"};
inline constexpr OperatorSchema kAtenProd{"aten::prod", "out", "TnO"};
inline constexpr OperatorSchema kAtenProdInt{"aten::prod", "int_out", "TibnO"};
inline constexpr OperatorSchema kAtenAmax{"aten::amax", "out", "TIbO"};
inline constexpr OperatorSchema kAtenAmin{"aten::amin", "out", "TIbO"};
inline constexpr OperatorSchema kAtenAminmax{"aten::aminmax", "out", "TnbOO"};
inline constexpr OperatorSchema kAtenMaxDim{"aten::max", "dim_max", "TibOO"};
inline constexpr OperatorSchema kAtenMaxUnary{"aten::max", "unary_out", "TO"};
inline constexpr OperatorSchema kAtenMinDim{"aten::min", "dim_min", "TibOO"};
inline constexpr OperatorSchema kAtenMinUnary{"aten::min", "unary_out", "TO"};
inline constexpr OperatorSchema kAtenArgmax{"aten::argmax", "out", "TnbO"};
inline constexpr OperatorSchema kAtenArgmin{"aten::argmin", "out", "TnbO"};
inline constexpr OperatorSchema kAtenAny{"aten::any", "out", "TibO"};
inline constexpr OperatorSchema kAtenAnyDims{"aten::any", "dims_out", "TjbO"};
inline constexpr OperatorSchema kAtenAnyAll{"aten::any", "all_out", "TO"};
inline constexpr OperatorSchema kAtenAll{"aten::all", "out", "TibO"};
inline constexpr OperatorSchema kAtenAllDims{"aten::all", "dims_out", "TjbO"};
inline constexpr OperatorSchema kAtenAllAll{"aten::all", "all_out", "TO"};
inline constexpr OperatorSchema kAtenNorm{"aten::norm", "out", "TzIbO"};
inline constexpr OperatorSchema kAtenNormDtype{"aten::norm", "dtype_out", "TzIbiO"};
inline constexpr OperatorSchema kAtenLinalgVectorNorm{"aten::linalg_vector_norm", "out", "TsjbnO"};
inline constexpr OperatorSchema kAtenLogsumexp{"aten::logsumexp", "out", "TIbO"};

// The bool after the dims of var.out and std.out is unbiased; the correction is a number or none
// (1).
inline constexpr OperatorSchema kAtenVar{"aten::var", "out", "TjbbO"};
inline constexpr OperatorSchema kAtenVarCorrection{"aten::var", "correction_out", "TjzbO"};
inline constexpr OperatorSchema kAtenStd{"aten::std", "out", "TjbbO"};
inline constexpr OperatorSchema kAtenStdCorrection{"aten::std", "correction_out", "TjzbO"};
inline constexpr OperatorSchema kAtenVarMeanCorrection{"aten::var_mean", "correction_out",
                                                       "TjzbOO"};

// Along one dim.
inline constexpr OperatorSchema kAtenCumsum{"aten::cumsum", "out", "TinO"};
inline constexpr OperatorSchema kAtenCumprod{"aten::cumprod", "out", "TinO"};
inline constexpr OperatorSchema kAtenTopk{"aten::topk", "values", "TiibbOO"};
inline constexpr OperatorSchema kAtenSort{"aten::sort", "values", "TibOO"};

inline constexpr const OperatorSchema* kAtenReductions[] = {
    &kAtenSumIntList, &kAtenSum,           &kAtenMean,
    &kAtenMeanDtype,  &kAtenProd,          &kAtenProdInt,
    &kAtenAmax,       &kAtenAmin,          &kAtenAminmax,
    &kAtenMaxDim,     &kAtenMaxUnary,      &kAtenMinDim,
    &kAtenMinUnary,   &kAtenArgmax,        &kAtenArgmin,
    &kAtenAny,        &kAtenAnyDims,       &kAtenAnyAll,
    &kAtenAll,        &kAtenAllDims,       &kAtenAllAll,
    &kAtenNorm,       &kAtenNormDtype,     &kAtenLinalgVectorNorm,
    &kAtenLogsumexp,  &kAtenVar,           &kAtenVarCorrection,
    &kAtenStd,        &kAtenStdCorrection, &kAtenVarMeanCorrection,
    &kAtenCumsum,     &kAtenCumprod,       &kAtenTopk,
    &kAtenSort};

}  // namespace berth::ops
