// Whether a tensor may be touched at this moment of a run. Values that a move or a view points
// elsewhere are only known then.
#pragma once

#include "contract/status.h"
#include "runtime/core/tensor.h"

namespace berth::runtime {

// kBadState for a tensor without bytes, or one that is to be written and may not be.
inline Status check_tensor(const Tensor& tensor, bool written) {
  if (tensor.data == nullptr && tensor.nbytes() != 0) return Status::kBadState;
  const bool writable = tensor.home == Home::kPool || tensor.home == Home::kCaller ||
                        tensor.home == Home::kOutputView;
  return written && !writable ? Status::kBadState : Status::kOk;
}

}  // namespace berth::runtime
