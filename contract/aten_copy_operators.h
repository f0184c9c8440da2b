// Operators that copy, cast and fill.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// The same elements, of the same type (copy: of any type).
inline constexpr OperatorSchema kAtenCopyInPlace{"aten::copy_", "", "MTb"};
inline constexpr OperatorSchema kAtenCopy{"aten::copy", "out", "TTbO"};
inline constexpr OperatorSchema kAtenClone{"aten::clone", "out", "TnO"};
inline constexpr OperatorSchema kAtenToCopy{"aten::_to_copy", "out", "TbnO"};
inline constexpr OperatorSchema kAtenAliasCopy{"aten::alias_copy", "out", "TO"};
inline constexpr OperatorSchema kAtenDetachCopy{"aten::detach_copy", "out", "TO"};
inline constexpr OperatorSchema kAtenLiftFreshCopy{"aten::lift_fresh_copy", "out", "TO"};

// The list is the dim order of the output; none keeps the input's.
inline constexpr OperatorSchema kDimOrderToDimOrderCopy{"dim_order_ops::_to_dim_order_copy", "out",
                                                        "TbjO"};
inline constexpr OperatorSchema kDimOrderCloneDimOrder{"dim_order_ops::_clone_dim_order", "out",
                                                       "TbjO"};
inline constexpr OperatorSchema kDimOrderEmptyDimOrder{"dim_order_ops::_empty_dim_order", "out",
                                                       "IjO"};

// Tensors made from numbers.
inline constexpr OperatorSchema kAtenArange{"aten::arange", "out", "sO"};
inline constexpr OperatorSchema kAtenArangeStart{"aten::arange", "start_out", "sssO"};
inline constexpr OperatorSchema kAtenEmpty{"aten::empty", "out", "InO"};
inline constexpr OperatorSchema kAtenFillScalar{"aten::fill", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenFillTensor{"aten::fill", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenFull{"aten::full", "out", "IsO"};
inline constexpr OperatorSchema kAtenFullLike{"aten::full_like", "out", "TsnO"};
inline constexpr OperatorSchema kAtenOnes{"aten::ones", "out", "IO"};
inline constexpr OperatorSchema kAtenOnesLike{"aten::ones_like", "out", "TnO"};
inline constexpr OperatorSchema kAtenScalarTensor{"aten::scalar_tensor", "out", "sO"};
inline constexpr OperatorSchema kAtenZeros{"aten::zeros", "out", "IO"};
inline constexpr OperatorSchema kAtenZerosLike{"aten::zeros_like", "out", "TnO"};

inline constexpr const OperatorSchema* kAtenCopies[] = {&kAtenCopyInPlace,
                                                        &kAtenCopy,
                                                        &kAtenClone,
                                                        &kAtenToCopy,
                                                        &kAtenAliasCopy,
                                                        &kAtenDetachCopy,
                                                        &kAtenLiftFreshCopy,
                                                        &kDimOrderToDimOrderCopy,
                                                        &kDimOrderCloneDimOrder,
                                                        &kDimOrderEmptyDimOrder,
                                                        &kAtenArange,
                                                        &kAtenArangeStart,
                                                        &kAtenEmpty,
                                                        &kAtenFillScalar,
                                                        &kAtenFillTensor,
                                                        &kAtenFull,
                                                        &kAtenFullLike,
                                                        &kAtenOnes,
                                                        &kAtenOnesLike,
                                                        &kAtenScalarTensor,
                                                        &kAtenZeros,
                                                        &kAtenZerosLike};

}  // namespace berth::ops
