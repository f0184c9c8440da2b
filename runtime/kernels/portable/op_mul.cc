#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Mul : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return times(a, b); }
};
constexpr ElementOperator kMul = binary_operator<Mul>();

// self + value * first * second.
template <typename T>
struct AddProduct {
  T value;
  explicit AddProduct(const T* numbers) : value(numbers[0]) {}
  T operator()(T self, T first, T second) const {
    return plus(self, times(times(value, first), second));
  }
};
constexpr ElementOperator kAddProduct = ternary_operator<AddProduct>();

}  // namespace

Status run_mul(KernelContext&, const Args& args) { return run_binary(kMul, args); }
Status run_mul_scalar(KernelContext&, const Args& args) { return run_tensor_number(kMul, args); }

Status run_addcmul(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0)).add(args.tensor(1)).add(args.tensor(2));
  const Number value = read_number(args.value(3));
  KERNEL_REQUIRE(is_floating(inputs.promoted()) || value.dtype != ScalarType::kDouble,
                 kBadArguments);
  return run_elements(kAddProduct, inputs.promoted(), inputs, args.tensor(4), &value, 1);
}

}  // namespace berth::runtime
