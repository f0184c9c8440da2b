// Stock operators that find elements by tensors of indices. Indices are int64 or int32 and checked;
// values have the dtype of what they are put into. All dim orders unless said.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// Row-major tensors.
Status run_embedding(KernelContext& context, const Args& args);
Status run_gather(KernelContext& context, const Args& args);
// No masks: those are found by nonzero, whose output has no shape before it runs.
Status run_index(KernelContext& context, const Args& args);
// values are broadcast; of several for one place the last stays, or all are added. Right where out
// is self.
Status run_index_put(KernelContext& context, const Args& args);
Status run_index_put_in_place(KernelContext& context, const Args& args);
Status run_index_select(KernelContext& context, const Args& args);
// Right where out is self: scatter, scatter_add, select_scatter, slice_scatter.
Status run_scatter_add(KernelContext& context, const Args& args);
Status run_scatter_src(KernelContext& context, const Args& args);
Status run_scatter_value(KernelContext& context, const Args& args);
Status run_select_scatter(KernelContext& context, const Args& args);
Status run_slice_scatter(KernelContext& context, const Args& args);
// The values themselves order the indices of equal ones; NaN is the largest. Sorts in the outputs.
Status run_sort(KernelContext& context, const Args& args);
Status run_topk(KernelContext& context, const Args& args);
// Where an output takes its length at run time it must have a shape that may change: nonzero,
// masked_select. Masks are bool or uint8.
Status run_nonzero(KernelContext& context, const Args& args);
Status run_masked_select(KernelContext& context, const Args& args);
// Row-major source and output.
Status run_masked_scatter(KernelContext& context, const Args& args);
// int32 or int64 repeats, an output of their dtype.
Status run_repeat_interleave(KernelContext& context, const Args& args);

inline constexpr Kernel kEmbeddingKernel{&ops::kAtenEmbedding, run_embedding};
inline constexpr Kernel kGatherKernel{&ops::kAtenGather, run_gather};
inline constexpr Kernel kIndexKernel{&ops::kAtenIndexTensor, run_index};
inline constexpr Kernel kIndexPutKernel{&ops::kAtenIndexPut, run_index_put};
inline constexpr Kernel kIndexPutInPlaceKernel{&ops::kAtenIndexPutInPlace, run_index_put_in_place};
inline constexpr Kernel kIndexSelectKernel{&ops::kAtenIndexSelect, run_index_select};
inline constexpr Kernel kScatterAddKernel{&ops::kAtenScatterAdd, run_scatter_add};
inline constexpr Kernel kScatterSrcKernel{&ops::kAtenScatterSrc, run_scatter_src};
inline constexpr Kernel kScatterValueKernel{&ops::kAtenScatterValue, run_scatter_value};
inline constexpr Kernel kSelectScatterKernel{&ops::kAtenSelectScatter, run_select_scatter};
inline constexpr Kernel kSliceScatterKernel{&ops::kAtenSliceScatter, run_slice_scatter};
inline constexpr Kernel kSortKernel{&ops::kAtenSort, run_sort};
inline constexpr Kernel kTopkKernel{&ops::kAtenTopk, run_topk};

inline constexpr Kernel kNonzeroKernel{&ops::kAtenNonzero, run_nonzero};
inline constexpr Kernel kMaskedSelectKernel{&ops::kAtenMaskedSelect, run_masked_select};
inline constexpr Kernel kMaskedScatterKernel{&ops::kAtenMaskedScatter, run_masked_scatter};
inline constexpr Kernel kRepeatInterleaveKernel{&ops::kAtenRepeatInterleaveTensor,
                                                run_repeat_interleave};

inline constexpr Kernel kIndexKernels[] = {
    kEmbeddingKernel,     kGatherKernel,           kIndexKernel,
    kIndexPutKernel,      kIndexPutInPlaceKernel,  kIndexSelectKernel,
    kScatterAddKernel,    kScatterSrcKernel,       kScatterValueKernel,
    kSelectScatterKernel, kSliceScatterKernel,     kSortKernel,
    kTopkKernel,          kNonzeroKernel,          kMaskedSelectKernel,
    kMaskedScatterKernel, kRepeatInterleaveKernel,
};

}  // namespace berth::runtime
