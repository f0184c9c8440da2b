// maximum, minimum: NaN where either is; fmax, fmin: NaN where both are. Also atan2, the last of
// the operators on two tensors.
#include <cmath>

#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Maximum : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a > b || a != a ? a : b; }
};
template <typename T>
struct Minimum : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a < b || a != a ? a : b; }
};
template <typename T>
struct Fmax : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a > b || b != b ? a : b; }
};
template <typename T>
struct Fmin : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a < b || b != b ? a : b; }
};
template <typename T>
struct Atan2 : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return std::atan2(a, b); }
};

constexpr ElementOperator kMaximum = binary_operator<Maximum>();
constexpr ElementOperator kMinimum = binary_operator<Minimum>();
constexpr ElementOperator kFmax = binary_operator<Fmax>();
constexpr ElementOperator kFmin = binary_operator<Fmin>();
constexpr ElementOperator kAtan2 = binary_float_operator<Atan2>();

}  // namespace

Status run_aten_maximum(KernelContext&, const Args& args) { return run_binary(kMaximum, args); }
Status run_aten_minimum(KernelContext&, const Args& args) { return run_binary(kMinimum, args); }
Status run_fmax(KernelContext&, const Args& args) { return run_binary(kFmax, args); }
Status run_fmin(KernelContext&, const Args& args) { return run_binary(kFmin, args); }
Status run_atan2(KernelContext&, const Args& args) { return run_binary(kAtan2, args, true); }

}  // namespace berth::runtime
