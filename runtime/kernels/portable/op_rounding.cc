// Signs and whole numbers: functions that integers answer as well, most of them with themselves.
#include <cmath>

#include "runtime/kernels/portable/comparison_kernels.h"
#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Abs : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? minus(T{0}, x) : x;
    } else {
      return std::fabs(x);
    }
  }
};
template <typename T>
struct Neg : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return minus(T{0}, x);
    } else {
      return -x;
    }
  }
};
template <typename T>
struct Sign : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const { return x != x ? x : static_cast<T>((x > 0) - (x < 0)); }
};
template <typename T>
struct Ceil : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::ceil(x);
    }
  }
};
template <typename T>
struct Floor : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::floor(x);
    }
  }
};
// Ties to even.
template <typename T>
struct Round : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::nearbyint(x);
    }
  }
};
template <typename T>
struct Trunc : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::trunc(x);
    }
  }
};
// The number is 10 to the number of decimals.
template <typename T>
struct RoundDecimals {
  T scale;
  bool divides;
  explicit RoundDecimals(const T* numbers) : scale(numbers[0]), divides(numbers[1] != 0) {}
  T operator()(T x) const {
    return divides ? std::nearbyint(x / scale) * scale : std::nearbyint(x * scale) / scale;
  }
};
template <typename T>
struct IsNan : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T x) const { return x != x; }
};
template <typename T>
struct IsInf : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      return false;
    } else {
      return std::isinf(x);
    }
  }
};

constexpr ElementOperator kAbs = unary_operator<Abs>();
constexpr ElementOperator kNeg = unary_operator<Neg>();
constexpr ElementOperator kSign = unary_operator<Sign>();
constexpr ElementOperator kCeil = unary_operator<Ceil>();
constexpr ElementOperator kFloor = unary_operator<Floor>();
constexpr ElementOperator kRound = unary_operator<Round>();
constexpr ElementOperator kTrunc = unary_operator<Trunc>();
constexpr ElementOperator kRoundDecimals = unary_float_operator<RoundDecimals>();
constexpr ElementOperator kIsNan = unary_predicate<IsNan>();
constexpr ElementOperator kIsInf = unary_predicate<IsInf>();

// Bools have no negative and are no whole numbers.
Status run_arithmetic(const ElementOperator& op, const Args& args) {
  KERNEL_REQUIRE(!has_dtype(args.tensor(0), ScalarType::kBool), kBadArguments);
  return run_unary(op, args);
}

}  // namespace

Status run_abs(KernelContext&, const Args& args) { return run_arithmetic(kAbs, args); }
Status run_neg(KernelContext&, const Args& args) { return run_arithmetic(kNeg, args); }
Status run_sign(KernelContext&, const Args& args) { return run_unary(kSign, args); }
Status run_ceil(KernelContext&, const Args& args) { return run_arithmetic(kCeil, args); }
Status run_floor(KernelContext&, const Args& args) { return run_arithmetic(kFloor, args); }
Status run_round(KernelContext&, const Args& args) { return run_arithmetic(kRound, args); }
Status run_trunc(KernelContext&, const Args& args) { return run_arithmetic(kTrunc, args); }
Status run_isnan(KernelContext&, const Args& args) { return run_unary(kIsNan, args); }
Status run_isinf(KernelContext&, const Args& args) { return run_unary(kIsInf, args); }

// (self, decimals, out)
Status run_round_decimals(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0));
  const int64_t decimals = args.integer(1);
  KERNEL_REQUIRE(is_floating(args.tensor(0).dtype), kBadArguments);
  KERNEL_REQUIRE(decimals >= -308 && decimals <= 308, kBadArguments);
  Number numbers[2];
  numbers[1].number = decimals < 0 ? 1 : 0;
  numbers[0].number = 1;
  for (int64_t i = decimals < 0 ? -decimals : decimals; i > 0; --i) numbers[0].number *= 10;
  return run_elements(kRoundDecimals, inputs.promoted(), inputs, args.tensor(2), numbers, 2);
}

}  // namespace berth::runtime
