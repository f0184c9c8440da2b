// The runtime half of the oneDNN backend, for hosts: the library allocates on its own account
// (docs/onednn.md says what), this half only what it keeps per handle.
//
// init() answers kScratchTooSmall when this machine's implementation needs a larger scratchpad than
// the file declares, kTooSmall when it needs more persistent memory, kUnsupported when the library
// does not do the operator, or not with the instruction set that the file asks for.
#pragma once

#include "runtime/core/backend.h"

namespace berth::onednn {

const runtime::Backend& runtime_backend();

}  // namespace berth::onednn
