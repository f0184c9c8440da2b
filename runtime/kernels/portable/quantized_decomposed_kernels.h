// Stock operators between float32 and integers, as exporters of quantised models write them:
// uint8, int8, int16, uint16 and int32 elements; scales float or double, zero points int32 or
// int64. Outputs take their shape where that may change and must have it where not.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// By the stock rule: scales below 6.1e-5 are raised to it, eps means nothing.
Status run_decomposed_choose_qparams(KernelContext& context, const Args& args);
// Row-major tensors.
Status run_decomposed_choose_qparams_per_token_asymmetric(KernelContext& context, const Args& args);
// Per channel: input and output lie in one order.
Status run_decomposed_dequantize_per_channel(KernelContext& context, const Args& args);
Status run_decomposed_dequantize_per_tensor(KernelContext& context, const Args& args);
Status run_decomposed_dequantize_per_tensor_tensor(KernelContext& context, const Args& args);
Status run_decomposed_dequantize_per_token(KernelContext& context, const Args& args);
// Weights of bytes, or of two values a byte (the first in the high bits, 8 too large); scales per
// row or per group of a row. Row-major tensors.
Status run_decomposed_embedding_4bit(KernelContext& context, const Args& args);
Status run_decomposed_embedding_4bit_dtype(KernelContext& context, const Args& args);
Status run_decomposed_embedding_byte(KernelContext& context, const Args& args);
Status run_decomposed_embedding_byte_dtype(KernelContext& context, const Args& args);
// float32 activations times int8 weights, scales per row of weights or per group of one. No zero
// points, as in the stock kernel. Row-major tensors.
Status run_decomposed_mixed_linear(KernelContext& context, const Args& args);
Status run_decomposed_quantize_per_channel(KernelContext& context, const Args& args);
// Ties go to the even value; NaN becomes the lower bound.
Status run_decomposed_quantize_per_tensor(KernelContext& context, const Args& args);
Status run_decomposed_quantize_per_tensor_tensor(KernelContext& context, const Args& args);
Status run_decomposed_quantize_per_token(KernelContext& context, const Args& args);
// int8 or uint8, one for all; tensors of one shape and order.
Status run_decomposed_add(KernelContext& context, const Args& args);
// Row-major matrices; a scale per row of the int8 weight; no zero points.
Status run_decomposed_mixed_mm(KernelContext& context, const Args& args);

inline constexpr Kernel kDecomposedChooseQparamsKernel{&ops::kDecomposedChooseQparamsTensor,
                                                       run_decomposed_choose_qparams};
inline constexpr Kernel kDecomposedChooseQparamsPerTokenAsymmetricKernel{
    &ops::kDecomposedChooseQparamsPerTokenAsymmetric,
    run_decomposed_choose_qparams_per_token_asymmetric};
inline constexpr Kernel kDecomposedDequantizePerChannelKernel{
    &ops::kDecomposedDequantizePerChannel, run_decomposed_dequantize_per_channel};
inline constexpr Kernel kDecomposedDequantizePerTensorKernel{&ops::kDecomposedDequantizePerTensor,
                                                             run_decomposed_dequantize_per_tensor};
inline constexpr Kernel kDecomposedDequantizePerTensorTensorKernel{
    &ops::kDecomposedDequantizePerTensorTensor, run_decomposed_dequantize_per_tensor_tensor};
inline constexpr Kernel kDecomposedDequantizePerTokenKernel{&ops::kDecomposedDequantizePerToken,
                                                            run_decomposed_dequantize_per_token};
inline constexpr Kernel kDecomposedEmbedding4bitKernel{&ops::kDecomposedEmbedding4bit,
                                                       run_decomposed_embedding_4bit};
inline constexpr Kernel kDecomposedEmbedding4bitDtypeKernel{&ops::kDecomposedEmbedding4bitDtype,
                                                            run_decomposed_embedding_4bit_dtype};
inline constexpr Kernel kDecomposedEmbeddingByteKernel{&ops::kDecomposedEmbeddingByte,
                                                       run_decomposed_embedding_byte};
inline constexpr Kernel kDecomposedEmbeddingByteDtypeKernel{&ops::kDecomposedEmbeddingByteDtype,
                                                            run_decomposed_embedding_byte_dtype};
inline constexpr Kernel kDecomposedMixedLinearKernel{&ops::kDecomposedMixedLinear,
                                                     run_decomposed_mixed_linear};
inline constexpr Kernel kDecomposedQuantizePerChannelKernel{&ops::kDecomposedQuantizePerChannel,
                                                            run_decomposed_quantize_per_channel};
inline constexpr Kernel kDecomposedQuantizePerTensorKernel{&ops::kDecomposedQuantizePerTensor,
                                                           run_decomposed_quantize_per_tensor};
inline constexpr Kernel kDecomposedQuantizePerTensorTensorKernel{
    &ops::kDecomposedQuantizePerTensorTensor, run_decomposed_quantize_per_tensor_tensor};
inline constexpr Kernel kDecomposedQuantizePerTokenKernel{&ops::kDecomposedQuantizePerToken,
                                                          run_decomposed_quantize_per_token};

inline constexpr Kernel kDecomposedAddKernel{&ops::kDecomposedAdd, run_decomposed_add};
inline constexpr Kernel kDecomposedMixedMmKernel{&ops::kDecomposedMixedMm, run_decomposed_mixed_mm};

inline constexpr Kernel kQuantizedDecomposedKernels[] = {
    kDecomposedChooseQparamsKernel,
    kDecomposedChooseQparamsPerTokenAsymmetricKernel,
    kDecomposedDequantizePerChannelKernel,
    kDecomposedDequantizePerTensorKernel,
    kDecomposedDequantizePerTensorTensorKernel,
    kDecomposedDequantizePerTokenKernel,
    kDecomposedEmbedding4bitKernel,
    kDecomposedEmbedding4bitDtypeKernel,
    kDecomposedEmbeddingByteKernel,
    kDecomposedEmbeddingByteDtypeKernel,
    kDecomposedMixedLinearKernel,
    kDecomposedQuantizePerChannelKernel,
    kDecomposedQuantizePerTensorKernel,
    kDecomposedQuantizePerTensorTensorKernel,
    kDecomposedQuantizePerTokenKernel,
    kDecomposedAddKernel,
    kDecomposedMixedMmKernel,
};

}  // namespace berth::runtime
