#include <cmath>

#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

// By repeated squaring; what is not whole rounds towards zero.
int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    return base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
  }
  int64_t power = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power = times(power, base);
    base = times(base, base);
  }
  return power;
}

template <typename T>
struct Pow : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T base, T exponent) const {
    if constexpr (std::is_integral_v<T>) {
      return integer_power(base, exponent);
    } else {
      return exponent == 2 ? base * base : std::pow(base, exponent);
    }
  }
};
constexpr ElementOperator kPow = binary_operator<Pow>();

}  // namespace

Status run_pow(KernelContext&, const Args& args) { return run_binary(kPow, args); }
Status run_pow_tensor_scalar(KernelContext&, const Args& args) {
  return run_tensor_number(kPow, args);
}
Status run_pow_scalar(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.value(0)).add(args.tensor(1));
  return run_elements(kPow, inputs.promoted(), inputs, args.tensor(2));
}

}  // namespace berth::runtime
