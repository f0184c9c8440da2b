// Stock operators that move elements and compute none. Any dtype; inputs and outputs share it. All
// dim orders, on either side. Outputs take their shape where that may change and must have it where
// not. Dims may be negative. Right where an output is its input's bytes only where that is said.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// Right in place: alias_copy, detach_copy, lift_fresh_copy.
Status run_alias_copy(KernelContext& context, const Args& args);
// self's memory must hold all that sizes, strides and offset reach; strides are not negative.
Status run_as_strided_copy(KernelContext& context, const Args& args);
// Inputs of other dtypes are converted, where that loses no fractions. 1-D inputs without elements
// are passed over. An input that already lies in its place in the output is left alone.
Status run_cat(KernelContext& context, const Args& args);
// Negative padding cuts.
Status run_constant_pad_nd(KernelContext& context, const Args& args);
Status run_diagonal_copy(KernelContext& context, const Args& args);
Status run_expand_copy(KernelContext& context, const Args& args);
Status run_flip(KernelContext& context, const Args& args);
Status run_narrow_copy(KernelContext& context, const Args& args);
Status run_permute_copy(KernelContext& context, const Args& args);
Status run_pixel_shuffle(KernelContext& context, const Args& args);
Status run_pixel_unshuffle(KernelContext& context, const Args& args);
// One to three dims, padding smaller than the dim (replication: any).
Status run_reflection_pad(KernelContext& context, const Args& args);
Status run_replication_pad(KernelContext& context, const Args& args);
Status run_repeat(KernelContext& context, const Args& args);
// Without dims: row-major tensors only.
Status run_roll(KernelContext& context, const Args& args);
Status run_select_copy(KernelContext& context, const Args& args);
Status run_slice_copy(KernelContext& context, const Args& args);
// As many outputs as there are parts.
Status run_split_copy(KernelContext& context, const Args& args);
Status run_split_with_sizes_copy(KernelContext& context, const Args& args);
Status run_squeeze_copy(KernelContext& context, const Args& args);
Status run_squeeze_copy_dim(KernelContext& context, const Args& args);
Status run_squeeze_copy_dims(KernelContext& context, const Args& args);
Status run_stack(KernelContext& context, const Args& args);
Status run_t_copy(KernelContext& context, const Args& args);
Status run_transpose_copy(KernelContext& context, const Args& args);
// Right in place.
Status run_tril(KernelContext& context, const Args& args);
Status run_triu(KernelContext& context, const Args& args);
Status run_unbind_copy(KernelContext& context, const Args& args);
Status run_unfold_copy(KernelContext& context, const Args& args);
Status run_unsqueeze_copy(KernelContext& context, const Args& args);
// Row-major tensors, or one shape on both sides. One size may be -1. Right in place.
Status run_view_copy(KernelContext& context, const Args& args);

inline constexpr Kernel kAliasCopyKernel{&ops::kAtenAliasCopy, run_alias_copy};
inline constexpr Kernel kAsStridedCopyKernel{&ops::kAtenAsStridedCopy, run_as_strided_copy};
inline constexpr Kernel kCatKernel{&ops::kAtenCat, run_cat};
inline constexpr Kernel kConstantPadNdKernel{&ops::kAtenConstantPadNd, run_constant_pad_nd};
inline constexpr Kernel kDetachCopyKernel{&ops::kAtenDetachCopy, run_alias_copy};
inline constexpr Kernel kDiagonalCopyKernel{&ops::kAtenDiagonalCopy, run_diagonal_copy};
inline constexpr Kernel kExpandCopyKernel{&ops::kAtenExpandCopy, run_expand_copy};
inline constexpr Kernel kFlipKernel{&ops::kAtenFlip, run_flip};
inline constexpr Kernel kLiftFreshCopyKernel{&ops::kAtenLiftFreshCopy, run_alias_copy};
inline constexpr Kernel kNarrowCopyKernel{&ops::kAtenNarrowCopy, run_narrow_copy};
inline constexpr Kernel kPermuteCopyKernel{&ops::kAtenPermuteCopy, run_permute_copy};
inline constexpr Kernel kPixelShuffleKernel{&ops::kAtenPixelShuffle, run_pixel_shuffle};
inline constexpr Kernel kPixelUnshuffleKernel{&ops::kAtenPixelUnshuffle, run_pixel_unshuffle};
inline constexpr Kernel kReflectionPad1dKernel{&ops::kAtenReflectionPad1d, run_reflection_pad};
inline constexpr Kernel kReflectionPad2dKernel{&ops::kAtenReflectionPad2d, run_reflection_pad};
inline constexpr Kernel kReflectionPad3dKernel{&ops::kAtenReflectionPad3d, run_reflection_pad};
inline constexpr Kernel kRepeatKernel{&ops::kAtenRepeat, run_repeat};
inline constexpr Kernel kReplicationPad1dKernel{&ops::kAtenReplicationPad1d, run_replication_pad};
inline constexpr Kernel kReplicationPad2dKernel{&ops::kAtenReplicationPad2d, run_replication_pad};
inline constexpr Kernel kReplicationPad3dKernel{&ops::kAtenReplicationPad3d, run_replication_pad};
inline constexpr Kernel kRollKernel{&ops::kAtenRoll, run_roll};
inline constexpr Kernel kSelectCopyKernel{&ops::kAtenSelectCopyInt, run_select_copy};
inline constexpr Kernel kSliceCopyKernel{&ops::kAtenSliceCopyTensor, run_slice_copy};
inline constexpr Kernel kSplitCopyKernel{&ops::kAtenSplitCopyTensor, run_split_copy};
inline constexpr Kernel kSplitWithSizesCopyKernel{&ops::kAtenSplitWithSizesCopy,
                                                  run_split_with_sizes_copy};
inline constexpr Kernel kSqueezeCopyKernel{&ops::kAtenSqueezeCopy, run_squeeze_copy};
inline constexpr Kernel kSqueezeCopyDimKernel{&ops::kAtenSqueezeCopyDim, run_squeeze_copy_dim};
inline constexpr Kernel kSqueezeCopyDimsKernel{&ops::kAtenSqueezeCopyDims, run_squeeze_copy_dims};
inline constexpr Kernel kStackKernel{&ops::kAtenStack, run_stack};
inline constexpr Kernel kTCopyKernel{&ops::kAtenTCopy, run_t_copy};
inline constexpr Kernel kTransposeCopyKernel{&ops::kAtenTransposeCopyInt, run_transpose_copy};
inline constexpr Kernel kTrilKernel{&ops::kAtenTril, run_tril};
inline constexpr Kernel kTriuKernel{&ops::kAtenTriu, run_triu};
inline constexpr Kernel kUnbindCopyKernel{&ops::kAtenUnbindCopyInt, run_unbind_copy};
inline constexpr Kernel kUnfoldCopyKernel{&ops::kAtenUnfoldCopy, run_unfold_copy};
inline constexpr Kernel kUnsafeViewKernel{&ops::kAtenUnsafeView, run_view_copy};
inline constexpr Kernel kUnsqueezeCopyKernel{&ops::kAtenUnsqueezeCopy, run_unsqueeze_copy};
inline constexpr Kernel kViewCopyKernel{&ops::kAtenViewCopy, run_view_copy};

inline constexpr Kernel kShapeKernels[] = {
    kAliasCopyKernel,
    kAsStridedCopyKernel,
    kCatKernel,
    kConstantPadNdKernel,
    kDetachCopyKernel,
    kDiagonalCopyKernel,
    kExpandCopyKernel,
    kFlipKernel,
    kLiftFreshCopyKernel,
    kNarrowCopyKernel,
    kPermuteCopyKernel,
    kPixelShuffleKernel,
    kPixelUnshuffleKernel,
    kReflectionPad1dKernel,
    kReflectionPad2dKernel,
    kReflectionPad3dKernel,
    kRepeatKernel,
    kReplicationPad1dKernel,
    kReplicationPad2dKernel,
    kReplicationPad3dKernel,
    kRollKernel,
    kSelectCopyKernel,
    kSliceCopyKernel,
    kSplitCopyKernel,
    kSplitWithSizesCopyKernel,
    kSqueezeCopyKernel,
    kSqueezeCopyDimKernel,
    kSqueezeCopyDimsKernel,
    kStackKernel,
    kTCopyKernel,
    kTransposeCopyKernel,
    kTrilKernel,
    kTriuKernel,
    kUnbindCopyKernel,
    kUnfoldCopyKernel,
    kUnsafeViewKernel,
    kUnsqueezeCopyKernel,
    kViewCopyKernel,
};

}  // namespace berth::runtime
