// clamp: the commonest activation of quantised networks too, so narrow integers have loops of their
// own.
#include <cmath>

#include "runtime/core/resize.h"
#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// A bound that is NaN makes everything NaN. Where the bounds cross, the upper one wins.
template <typename T>
T raise(T x, T low) {
  return x < low || low != low ? low : x;
}
template <typename T>
T lower(T x, T high) {
  return x > high || high != high ? high : x;
}

template <typename T>
struct Clamp {
  T low, high;
  explicit Clamp(const T* numbers) : low(numbers[0]), high(numbers[1]) {}
  T operator()(T x) const { return lower(raise(x, low), high); }
};
template <typename T>
struct ClampToTensors : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x, T low, T high) const { return lower(raise(x, low), high); }
};
template <typename T>
struct Raise : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x, T low) const { return raise(x, low); }
};
template <typename T>
struct Lower : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x, T high) const { return lower(x, high); }
};

constexpr ElementOperator kClamp = unary_operator<Clamp>();
constexpr ElementOperator kClampToTensors = ternary_operator<ClampToTensors>();
constexpr ElementOperator kRaise = binary_operator<Raise>();
constexpr ElementOperator kLower = binary_operator<Lower>();

// Bounds outside T's range bound nothing.
template <typename T>
T as_bound(const Number& number) {
  constexpr int64_t kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  const int64_t bound = number.integer;
  return static_cast<T>(bound < kLow ? kLow : bound > kHigh ? kHigh : bound);
}

// A Double that is a whole number, or beyond all integers, bounds integers as an Int does.
Status make_whole(Number* bound) {
  if (bound->dtype != ScalarType::kDouble) return Status::kOk;
  const double limit = 9223372036854775808.0;
  KERNEL_REQUIRE(bound->number == std::trunc(bound->number), kBadArguments);
  bound->integer = bound->number >= limit   ? INT64_MAX
                   : bound->number < -limit ? INT64_MIN
                                            : static_cast<int64_t>(bound->number);
  bound->dtype = ScalarType::kLong;
  return Status::kOk;
}

template <typename T>
Status clamp_integers(const Tensor& in, const Tensor& out, const Number (&bounds)[2]) {
  const T low = as_bound<T>(bounds[0]), high = as_bound<T>(bounds[1]);
  apply_unary<T, T>(in, out, [=](T value) { return lower(raise(value, low), high); });
  return Status::kOk;
}

}  // namespace

Status run_clamp(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(3);
  Promotion promotion;
  promotion.add(in);
  Number bounds[2];
  for (uint32_t k = 0; k < 2; ++k) {
    if (args.is_none(1 + k)) continue;
    bounds[k] = read_number(args.value(1 + k));
    if (!is_floating(in.dtype) && !is_floating(out.dtype)) KERNEL_TRY(make_whole(&bounds[k]));
    promotion.add_number(bounds[k].dtype);
  }
  const ScalarType common = promotion.result();
  for (uint32_t k = 0; k < 2; ++k) {
    if (!args.is_none(1 + k)) continue;
    bounds[k].dtype = is_floating(common) ? ScalarType::kDouble : ScalarType::kLong;
    bounds[k].number = static_cast<double>(k == 0 ? -INFINITY : INFINITY);
    bounds[k].integer = k == 0 ? INT64_MIN : INT64_MAX;
  }
  if (common == in.dtype && common == out.dtype) {
    KERNEL_TRY(resize(out, in.sizes, in.rank));
    if (common == ScalarType::kChar) return clamp_integers<int8_t>(in, out, bounds);
    if (common == ScalarType::kShort) return clamp_integers<int16_t>(in, out, bounds);
    if (common == ScalarType::kInt) return clamp_integers<int32_t>(in, out, bounds);
  }
  Operands inputs;
  inputs.add(in);
  return run_elements(kClamp, common, inputs, out, bounds, 2);
}

// (self, min or none, max or none, out), tensors that are broadcast.
Status run_clamp_tensor(KernelContext&, const Args& args) {
  const Tensor* low = args.optional_tensor(1);
  const Tensor* high = args.optional_tensor(2);
  KERNEL_REQUIRE(low != nullptr || high != nullptr, kBadArguments);
  Operands inputs;
  inputs.add(args.tensor(0));
  if (low != nullptr) inputs.add(*low);
  if (high != nullptr) inputs.add(*high);
  const ElementOperator& op = low == nullptr ? kLower : high == nullptr ? kRaise : kClampToTensors;
  return run_elements(op, inputs.promoted(), inputs, args.tensor(3));
}

}  // namespace berth::runtime
