// Operators of aten:: that compare, and those of logic and bits.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// The output is bool, or any other type that takes 0 and 1.
inline constexpr OperatorSchema kAtenEqTensor{"aten::eq", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenEqScalar{"aten::eq", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenNeTensor{"aten::ne", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenNeScalar{"aten::ne", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenLtTensor{"aten::lt", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenLtScalar{"aten::lt", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenLeTensor{"aten::le", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenLeScalar{"aten::le", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenGtTensor{"aten::gt", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenGtScalar{"aten::gt", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenGeTensor{"aten::ge", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenGeScalar{"aten::ge", "Scalar_out", "TsO"};

inline constexpr OperatorSchema kAtenLogicalAnd{"aten::logical_and", "out", "TTO"};
inline constexpr OperatorSchema kAtenLogicalOr{"aten::logical_or", "out", "TTO"};
inline constexpr OperatorSchema kAtenLogicalXor{"aten::logical_xor", "out", "TTO"};
inline constexpr OperatorSchema kAtenBitwiseAndTensor{"aten::bitwise_and", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenBitwiseAndScalar{"aten::bitwise_and", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenBitwiseOrTensor{"aten::bitwise_or", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenBitwiseOrScalar{"aten::bitwise_or", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenBitwiseXorTensor{"aten::bitwise_xor", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenBitwiseXorScalar{"aten::bitwise_xor", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenBitwiseLeftShiftTensor{"aten::bitwise_left_shift",
                                                            "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenBitwiseLeftShiftTensorScalar{"aten::bitwise_left_shift",
                                                                  "Tensor_Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenBitwiseRightShiftTensor{"aten::bitwise_right_shift",
                                                             "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenBitwiseRightShiftTensorScalar{"aten::bitwise_right_shift",
                                                                   "Tensor_Scalar_out", "TsO"};

inline constexpr const OperatorSchema* kAtenComparisons[] = {&kAtenEqTensor,
                                                             &kAtenEqScalar,
                                                             &kAtenNeTensor,
                                                             &kAtenNeScalar,
                                                             &kAtenLtTensor,
                                                             &kAtenLtScalar,
                                                             &kAtenLeTensor,
                                                             &kAtenLeScalar,
                                                             &kAtenGtTensor,
                                                             &kAtenGtScalar,
                                                             &kAtenGeTensor,
                                                             &kAtenGeScalar,
                                                             &kAtenLogicalAnd,
                                                             &kAtenLogicalOr,
                                                             &kAtenLogicalXor,
                                                             &kAtenBitwiseAndTensor,
                                                             &kAtenBitwiseAndScalar,
                                                             &kAtenBitwiseOrTensor,
                                                             &kAtenBitwiseOrScalar,
                                                             &kAtenBitwiseXorTensor,
                                                             &kAtenBitwiseXorScalar,
                                                             &kAtenBitwiseLeftShiftTensor,
                                                             &kAtenBitwiseLeftShiftTensorScalar,
                                                             &kAtenBitwiseRightShiftTensor,
                                                             &kAtenBitwiseRightShiftTensorScalar};

}  // namespace berth::ops
