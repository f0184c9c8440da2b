// Operators of aten:: that compute one element of the output from one of each input.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// One tensor in, one of its shape out.
inline constexpr OperatorSchema kAtenAbs{"aten::abs", "out", "TO"};
inline constexpr OperatorSchema kAtenAcos{"aten::acos", "out", "TO"};
inline constexpr OperatorSchema kAtenAcosh{"aten::acosh", "out", "TO"};
inline constexpr OperatorSchema kAtenAsin{"aten::asin", "out", "TO"};
inline constexpr OperatorSchema kAtenAsinh{"aten::asinh", "out", "TO"};
inline constexpr OperatorSchema kAtenAtan{"aten::atan", "out", "TO"};
inline constexpr OperatorSchema kAtenAtanh{"aten::atanh", "out", "TO"};
inline constexpr OperatorSchema kAtenBitwiseNot{"aten::bitwise_not", "out", "TO"};
inline constexpr OperatorSchema kAtenCeil{"aten::ceil", "out", "TO"};
inline constexpr OperatorSchema kAtenCos{"aten::cos", "out", "TO"};
inline constexpr OperatorSchema kAtenCosh{"aten::cosh", "out", "TO"};
inline constexpr OperatorSchema kAtenErf{"aten::erf", "out", "TO"};
inline constexpr OperatorSchema kAtenExp{"aten::exp", "out", "TO"};
inline constexpr OperatorSchema kAtenExp2{"aten::exp2", "out", "TO"};
inline constexpr OperatorSchema kAtenExpm1{"aten::expm1", "out", "TO"};
inline constexpr OperatorSchema kAtenFloor{"aten::floor", "out", "TO"};
inline constexpr OperatorSchema kAtenHardsigmoid{"aten::hardsigmoid", "out", "TO"};
inline constexpr OperatorSchema kAtenHardswish{"aten::hardswish", "out", "TO"};
inline constexpr OperatorSchema kAtenIsinf{"aten::isinf", "out", "TO"};
inline constexpr OperatorSchema kAtenIsnan{"aten::isnan", "out", "TO"};
inline constexpr OperatorSchema kAtenLog{"aten::log", "out", "TO"};
inline constexpr OperatorSchema kAtenLog10{"aten::log10", "out", "TO"};
inline constexpr OperatorSchema kAtenLog1p{"aten::log1p", "out", "TO"};
inline constexpr OperatorSchema kAtenLog2{"aten::log2", "out", "TO"};
inline constexpr OperatorSchema kAtenLogicalNot{"aten::logical_not", "out", "TO"};
inline constexpr OperatorSchema kAtenMish{"aten::mish", "out", "TO"};
inline constexpr OperatorSchema kAtenNeg{"aten::neg", "out", "TO"};
inline constexpr OperatorSchema kAtenReciprocal{"aten::reciprocal", "out", "TO"};
inline constexpr OperatorSchema kAtenRelu{"aten::relu", "out", "TO"};
inline constexpr OperatorSchema kAtenRound{"aten::round", "out", "TO"};
inline constexpr OperatorSchema kAtenRsqrt{"aten::rsqrt", "out", "TO"};
inline constexpr OperatorSchema kAtenSigmoid{"aten::sigmoid", "out", "TO"};
inline constexpr OperatorSchema kAtenSign{"aten::sign", "out", "TO"};
inline constexpr OperatorSchema kAtenSilu{"aten::silu", "out", "TO"};
inline constexpr OperatorSchema kAtenSin{"aten::sin", "out", "TO"};
inline constexpr OperatorSchema kAtenSinh{"aten::sinh", "out", "TO"};
inline constexpr OperatorSchema kAtenSqrt{"aten::sqrt", "out", "TO"};
inline constexpr OperatorSchema kAtenTan{"aten::tan", "out", "TO"};
inline constexpr OperatorSchema kAtenTanh{"aten::tanh", "out", "TO"};
inline constexpr OperatorSchema kAtenTrunc{"aten::trunc", "out", "TO"};

// With parameters.
inline constexpr OperatorSchema kAtenClamp{"aten::clamp", "out", "TzzO"};
inline constexpr OperatorSchema kAtenClampTensor{"aten::clamp", "Tensor_out", "TttO"};
inline constexpr OperatorSchema kAtenElu{"aten::elu", "out", "TsssO"};
inline constexpr OperatorSchema kAtenGelu{"aten::gelu", "out", "TaO"};
inline constexpr OperatorSchema kAtenHardtanh{"aten::hardtanh", "out", "TssO"};
inline constexpr OperatorSchema kAtenLeakyRelu{"aten::leaky_relu", "out", "TsO"};
inline constexpr OperatorSchema kAtenLogit{"aten::logit", "out", "TeO"};
inline constexpr OperatorSchema kAtenRoundDecimals{"aten::round", "decimals_out", "TiO"};
inline constexpr OperatorSchema kAtenSoftplus{"aten::softplus", "out", "TssO"};
inline constexpr OperatorSchema kAtenThreshold{"aten::threshold", "out", "TssO"};

// Two tensors, or a tensor and a number, by NumPy's broadcasting. add, sub, rsub: the number after
// them is alpha.
inline constexpr OperatorSchema kAtenAdd{"aten::add", "out", "TTsO"};
inline constexpr OperatorSchema kAtenAddScalar{"aten::add", "Scalar_out", "TssO"};
inline constexpr OperatorSchema kAtenSub{"aten::sub", "out", "TTsO"};
inline constexpr OperatorSchema kAtenSubScalar{"aten::sub", "Scalar_out", "TssO"};
inline constexpr OperatorSchema kAtenRsubTensor{"aten::rsub", "Tensor_out", "TTsO"};
inline constexpr OperatorSchema kAtenRsubScalar{"aten::rsub", "Scalar_out", "TssO"};
inline constexpr OperatorSchema kAtenMul{"aten::mul", "out", "TTO"};
inline constexpr OperatorSchema kAtenMulScalar{"aten::mul", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenDiv{"aten::div", "out", "TTO"};
inline constexpr OperatorSchema kAtenDivScalar{"aten::div", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenDivMode{"aten::div", "out_mode", "TTSO"};
inline constexpr OperatorSchema kAtenDivScalarMode{"aten::div", "Scalar_mode_out", "TsSO"};
inline constexpr OperatorSchema kAtenFloorDivide{"aten::floor_divide", "out", "TTO"};
inline constexpr OperatorSchema kAtenFmodTensor{"aten::fmod", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenFmodScalar{"aten::fmod", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenRemainderTensor{"aten::remainder", "Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenRemainderScalar{"aten::remainder", "Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenRemainderScalarTensor{"aten::remainder", "Scalar_Tensor_out",
                                                           "sTO"};
inline constexpr OperatorSchema kAtenPowTensorTensor{"aten::pow", "Tensor_Tensor_out", "TTO"};
inline constexpr OperatorSchema kAtenPowTensorScalar{"aten::pow", "Tensor_Scalar_out", "TsO"};
inline constexpr OperatorSchema kAtenPowScalar{"aten::pow", "Scalar_out", "sTO"};
inline constexpr OperatorSchema kAtenAtan2{"aten::atan2", "out", "TTO"};
inline constexpr OperatorSchema kAtenMaximum{"aten::maximum", "out", "TTO"};
inline constexpr OperatorSchema kAtenMinimum{"aten::minimum", "out", "TTO"};
inline constexpr OperatorSchema kAtenFmax{"aten::fmax", "out", "TTO"};
inline constexpr OperatorSchema kAtenFmin{"aten::fmin", "out", "TTO"};

// Three tensors.
inline constexpr OperatorSchema kAtenWhereSelf{"aten::where", "self_out", "TTTO"};
inline constexpr OperatorSchema kAtenMaskedFillScalar{"aten::masked_fill", "Scalar_out", "TTsO"};
inline constexpr OperatorSchema kAtenMaskedFillTensor{"aten::masked_fill", "Tensor_out", "TTTO"};
inline constexpr OperatorSchema kAtenAddcmul{"aten::addcmul", "out", "TTTsO"};
inline constexpr OperatorSchema kAtenAddcdiv{"aten::addcdiv", "out", "TTTsO"};

inline constexpr const OperatorSchema* kAtenMath[] = {&kAtenAbs,
                                                      &kAtenAcos,
                                                      &kAtenAcosh,
                                                      &kAtenAsin,
                                                      &kAtenAsinh,
                                                      &kAtenAtan,
                                                      &kAtenAtanh,
                                                      &kAtenBitwiseNot,
                                                      &kAtenCeil,
                                                      &kAtenCos,
                                                      &kAtenCosh,
                                                      &kAtenErf,
                                                      &kAtenExp,
                                                      &kAtenExp2,
                                                      &kAtenExpm1,
                                                      &kAtenFloor,
                                                      &kAtenHardsigmoid,
                                                      &kAtenHardswish,
                                                      &kAtenIsinf,
                                                      &kAtenIsnan,
                                                      &kAtenLog,
                                                      &kAtenLog10,
                                                      &kAtenLog1p,
                                                      &kAtenLog2,
                                                      &kAtenLogicalNot,
                                                      &kAtenMish,
                                                      &kAtenNeg,
                                                      &kAtenReciprocal,
                                                      &kAtenRelu,
                                                      &kAtenRound,
                                                      &kAtenRsqrt,
                                                      &kAtenSigmoid,
                                                      &kAtenSign,
                                                      &kAtenSilu,
                                                      &kAtenSin,
                                                      &kAtenSinh,
                                                      &kAtenSqrt,
                                                      &kAtenTan,
                                                      &kAtenTanh,
                                                      &kAtenTrunc,
                                                      &kAtenClamp,
                                                      &kAtenClampTensor,
                                                      &kAtenElu,
                                                      &kAtenGelu,
                                                      &kAtenHardtanh,
                                                      &kAtenLeakyRelu,
                                                      &kAtenLogit,
                                                      &kAtenRoundDecimals,
                                                      &kAtenSoftplus,
                                                      &kAtenThreshold,
                                                      &kAtenAdd,
                                                      &kAtenAddScalar,
                                                      &kAtenSub,
                                                      &kAtenSubScalar,
                                                      &kAtenRsubTensor,
                                                      &kAtenRsubScalar,
                                                      &kAtenMul,
                                                      &kAtenMulScalar,
                                                      &kAtenDiv,
                                                      &kAtenDivScalar,
                                                      &kAtenDivMode,
                                                      &kAtenDivScalarMode,
                                                      &kAtenFloorDivide,
                                                      &kAtenFmodTensor,
                                                      &kAtenFmodScalar,
                                                      &kAtenRemainderTensor,
                                                      &kAtenRemainderScalar,
                                                      &kAtenRemainderScalarTensor,
                                                      &kAtenPowTensorTensor,
                                                      &kAtenPowTensorScalar,
                                                      &kAtenPowScalar,
                                                      &kAtenAtan2,
                                                      &kAtenMaximum,
                                                      &kAtenMinimum,
                                                      &kAtenFmax,
                                                      &kAtenFmin,
                                                      &kAtenWhereSelf,
                                                      &kAtenMaskedFillScalar,
                                                      &kAtenMaskedFillTensor,
                                                      &kAtenAddcmul,
                                                      &kAtenAddcdiv};

}  // namespace berth::ops
