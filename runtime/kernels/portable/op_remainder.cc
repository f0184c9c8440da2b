// What division leaves over: with the sign of the dividend (fmod) or of the divisor (remainder).
// An integer divisor of 0 is refused, before anything is written.
#include <cmath>

#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/integer_division.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Fmod : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return truncated_rest(a, b);
    } else {
      return std::fmod(a, b);
    }
  }
};

template <typename T>
struct Remainder : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return floored_rest(a, b);
    } else {
      const T rest = std::fmod(a, b);
      return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
    }
  }
};

constexpr ElementOperator kFmod = binary_operator<Fmod>();
constexpr ElementOperator kRemainder = binary_operator<Remainder>();

Status divide(const ElementOperator& op, const Operands& inputs, Tensor& out) {
  const ScalarType common = inputs.promoted();
  KERNEL_REQUIRE(inputs.have_arithmetic() && common != ScalarType::kBool, kBadArguments);
  KERNEL_REQUIRE(is_floating(common) || !holds_zero(inputs[1]), kBadArguments);
  return run_elements(op, common, inputs, out);
}

Status divide_tensors(const ElementOperator& op, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.tensor(1));
  return divide(op, inputs, args.tensor(2));
}

Status divide_by_number(const ElementOperator& op, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.value(1));
  return divide(op, inputs, args.tensor(2));
}

}  // namespace

Status run_fmod(KernelContext&, const Args& args) { return divide_tensors(kFmod, args); }
Status run_fmod_scalar(KernelContext&, const Args& args) { return divide_by_number(kFmod, args); }

Status run_remainder(KernelContext&, const Args& args) { return divide_tensors(kRemainder, args); }
Status run_remainder_scalar(KernelContext&, const Args& args) {
  return divide_by_number(kRemainder, args);
}
Status run_remainder_scalar_tensor(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.value(0)).add(args.tensor(1));
  return divide(kRemainder, inputs, args.tensor(2));
}

}  // namespace berth::runtime
