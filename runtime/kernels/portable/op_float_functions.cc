// Functions of one float. Integers count as float32.
#include <cmath>

#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/math_kernels.h"

namespace berth::runtime {
namespace {

// One function, in float and in double.
#define FLOAT_FUNCTION(Name, formula)           \
  template <typename T>                         \
  struct Name : PlainOp<T> {                    \
    using PlainOp<T>::PlainOp;                  \
    T operator()(T x) const { return formula; } \
  };

FLOAT_FUNCTION(Acos, std::acos(x))
FLOAT_FUNCTION(Acosh, std::acosh(x))
FLOAT_FUNCTION(Asin, std::asin(x))
FLOAT_FUNCTION(Asinh, std::asinh(x))
FLOAT_FUNCTION(Atan, std::atan(x))
FLOAT_FUNCTION(Atanh, std::atanh(x))
FLOAT_FUNCTION(Cos, std::cos(x))
FLOAT_FUNCTION(Cosh, std::cosh(x))
FLOAT_FUNCTION(Erf, std::erf(x))
FLOAT_FUNCTION(Exp, std::exp(x))
FLOAT_FUNCTION(Exp2, std::exp2(x))
FLOAT_FUNCTION(Expm1, std::expm1(x))
FLOAT_FUNCTION(Log, std::log(x))
FLOAT_FUNCTION(Log10, std::log10(x))
FLOAT_FUNCTION(Log1p, std::log1p(x))
FLOAT_FUNCTION(Log2, std::log2(x))
FLOAT_FUNCTION(Reciprocal, 1 / x)
FLOAT_FUNCTION(Rsqrt, 1 / std::sqrt(x))
FLOAT_FUNCTION(Sigmoid, 1 / (1 + std::exp(-x)))
FLOAT_FUNCTION(Sin, std::sin(x))
FLOAT_FUNCTION(Sinh, std::sinh(x))
FLOAT_FUNCTION(Sqrt, std::sqrt(x))
FLOAT_FUNCTION(Tan, std::tan(x))
FLOAT_FUNCTION(Tanh, std::tanh(x))

#undef FLOAT_FUNCTION

template <template <typename> class Op>
Status run_function(const Args& args) {
  static constexpr ElementOperator kOperator = unary_float_operator<Op>();
  return run_unary(kOperator, args, true);
}

}  // namespace

Status run_acos(KernelContext&, const Args& args) { return run_function<Acos>(args); }
Status run_acosh(KernelContext&, const Args& args) { return run_function<Acosh>(args); }
Status run_asin(KernelContext&, const Args& args) { return run_function<Asin>(args); }
Status run_asinh(KernelContext&, const Args& args) { return run_function<Asinh>(args); }
Status run_atan(KernelContext&, const Args& args) { return run_function<Atan>(args); }
Status run_atanh(KernelContext&, const Args& args) { return run_function<Atanh>(args); }
Status run_cos(KernelContext&, const Args& args) { return run_function<Cos>(args); }
Status run_cosh(KernelContext&, const Args& args) { return run_function<Cosh>(args); }
Status run_erf(KernelContext&, const Args& args) { return run_function<Erf>(args); }
Status run_exp(KernelContext&, const Args& args) { return run_function<Exp>(args); }
Status run_exp2(KernelContext&, const Args& args) { return run_function<Exp2>(args); }
Status run_expm1(KernelContext&, const Args& args) { return run_function<Expm1>(args); }
Status run_log(KernelContext&, const Args& args) { return run_function<Log>(args); }
Status run_log10(KernelContext&, const Args& args) { return run_function<Log10>(args); }
Status run_log1p(KernelContext&, const Args& args) { return run_function<Log1p>(args); }
Status run_log2(KernelContext&, const Args& args) { return run_function<Log2>(args); }
Status run_reciprocal(KernelContext&, const Args& args) { return run_function<Reciprocal>(args); }
Status run_rsqrt(KernelContext&, const Args& args) { return run_function<Rsqrt>(args); }
Status run_sigmoid(KernelContext&, const Args& args) { return run_function<Sigmoid>(args); }
Status run_sin(KernelContext&, const Args& args) { return run_function<Sin>(args); }
Status run_sinh(KernelContext&, const Args& args) { return run_function<Sinh>(args); }
Status run_sqrt(KernelContext&, const Args& args) { return run_function<Sqrt>(args); }
Status run_tan(KernelContext&, const Args& args) { return run_function<Tan>(args); }
Status run_tanh(KernelContext&, const Args& args) { return run_function<Tanh>(args); }

}  // namespace berth::runtime
