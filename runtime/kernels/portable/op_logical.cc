// Logic on tensors of any dtype, where what is not 0 is true; logic on the bits of integers and
// bools; shifts.
#include "runtime/kernels/portable/comparison_kernels.h"
#include "runtime/kernels/portable/elementwise.h"

namespace berth::runtime {
namespace {

template <typename T>
struct LogicalAnd : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return (a != 0) & (b != 0); }
};
template <typename T>
struct LogicalOr : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return (a != 0) | (b != 0); }
};
template <typename T>
struct LogicalXor : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a, T b) const { return (a != 0) != (b != 0); }
};
template <typename T>
struct LogicalNot : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T a) const { return a == 0; }
};
template <typename T>
struct BitwiseAnd : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct BitwiseOr : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct BitwiseXor : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a ^ b; }
};
template <typename T>
struct BitwiseNot : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a) const { return ~a; }
};
// Shifts by the width or more leave what one more bit at a time would; negative ones count as such.
template <typename T>
struct LeftShift : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const {
    return b < 0 || b > 63 ? 0 : static_cast<T>(static_cast<uint64_t>(a) << b);
  }
};
template <typename T>
struct RightShift : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T a, T b) const { return a >> (b < 0 || b > 63 ? 63 : b); }
};

constexpr ElementOperator kLogicalAnd = binary_predicate<LogicalAnd>();
constexpr ElementOperator kLogicalOr = binary_predicate<LogicalOr>();
constexpr ElementOperator kLogicalXor = binary_predicate<LogicalXor>();
constexpr ElementOperator kLogicalNot = unary_predicate<LogicalNot>();
constexpr ElementOperator kBitwiseAnd = binary_integer_operator<BitwiseAnd>();
constexpr ElementOperator kBitwiseOr = binary_integer_operator<BitwiseOr>();
constexpr ElementOperator kBitwiseXor = binary_integer_operator<BitwiseXor>();
constexpr ElementOperator kBitwiseNot = {
    {nullptr, nullptr, unary_loop<int64_t, int64_t, BitwiseNot>}, false};
constexpr ElementOperator kLeftShift = binary_integer_operator<LeftShift>();
constexpr ElementOperator kRightShift = binary_integer_operator<RightShift>();

}  // namespace

Status run_logical_and(KernelContext&, const Args& args) { return run_binary(kLogicalAnd, args); }
Status run_logical_or(KernelContext&, const Args& args) { return run_binary(kLogicalOr, args); }
Status run_logical_xor(KernelContext&, const Args& args) { return run_binary(kLogicalXor, args); }
Status run_logical_not(KernelContext&, const Args& args) { return run_unary(kLogicalNot, args); }

Status run_bitwise_and(KernelContext&, const Args& args) { return run_binary(kBitwiseAnd, args); }
Status run_bitwise_or(KernelContext&, const Args& args) { return run_binary(kBitwiseOr, args); }
Status run_bitwise_xor(KernelContext&, const Args& args) { return run_binary(kBitwiseXor, args); }
Status run_left_shift(KernelContext&, const Args& args) { return run_binary(kLeftShift, args); }
Status run_right_shift(KernelContext&, const Args& args) { return run_binary(kRightShift, args); }

Status run_bitwise_and_scalar(KernelContext&, const Args& args) {
  return run_tensor_number(kBitwiseAnd, args);
}
Status run_bitwise_or_scalar(KernelContext&, const Args& args) {
  return run_tensor_number(kBitwiseOr, args);
}
Status run_bitwise_xor_scalar(KernelContext&, const Args& args) {
  return run_tensor_number(kBitwiseXor, args);
}
Status run_left_shift_scalar(KernelContext&, const Args& args) {
  return run_tensor_number(kLeftShift, args);
}
Status run_right_shift_scalar(KernelContext&, const Args& args) {
  return run_tensor_number(kRightShift, args);
}

// Of a bool: its contrary.
Status run_bitwise_not(KernelContext&, const Args& args) {
  const bool is_bool = has_dtype(args.tensor(0), ScalarType::kBool);
  return run_unary(is_bool ? kLogicalNot : kBitwiseNot, args);
}

}  // namespace berth::runtime
