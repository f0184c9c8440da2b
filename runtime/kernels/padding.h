// Putting one value around a tensor.
#pragma once

#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// Arguments: in, before, after, value, out. int8, int16, int32; in and out of one order. The lists
// have 4 (aligned at the right) or rank entries, in the order of memory: (N, H, W, C) for an image.
Status pad_tensor(const Args& args);

}  // namespace berth::runtime
