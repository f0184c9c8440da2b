// add, sub, rsub: self + alpha * other and the like. An alpha of 1 costs nothing that memory does
// not cost anyway, so there is no loop without it.
#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct ScaledOp {
  T alpha;
  explicit ScaledOp(const T* numbers) : alpha(numbers[0]) {}
};
template <typename T>
struct Add : ScaledOp<T> {
  using ScaledOp<T>::ScaledOp;
  T operator()(T a, T b) const { return plus(a, times(this->alpha, b)); }
};
template <typename T>
struct Sub : ScaledOp<T> {
  using ScaledOp<T>::ScaledOp;
  T operator()(T a, T b) const { return minus(a, times(this->alpha, b)); }
};
template <typename T>
struct ReverseSub : ScaledOp<T> {
  using ScaledOp<T>::ScaledOp;
  T operator()(T a, T b) const { return minus(b, times(this->alpha, a)); }
};

constexpr ElementOperator kAdd = binary_operator<Add>();
constexpr ElementOperator kSub = binary_operator<Sub>();
constexpr ElementOperator kReverseSub = binary_operator<ReverseSub>();

// (self, other, alpha, out)
Status run_sum(const ElementOperator& op, const Args& args) {
  const bool has_tensor = args.value(1).tag == Tag::kTensor;
  if (has_tensor && run_dense_floats(op, args.tensor(0), args.tensor(1), args.tensor(3),
                                     static_cast<float>(args.number(2)))) {
    return Status::kOk;
  }
  Operands inputs;
  inputs.add(args.tensor(0));
  if (has_tensor) {
    inputs.add(args.tensor(1));
  } else {
    inputs.add(args.value(1));
  }
  const ScalarType common = inputs.promoted();
  const Number alpha = read_number(args.value(2));
  // An alpha that integers cannot have.
  KERNEL_REQUIRE(is_floating(common) || alpha.dtype != ScalarType::kDouble, kBadArguments);
  return run_elements(op, common, inputs, args.tensor(3), &alpha, 1);
}

}  // namespace

Status run_add(KernelContext&, const Args& args) { return run_sum(kAdd, args); }
Status run_sub(KernelContext&, const Args& args) { return run_sum(kSub, args); }
Status run_rsub(KernelContext&, const Args& args) { return run_sum(kReverseSub, args); }

}  // namespace berth::runtime
