// Operators of the executor itself: they compute numbers in value cells and make views.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// What the exporter leaves of symbolic sizes.
inline constexpr OperatorSchema kAtenSymSizeInt{"aten::sym_size", "int", "TiY"};
inline constexpr OperatorSchema kAtenSymNumel{"aten::sym_numel", "", "TY"};
inline constexpr OperatorSchema kAtenLocalScalarDense{"aten::_local_scalar_dense", "", "TY"};

// Numbers. floordiv.Scalar rounds down, floordiv.int towards zero; mod is the remainder of C++.
inline constexpr OperatorSchema kPrimAddScalar{"executorch_prim::add", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimSubScalar{"executorch_prim::sub", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimMulScalar{"executorch_prim::mul", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimFloordivScalar{"executorch_prim::floordiv", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimModScalar{"executorch_prim::mod", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimTruedivScalar{"executorch_prim::truediv", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimEqScalar{"executorch_prim::eq", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimNeScalar{"executorch_prim::ne", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimLtScalar{"executorch_prim::lt", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimLeScalar{"executorch_prim::le", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimGtScalar{"executorch_prim::gt", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimGeScalar{"executorch_prim::ge", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimFloordivInt{"executorch_prim::floordiv", "int", "ssY"};
inline constexpr OperatorSchema kPrimModInt{"executorch_prim::mod", "int", "ssY"};
inline constexpr OperatorSchema kPrimNegScalar{"executorch_prim::neg", "Scalar", "sY"};
inline constexpr OperatorSchema kPrimSymFloatScalar{"executorch_prim::sym_float", "Scalar", "sY"};
inline constexpr OperatorSchema kPrimSymIntScalar{"executorch_prim::sym_int", "Scalar", "sY"};
inline constexpr OperatorSchema kPrimSymMaxScalar{"executorch_prim::sym_max", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimSymMinScalar{"executorch_prim::sym_min", "Scalar", "ssY"};
inline constexpr OperatorSchema kPrimSymNotScalar{"executorch_prim::sym_not", "Scalar", "sY"};
inline constexpr OperatorSchema kPrimSymIteScalar{"executorch_prim::sym_ite", "Scalar", "sssY"};
inline constexpr OperatorSchema kPrimCeilScalar{"executorch_prim::ceil", "Scalar", "sY"};
inline constexpr OperatorSchema kPrimRoundScalar{"executorch_prim::round", "Scalar", "sY"};
inline constexpr OperatorSchema kPrimTruncScalar{"executorch_prim::trunc", "Scalar", "sY"};

// et_copy_index puts src at place `index` of dst, which grows to index + 1. et_view is a view made
// at run time: out stands for self's bytes from then on.
inline constexpr OperatorSchema kPrimEtCopyIndexTensor{"executorch_prim::et_copy_index", "tensor",
                                                       "MTi"};
inline constexpr OperatorSchema kPrimEtView{"executorch_prim::et_view", "default", "TIO"};

inline constexpr const OperatorSchema* kPrims[] = {
    &kAtenSymSizeInt,    &kAtenSymNumel,     &kAtenLocalScalarDense, &kPrimAddScalar,
    &kPrimSubScalar,     &kPrimMulScalar,    &kPrimFloordivScalar,   &kPrimModScalar,
    &kPrimTruedivScalar, &kPrimEqScalar,     &kPrimNeScalar,         &kPrimLtScalar,
    &kPrimLeScalar,      &kPrimGtScalar,     &kPrimGeScalar,         &kPrimFloordivInt,
    &kPrimModInt,        &kPrimNegScalar,    &kPrimSymFloatScalar,   &kPrimSymIntScalar,
    &kPrimSymMaxScalar,  &kPrimSymMinScalar, &kPrimSymNotScalar,     &kPrimSymIteScalar,
    &kPrimCeilScalar,    &kPrimRoundScalar,  &kPrimTruncScalar,      &kPrimEtCopyIndexTensor,
    &kPrimEtView};

}  // namespace berth::ops
