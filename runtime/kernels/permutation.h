// Moving dims.
#pragma once

#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// Arguments: in, perm, out. Dim d of out is dim perm[d] of in; any dtype, any dim orders; a
// negative entry counts from the end.
Status permute_tensor(const Args& args);

}  // namespace berth::runtime
