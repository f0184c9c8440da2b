// Whether a tensor's bytes may be touched: at load, and, where a move or a view points a value
// elsewhere, at the moment of the call.
#pragma once

#include "contract/status.h"
#include "runtime/core/tensor.h"

namespace berth::runtime {

// Constants, and inputs that lie with the caller, are read only.
inline bool is_writable(const Tensor& tensor) {
  return tensor.home == Home::kPool || tensor.home == Home::kCaller ||
         tensor.home == Home::kOutputView;
}

// kBadState for a tensor without bytes, or one that is to be written and may not be.
inline Status check_tensor(const Tensor& tensor, bool written) {
  if (tensor.data == nullptr && tensor.nbytes() != 0) return Status::kBadState;
  return written && !is_writable(tensor) ? Status::kBadState : Status::kOk;
}

}  // namespace berth::runtime
