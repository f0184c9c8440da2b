// Minimum and maximum of two tensors, element by element, on the bytes as they are: both inputs and
// the output have one scale.
#pragma once

#include "runtime/kernels/strided.h"

namespace berth::runtime {

struct Smaller {
  template <typename T>
  static T pick(T a, T b) {
    return a < b ? a : b;
  }
};

struct Larger {
  template <typename T>
  static T pick(T a, T b) {
    return a > b ? a : b;
  }
};

// Arguments: self, other, out, all of T.
template <typename Rule, typename T>
Status run_extremes(const Args& args) {
  const Tensor& a = args.tensor(0);
  const Tensor& b = args.tensor(1);
  const Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(all_have_dtype(scalar_type_of<T>(), a, b, out), kBadArguments);
  if (out.numel() == 0) return Status::kOk;
  LoopNest<3> nest;
  KERNEL_TRY(broadcast(out, a, b, &nest));
  apply_elementwise(nest, a.as<T>(), b.as<T>(), out.as_mutable<T>(),
                    [](T x, T y) { return Rule::pick(x, y); });
  return Status::kOk;
}

}  // namespace berth::runtime
