// Division: true, towards zero ("trunc"), and down ("floor"). Integers divided truly give floats;
// dividing integers by 0 is refused, before anything is written.
#include <cmath>
#include <cstring>

#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/integer_division.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Div : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a / b; }
};

template <typename T>
struct TruncDiv : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return truncated_quotient(a, b);
    } else {
      return std::trunc(a / b);
    }
  }
};

// The quotient's floor, found from the remainder so that it is right where a / b rounds up to the
// next whole number.
template <typename T>
T floor_of_quotient(T a, T b) {
  if (b == 0) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, a / b);
  const T whole = std::floor(quotient);
  return quotient - whole > T{0.5} ? whole + 1 : whole;
}

template <typename T>
struct FloorDiv : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return floored_quotient(a, b);
    } else {
      return floor_of_quotient(a, b);
    }
  }
};

// self + value * first / second.
template <typename T>
struct AddQuotient {
  T value;
  explicit AddQuotient(const T* numbers) : value(numbers[0]) {}
  T operator()(T self, T first, T second) const { return self + value * first / second; }
};

constexpr ElementOperator kDiv = binary_float_operator<Div>();
constexpr ElementOperator kTruncDiv = binary_operator<TruncDiv>();
constexpr ElementOperator kFloorDiv = binary_operator<FloorDiv>();
constexpr ElementOperator kAddQuotient = {
    {ternary_loop<float, float, AddQuotient>, ternary_loop<double, double, AddQuotient>, nullptr},
    false};

Status divide_whole(const ElementOperator& op, const Operands& inputs, Tensor& out) {
  const ScalarType common = inputs.promoted();
  KERNEL_REQUIRE(inputs.have_arithmetic() && common != ScalarType::kBool, kBadArguments);
  KERNEL_REQUIRE(is_floating(common) || !holds_zero(inputs[1]), kBadArguments);
  return run_elements(op, common, inputs, out);
}

// The mode is a string or none.
Status divide_in_mode(const EValue& mode, const Operands& inputs, Tensor& out) {
  if (mode.tag == Tag::kNone) {
    return run_elements(kDiv, as_floating(inputs.promoted()), inputs, out);
  }
  if (strcmp(mode.string, "floor") == 0) return divide_whole(kFloorDiv, inputs, out);
  if (strcmp(mode.string, "trunc") == 0) return divide_whole(kTruncDiv, inputs, out);
  return Status::kBadArguments;
}

}  // namespace

Status run_div(KernelContext&, const Args& args) { return run_binary(kDiv, args, true); }
Status run_div_scalar(KernelContext&, const Args& args) {
  return run_tensor_number(kDiv, args, true);
}

Status run_div_mode(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.tensor(1));
  return divide_in_mode(args.value(2), inputs, args.tensor(3));
}
Status run_div_scalar_mode(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.value(1));
  return divide_in_mode(args.value(2), inputs, args.tensor(3));
}

Status run_floor_divide(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.tensor(1));
  return divide_whole(kFloorDiv, inputs, args.tensor(2));
}

Status run_addcdiv(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.tensor(1)).add(args.tensor(2));
  const Number value = read_number(args.value(3));
  return run_elements(kAddQuotient, inputs.promoted(), inputs, args.tensor(4), &value, 1);
}

}  // namespace berth::runtime
