// Comparisons: of two tensors, or of a tensor and a number that is rounded to the tensor's kind
// first. With NaN only "not equal" is true.
#include "runtime/kernels/portable/comparison_kernels.h"
#include "runtime/kernels/portable/elementwise.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Eq : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return a == b; }
};
template <typename T>
struct Ne : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return a != b; }
};
template <typename T>
struct Lt : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return a < b; }
};
template <typename T>
struct Le : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return a <= b; }
};
template <typename T>
struct Gt : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return a > b; }
};
template <typename T>
struct Ge : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return a >= b; }
};

constexpr ElementOperator kEq = binary_predicate<Eq>();
constexpr ElementOperator kNe = binary_predicate<Ne>();
constexpr ElementOperator kLt = binary_predicate<Lt>();
constexpr ElementOperator kLe = binary_predicate<Le>();
constexpr ElementOperator kGt = binary_predicate<Gt>();
constexpr ElementOperator kGe = binary_predicate<Ge>();

}  // namespace

Status run_eq(KernelContext&, const Args& args) { return run_binary(kEq, args); }
Status run_ne(KernelContext&, const Args& args) { return run_binary(kNe, args); }
Status run_lt(KernelContext&, const Args& args) { return run_binary(kLt, args); }
Status run_le(KernelContext&, const Args& args) { return run_binary(kLe, args); }
Status run_gt(KernelContext&, const Args& args) { return run_binary(kGt, args); }
Status run_ge(KernelContext&, const Args& args) { return run_binary(kGe, args); }

Status run_eq_scalar(KernelContext&, const Args& args) { return run_tensor_number(kEq, args); }
Status run_ne_scalar(KernelContext&, const Args& args) { return run_tensor_number(kNe, args); }
Status run_lt_scalar(KernelContext&, const Args& args) { return run_tensor_number(kLt, args); }
Status run_le_scalar(KernelContext&, const Args& args) { return run_tensor_number(kLe, args); }
Status run_gt_scalar(KernelContext&, const Args& args) { return run_tensor_number(kGt, args); }
Status run_ge_scalar(KernelContext&, const Args& args) { return run_tensor_number(kGe, args); }

}  // namespace berth::runtime
