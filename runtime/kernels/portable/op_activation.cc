// Activations. NaN stays NaN through all of them.
#include <cmath>
#include <cstring>

#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Relu : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const { return x <= 0 ? T{0} : x; }
};
template <typename T>
struct Hardtanh {
  T low, high;
  explicit Hardtanh(const T* numbers) : low(numbers[0]), high(numbers[1]) {}
  T operator()(T x) const {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
  }
};
template <typename T>
struct LeakyRelu {
  T slope;
  explicit LeakyRelu(const T* numbers) : slope(numbers[0]) {}
  T operator()(T x) const { return x > 0 ? x : x * slope; }
};
template <typename T>
struct Elu {
  T positive, negative, input_scale;
  explicit Elu(const T* numbers)
      : positive(numbers[1]), negative(numbers[0] * numbers[1]), input_scale(numbers[2]) {}
  T operator()(T x) const { return x <= 0 ? std::expm1(x * input_scale) * negative : x * positive; }
};
template <typename T>
struct Gelu : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    return x * T{0.5} * (1 + std::erf(x * static_cast<T>(0.70710678118654752440)));
  }
};
template <typename T>
struct TanhGelu : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const {
    constexpr T kScale = static_cast<T>(0.79788456080286535588);  // sqrt(2 / pi)
    return T{0.5} * x * (1 + std::tanh(kScale * (x + static_cast<T>(0.044715) * x * x * x)));
  }
};
template <typename T>
struct Silu : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const { return x / (1 + std::exp(-x)); }
};
template <typename T>
struct Mish : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const { return x * std::tanh(std::log1p(std::exp(x))); }
};
// x + 3, between 0 and 6.
template <typename T>
T six_step(T x) {
  const T raised = x + 3 < 0 ? T{0} : x + 3;
  return raised > 6 ? T{6} : raised;
}
template <typename T>
struct Hardsigmoid : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const { return six_step(x) / 6; }
};
template <typename T>
struct Hardswish : PlainOp<T> {
  using PlainOp<T>::PlainOp;
  T operator()(T x) const { return x * six_step(x) / 6; }
};
template <typename T>
struct Softplus {
  T beta, threshold;
  explicit Softplus(const T* numbers) : beta(numbers[0]), threshold(numbers[1]) {}
  T operator()(T x) const {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  }
};
template <typename T>
struct Threshold {
  T threshold, value;
  explicit Threshold(const T* numbers) : threshold(numbers[0]), value(numbers[1]) {}
  T operator()(T x) const { return x <= threshold ? value : x; }
};
template <typename T>
struct Logit {
  T low, high;
  explicit Logit(const T* numbers) : low(numbers[0]), high(1 - numbers[0]) {}
  T operator()(T x) const {
    const T raised = x < low ? low : x;
    const T inside = raised > high ? high : raised;
    return std::log(inside / (1 - inside));
  }
};

constexpr ElementOperator kRelu = unary_operator<Relu>();
constexpr ElementOperator kHardtanh = unary_operator<Hardtanh>();
constexpr ElementOperator kLeakyRelu = unary_float_operator<LeakyRelu>();
constexpr ElementOperator kElu = unary_float_operator<Elu>();
constexpr ElementOperator kGelu = unary_float_operator<Gelu>();
constexpr ElementOperator kTanhGelu = unary_float_operator<TanhGelu>();
constexpr ElementOperator kSilu = unary_float_operator<Silu>();
constexpr ElementOperator kMish = unary_float_operator<Mish>();
constexpr ElementOperator kHardsigmoid = unary_float_operator<Hardsigmoid>();
constexpr ElementOperator kHardswish = unary_float_operator<Hardswish>();
constexpr ElementOperator kSoftplus = unary_float_operator<Softplus>();
constexpr ElementOperator kThreshold = unary_operator<Threshold>();
constexpr ElementOperator kLogit = unary_float_operator<Logit>();

// (self, numbers..., out); computed in self's dtype.
Status run_with_numbers(const ElementOperator& op, const Args& args, uint32_t count) {
  Operands inputs;
  inputs.add(args.tensor(0));
  Number numbers[kMaxNumbers];
  for (uint32_t k = 0; k < count; ++k) numbers[k] = read_number(args.value(1 + k));
  return run_elements(op, inputs.promoted(), inputs, args.tensor(1 + count), numbers,
                      static_cast<int>(count));
}

}  // namespace

Status run_relu(KernelContext&, const Args& args) { return run_unary(kRelu, args); }
Status run_hardtanh(KernelContext&, const Args& args) {
  return run_with_numbers(kHardtanh, args, 2);
}
Status run_leaky_relu(KernelContext&, const Args& args) {
  return run_with_numbers(kLeakyRelu, args, 1);
}
Status run_elu(KernelContext&, const Args& args) { return run_with_numbers(kElu, args, 3); }
Status run_silu(KernelContext&, const Args& args) { return run_unary(kSilu, args); }
Status run_mish(KernelContext&, const Args& args) { return run_unary(kMish, args); }
Status run_hardsigmoid(KernelContext&, const Args& args) { return run_unary(kHardsigmoid, args); }
Status run_hardswish(KernelContext&, const Args& args) { return run_unary(kHardswish, args); }
Status run_softplus(KernelContext&, const Args& args) {
  return run_with_numbers(kSoftplus, args, 2);
}
Status run_threshold(KernelContext&, const Args& args) {
  return run_with_numbers(kThreshold, args, 2);
}

// (self, approximate, out)
Status run_gelu(KernelContext&, const Args& args) {
  const bool by_tanh = strcmp(args.text(1), "tanh") == 0;
  KERNEL_REQUIRE(by_tanh || strcmp(args.text(1), "none") == 0, kBadArguments);
  Operands inputs;
  inputs.add(args.tensor(0));
  return run_elements(by_tanh ? kTanhGelu : kGelu, inputs.promoted(), inputs, args.tensor(2));
}

// (self, eps or none, out)
Status run_logit(KernelContext&, const Args& args) {
  Operands inputs;
  inputs.add(args.tensor(0));
  Number eps;
  eps.number = -static_cast<double>(INFINITY);  // no bounds
  if (!args.is_none(1)) eps = read_number(args.value(1));
  return run_elements(kLogit, as_floating(inputs.promoted()), inputs, args.tensor(2), &eps, 1);
}

}  // namespace berth::runtime
