// Operators of aten:: that move elements.
#pragma once

#include "contract/operator_schema.h"

namespace berth::ops {

// Elements moved, none computed.
inline constexpr OperatorSchema kAtenAsStridedCopy{"aten::as_strided_copy", "out", "TIInO"};
inline constexpr OperatorSchema kAtenCat{"aten::cat", "out", "LiO"};
inline constexpr OperatorSchema kAtenConstantPadNd{"aten::constant_pad_nd", "out", "TIsO"};
inline constexpr OperatorSchema kAtenDiagonalCopy{"aten::diagonal_copy", "out", "TiiiO"};
inline constexpr OperatorSchema kAtenExpandCopy{"aten::expand_copy", "out", "TIbO"};
inline constexpr OperatorSchema kAtenFlip{"aten::flip", "out", "TIO"};
inline constexpr OperatorSchema kAtenNarrowCopy{"aten::narrow_copy", "out", "TiiiO"};
inline constexpr OperatorSchema kAtenPermuteCopy{"aten::permute_copy", "out", "TIO"};
inline constexpr OperatorSchema kAtenPixelShuffle{"aten::pixel_shuffle", "out", "TiO"};
inline constexpr OperatorSchema kAtenPixelUnshuffle{"aten::pixel_unshuffle", "out", "TiO"};
inline constexpr OperatorSchema kAtenReflectionPad1d{"aten::reflection_pad1d", "out", "TIO"};
inline constexpr OperatorSchema kAtenReflectionPad2d{"aten::reflection_pad2d", "out", "TIO"};
inline constexpr OperatorSchema kAtenReflectionPad3d{"aten::reflection_pad3d", "out", "TIO"};
inline constexpr OperatorSchema kAtenRepeat{"aten::repeat", "out", "TIO"};
inline constexpr OperatorSchema kAtenRepeatInterleaveTensor{"aten::repeat_interleave", "Tensor_out",
                                                            "TnO"};
inline constexpr OperatorSchema kAtenReplicationPad1d{"aten::replication_pad1d", "out", "TIO"};
inline constexpr OperatorSchema kAtenReplicationPad2d{"aten::replication_pad2d", "out", "TIO"};
inline constexpr OperatorSchema kAtenReplicationPad3d{"aten::replication_pad3d", "out", "TIO"};
inline constexpr OperatorSchema kAtenRoll{"aten::roll", "out", "TIIO"};
inline constexpr OperatorSchema kAtenSelectCopyInt{"aten::select_copy", "int_out", "TiiO"};
inline constexpr OperatorSchema kAtenSliceCopyTensor{"aten::slice_copy", "Tensor_out", "TinniO"};
inline constexpr OperatorSchema kAtenSplitCopyTensor{"aten::split_copy", "Tensor_out", "TiiP"};
inline constexpr OperatorSchema kAtenSplitWithSizesCopy{"aten::split_with_sizes_copy", "out",
                                                        "TIiP"};
inline constexpr OperatorSchema kAtenSqueezeCopy{"aten::squeeze_copy", "out", "TO"};
inline constexpr OperatorSchema kAtenSqueezeCopyDim{"aten::squeeze_copy", "dim_out", "TiO"};
inline constexpr OperatorSchema kAtenSqueezeCopyDims{"aten::squeeze_copy", "dims_out", "TIO"};
inline constexpr OperatorSchema kAtenStack{"aten::stack", "out", "LiO"};
inline constexpr OperatorSchema kAtenTCopy{"aten::t_copy", "out", "TO"};
inline constexpr OperatorSchema kAtenTransposeCopyInt{"aten::transpose_copy", "int_out", "TiiO"};
inline constexpr OperatorSchema kAtenTril{"aten::tril", "out", "TiO"};
inline constexpr OperatorSchema kAtenTriu{"aten::triu", "out", "TiO"};
inline constexpr OperatorSchema kAtenUnbindCopyInt{"aten::unbind_copy", "int_out", "TiP"};
inline constexpr OperatorSchema kAtenUnfoldCopy{"aten::unfold_copy", "out", "TiiiO"};
inline constexpr OperatorSchema kAtenUnsqueezeCopy{"aten::unsqueeze_copy", "out", "TiO"};
inline constexpr OperatorSchema kAtenUnsafeView{"aten::_unsafe_view", "out", "TIO"};
inline constexpr OperatorSchema kAtenViewCopy{"aten::view_copy", "out", "TIO"};

// Elements found by indices.
inline constexpr OperatorSchema kAtenEmbedding{"aten::embedding", "out", "TTibbO"};
inline constexpr OperatorSchema kAtenGather{"aten::gather", "out", "TiTbO"};
inline constexpr OperatorSchema kAtenIndexTensor{"aten::index", "Tensor_out", "TlO"};
inline constexpr OperatorSchema kAtenIndexPut{"aten::index_put", "out", "TlTbO"};
inline constexpr OperatorSchema kAtenIndexPutInPlace{"aten::index_put_", "", "MlTb"};
inline constexpr OperatorSchema kAtenIndexSelect{"aten::index_select", "out", "TiTO"};
inline constexpr OperatorSchema kAtenMaskedScatter{"aten::masked_scatter", "out", "TTTO"};
inline constexpr OperatorSchema kAtenMaskedSelect{"aten::masked_select", "out", "TTO"};
inline constexpr OperatorSchema kAtenNonzero{"aten::nonzero", "out", "TO"};
inline constexpr OperatorSchema kAtenScatterSrc{"aten::scatter", "src_out", "TiTTO"};
inline constexpr OperatorSchema kAtenScatterValue{"aten::scatter", "value_out", "TiTsO"};
inline constexpr OperatorSchema kAtenScatterAdd{"aten::scatter_add", "out", "TiTTO"};
inline constexpr OperatorSchema kAtenSelectScatter{"aten::select_scatter", "out", "TTiiO"};
inline constexpr OperatorSchema kAtenSliceScatter{"aten::slice_scatter", "out", "TTinniO"};

inline constexpr const OperatorSchema* kAtenShapes[] = {&kAtenAsStridedCopy,
                                                        &kAtenCat,
                                                        &kAtenConstantPadNd,
                                                        &kAtenDiagonalCopy,
                                                        &kAtenExpandCopy,
                                                        &kAtenFlip,
                                                        &kAtenNarrowCopy,
                                                        &kAtenPermuteCopy,
                                                        &kAtenPixelShuffle,
                                                        &kAtenPixelUnshuffle,
                                                        &kAtenReflectionPad1d,
                                                        &kAtenReflectionPad2d,
                                                        &kAtenReflectionPad3d,
                                                        &kAtenRepeat,
                                                        &kAtenRepeatInterleaveTensor,
                                                        &kAtenReplicationPad1d,
                                                        &kAtenReplicationPad2d,
                                                        &kAtenReplicationPad3d,
                                                        &kAtenRoll,
                                                        &kAtenSelectCopyInt,
                                                        &kAtenSliceCopyTensor,
                                                        &kAtenSplitCopyTensor,
                                                        &kAtenSplitWithSizesCopy,
                                                        &kAtenSqueezeCopy,
                                                        &kAtenSqueezeCopyDim,
                                                        &kAtenSqueezeCopyDims,
                                                        &kAtenStack,
                                                        &kAtenTCopy,
                                                        &kAtenTransposeCopyInt,
                                                        &kAtenTril,
                                                        &kAtenTriu,
                                                        &kAtenUnbindCopyInt,
                                                        &kAtenUnfoldCopy,
                                                        &kAtenUnsqueezeCopy,
                                                        &kAtenUnsafeView,
                                                        &kAtenViewCopy,
                                                        &kAtenEmbedding,
                                                        &kAtenGather,
                                                        &kAtenIndexTensor,
                                                        &kAtenIndexPut,
                                                        &kAtenIndexPutInPlace,
                                                        &kAtenIndexSelect,
                                                        &kAtenMaskedScatter,
                                                        &kAtenMaskedSelect,
                                                        &kAtenNonzero,
                                                        &kAtenScatterSrc,
                                                        &kAtenScatterValue,
                                                        &kAtenScatterAdd,
                                                        &kAtenSelectScatter,
                                                        &kAtenSliceScatter};

}  // namespace berth::ops
