// Operators of quantized_decomposed::, the integer forms that stock exporters write.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// scale and zero point as numbers, or as tensors of one element; then quant_min, quant_max, the
// dtype of the quantised tensor, and of a dequantised one (none: float).
inline constexpr OperatorSchema kDecomposedQuantizePerTensor{
    "quantized_decomposed::quantize_per_tensor", "out", "TdiiiiO"};
inline constexpr OperatorSchema kDecomposedQuantizePerTensorTensor{
    "quantized_decomposed::quantize_per_tensor", "Tensor_out", "TTTiiiO"};
inline constexpr OperatorSchema kDecomposedDequantizePerTensor{
    "quantized_decomposed::dequantize_per_tensor", "out", "TdiiiinO"};
inline constexpr OperatorSchema kDecomposedDequantizePerTensorTensor{
    "quantized_decomposed::dequantize_per_tensor", "Tensor_out", "TTTiiinO"};
inline constexpr OperatorSchema kDecomposedQuantizePerChannel{
    "quantized_decomposed::quantize_per_channel", "out", "TTTiiiiO"};
inline constexpr OperatorSchema kDecomposedDequantizePerChannel{
    "quantized_decomposed::dequantize_per_channel", "out", "TTtiiiinO"};
inline constexpr OperatorSchema kDecomposedQuantizePerToken{
    "quantized_decomposed::quantize_per_token", "out", "TTTiiiO"};
inline constexpr OperatorSchema kDecomposedDequantizePerToken{
    "quantized_decomposed::dequantize_per_token", "out", "TTTiiiiO"};

// quant_min, quant_max, eps, dtype.
inline constexpr OperatorSchema kDecomposedChooseQparamsTensor{
    "quantized_decomposed::choose_qparams", "Tensor_out", "TiidiOO"};
inline constexpr OperatorSchema kDecomposedChooseQparamsPerTokenAsymmetric{
    "quantized_decomposed::choose_qparams_per_token_asymmetric", "out", "TiOO"};

inline constexpr OperatorSchema kDecomposedAdd{"quantized_decomposed::add", "out",
                                               "TdiiiTdiiidiiiO"};
inline constexpr OperatorSchema kDecomposedEmbeddingByte{"quantized_decomposed::embedding_byte",
                                                         "out", "TTtiiTO"};
inline constexpr OperatorSchema kDecomposedEmbeddingByteDtype{
    "quantized_decomposed::embedding_byte", "dtype_out", "TTtiiTnO"};
inline constexpr OperatorSchema kDecomposedEmbedding4bit{"quantized_decomposed::embedding_4bit",
                                                         "out", "TTtiiTO"};
inline constexpr OperatorSchema kDecomposedEmbedding4bitDtype{
    "quantized_decomposed::embedding_4bit", "dtype_out", "TTtiiTnO"};
inline constexpr OperatorSchema kDecomposedMixedMm{"quantized_decomposed::mixed_mm", "out",
                                                   "TTTtO"};
inline constexpr OperatorSchema kDecomposedMixedLinear{"quantized_decomposed::mixed_linear", "out",
                                                       "TTTtnO"};

inline constexpr const OperatorSchema* kDecomposed[] = {&kDecomposedQuantizePerTensor,
                                                        &kDecomposedQuantizePerTensorTensor,
                                                        &kDecomposedDequantizePerTensor,
                                                        &kDecomposedDequantizePerTensorTensor,
                                                        &kDecomposedQuantizePerChannel,
                                                        &kDecomposedDequantizePerChannel,
                                                        &kDecomposedQuantizePerToken,
                                                        &kDecomposedDequantizePerToken,
                                                        &kDecomposedChooseQparamsTensor,
                                                        &kDecomposedChooseQparamsPerTokenAsymmetric,
                                                        &kDecomposedAdd,
                                                        &kDecomposedEmbeddingByte,
                                                        &kDecomposedEmbeddingByteDtype,
                                                        &kDecomposedEmbedding4bit,
                                                        &kDecomposedEmbedding4bitDtype,
                                                        &kDecomposedMixedMm,
                                                        &kDecomposedMixedLinear};

}  // namespace berth::ops
