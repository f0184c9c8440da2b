// Kernels that copy, cast and fill. Dtypes with arithmetic (element_blocks.h), any others where
// nothing is converted; any dim orders; the output is resized. Errors: kBadShape where sizes do not
// fit, kBadArguments where dtypes, numbers or a dim order do not.
#pragma once

#include "runtime/core/kernel.h"

namespace berth::runtime {

// self takes src's elements, by NumPy's broadcasting. non_blocking means nothing here.
Status run_copy(KernelContext& context, const Args& args);
Status run_copy_out(KernelContext& context, const Args& args);

inline constexpr Kernel kCopyKernel{&ops::kAtenCopyInPlace, run_copy};
inline constexpr Kernel kCopyOutKernel{&ops::kAtenCopy, run_copy_out};

// _to_copy and _to_dim_order_copy convert to the output's dtype; the others keep it. A dim order
// must be the output's.
Status run_clone(KernelContext& context, const Args& args);
Status run_to_copy(KernelContext& context, const Args& args);
Status run_to_dim_order_copy(KernelContext& context, const Args& args);
Status run_clone_dim_order(KernelContext& context, const Args& args);

inline constexpr Kernel kCloneKernel{&ops::kAtenClone, run_clone};
inline constexpr Kernel kToCopyKernel{&ops::kAtenToCopy, run_to_copy};
inline constexpr Kernel kToDimOrderCopyKernel{&ops::kDimOrderToDimOrderCopy, run_to_dim_order_copy};
inline constexpr Kernel kCloneDimOrderKernel{&ops::kDimOrderCloneDimOrder, run_clone_dim_order};

// The number is converted to the output's dtype.
Status run_full(KernelContext& context, const Args& args);
Status run_full_like(KernelContext& context, const Args& args);
Status run_zeros(KernelContext& context, const Args& args);
Status run_zeros_like(KernelContext& context, const Args& args);
Status run_ones(KernelContext& context, const Args& args);
Status run_ones_like(KernelContext& context, const Args& args);
Status run_empty(KernelContext& context, const Args& args);
Status run_fill_scalar(KernelContext& context, const Args& args);
Status run_fill_tensor(KernelContext& context, const Args& args);
Status run_scalar_tensor(KernelContext& context, const Args& args);

inline constexpr Kernel kFullKernel{&ops::kAtenFull, run_full};
inline constexpr Kernel kFullLikeKernel{&ops::kAtenFullLike, run_full_like};
inline constexpr Kernel kZerosKernel{&ops::kAtenZeros, run_zeros};
inline constexpr Kernel kZerosLikeKernel{&ops::kAtenZerosLike, run_zeros_like};
inline constexpr Kernel kOnesKernel{&ops::kAtenOnes, run_ones};
inline constexpr Kernel kOnesLikeKernel{&ops::kAtenOnesLike, run_ones_like};
inline constexpr Kernel kEmptyKernel{&ops::kAtenEmpty, run_empty};
inline constexpr Kernel kEmptyDimOrderKernel{&ops::kDimOrderEmptyDimOrder, run_empty};
inline constexpr Kernel kFillScalarKernel{&ops::kAtenFillScalar, run_fill_scalar};
inline constexpr Kernel kFillTensorKernel{&ops::kAtenFillTensor, run_fill_tensor};
inline constexpr Kernel kScalarTensorKernel{&ops::kAtenScalarTensor, run_scalar_tensor};

// start, start + step, ... below end, in an output of one dim.
Status run_arange(KernelContext& context, const Args& args);
Status run_arange_start(KernelContext& context, const Args& args);

inline constexpr Kernel kArangeKernel{&ops::kAtenArange, run_arange};
inline constexpr Kernel kArangeStartKernel{&ops::kAtenArangeStart, run_arange_start};

inline constexpr Kernel kCopyKernels[] = {
    kCopyKernel,           kCopyOutKernel,       kCloneKernel,      kToCopyKernel,
    kToDimOrderCopyKernel, kCloneDimOrderKernel, kFullKernel,       kFullLikeKernel,
    kZerosKernel,          kZerosLikeKernel,     kOnesKernel,       kOnesLikeKernel,
    kEmptyKernel,          kEmptyDimOrderKernel, kFillScalarKernel, kFillTensorKernel,
    kScalarTensorKernel,   kArangeKernel,        kArangeStartKernel};

}  // namespace berth::runtime
