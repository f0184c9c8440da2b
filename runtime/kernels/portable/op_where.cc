// Choosing by a mask of bool (or uint8).
#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Where : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T condition, T yes, T no) const { return condition != 0 ? yes : no; }
};
constexpr ElementOperator kWhere = ternary_operator<Where>();

Status choose(const Tensor& condition, const Operands& chosen, ScalarType common,
              const Operands& inputs, Tensor& out) {
  KERNEL_REQUIRE(has_dtype(condition, ScalarType::kBool) || has_dtype(condition, ScalarType::kByte),
                 kBadArguments);
  KERNEL_REQUIRE(chosen.have_arithmetic(), kBadArguments);
  return run_elements(kWhere, common, inputs, out);
}

}  // namespace

// (condition, self, other, out)
Status run_where(KernelContext&, const Args& args) {
  Operands chosen, inputs;
  chosen.add(args.tensor(1)).add(args.tensor(2));
  inputs.add(args.tensor(0)).add(args.tensor(1)).add(args.tensor(2));
  return choose(args.tensor(0), chosen, chosen.promoted(), inputs, args.tensor(3));
}

// (self, mask, value, out): of self's dtype, whatever the value's.
Status run_masked_fill(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Operands chosen, inputs;
  chosen.add(self);
  inputs.add(args.tensor(1));
  if (args.value(2).tag == Tag::kTensor) {
    KERNEL_REQUIRE(args.tensor(2).rank == 0, kBadShape);
    inputs.add(args.tensor(2));
  } else {
    inputs.add(args.value(2));
  }
  inputs.add(self);
  return choose(args.tensor(1), chosen, self.dtype, inputs, args.tensor(3));
}

}  // namespace berth::runtime
