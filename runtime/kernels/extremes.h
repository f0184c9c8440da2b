// Minimum and maximum of two tensors, element by element, on the bytes as they are: both inputs and
// the output have one scale.
#pragma once

#include "runtime/kernels/cortex_m/int8_elements.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

struct Smaller {
  static constexpr bool kLarger = false;
  template <typename T>
  static T pick(T a, T b) {
    return a < b ? a : b;
  }
};

struct Larger {
  static constexpr bool kLarger = true;
  template <typename T>
  static T pick(T a, T b) {
    return a > b ? a : b;
  }
};

// On a Cortex-M. False where runs of the output are in pieces.
template <typename Rule>
bool pick_int8(const LoopNest<3>& nest, const int8_t* a, const int8_t* b, int8_t* out) {
  const auto step = [&](int operand) {
    return nest.rank == 0 ? size_t{1} : nest.steps[operand][nest.rank - 1];
  };
  if (step(0) > 1 || step(1) > 1 || step(2) > 1) return false;
  nest.for_each_run([&](const size_t(&offset)[3], size_t count, const size_t(&steps)[3]) {
    const int8_t *x = a + offset[1], *y = b + offset[2];
    if (steps[1] == 0) {
      pick_run<Rule::kLarger>(y, x, true, count, out + offset[0]);
    } else {
      pick_run<Rule::kLarger>(x, y, steps[2] == 0, count, out + offset[0]);
    }
  });
  return true;
}

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
  if constexpr (sizeof(T) == 1 && kBuildIsa != Isa::kHost) {
    if (pick_int8<Rule>(nest, a.as<T>(), b.as<T>(), out.as_mutable<T>())) return Status::kOk;
  }
  apply_elementwise(nest, a.as<T>(), b.as<T>(), out.as_mutable<T>(),
                    [](T x, T y) { return Rule::pick(x, y); });
  return Status::kOk;
}

}  // namespace berth::runtime
