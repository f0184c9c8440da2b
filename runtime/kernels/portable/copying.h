// Copies between tensors of any dtypes and orders.
#pragma once

#include "contract/status.h"
#include "runtime/core/tensor.h"

namespace berth::runtime {

// Every element of `to` becomes that of `from`, converted where the dtypes differ and repeated by
// NumPy's broadcasting where the sizes do. to's shape stays. Bytes that are the same already are
// left alone. kBadShape where the sizes do not fit; kBadArguments where the dtypes differ and one
// of them has no arithmetic.
Status copy_converted(const Tensor& from, const Tensor& to);

}  // namespace berth::runtime
