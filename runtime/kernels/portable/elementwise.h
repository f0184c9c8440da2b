// Operators that compute one element of the output from one of each input, for all dtypes: an
// operator is a loop per type of Compute, written as a class template; the walk over memory,
// broadcasting, promotion and conversion are one function that all share.
#pragma once

#include <type_traits>

#include "runtime/core/kernel.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/portable/element_blocks.h"
#include "runtime/kernels/portable/type_promotion.h"

// The next loop's passes do not depend on each other: an output is the very bytes of an input, or
// none of them.
#if defined(__clang__)
#define BERTH_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define BERTH_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace berth::runtime {

constexpr int kMaxInputs = 3;
constexpr int kMaxNumbers = 4;

// `count` elements: input j's i-th is at inputs[j][i * steps[j]], steps are 0 or 1; out is dense.
// Inputs, out (bytes of 0 and 1 for predicates) and numbers are of the loop's own type.
using ElementLoop = void (*)(const void* const* inputs, const size_t* steps, void* out,
                             size_t count, const void* numbers);

struct ElementOperator {
  ElementLoop loops[3];  // by Compute; null: not for such dtypes
  bool is_predicate;     // the result is bool
};

// A number among the arguments: an Int stays exact.
struct Number {
  double number = 0;
  int64_t integer = 0;
  ScalarType dtype = ScalarType::kDouble;  // kLong, kDouble or kBool
};
Number read_number(const EValue& value);  // REQUIRES: Int, Double or Bool

// The tensors and numbers that an operator computes with.
class Operands {
 public:
  Operands& add(const Tensor& tensor) {
    tensors_[count_++] = &tensor;
    promotion_.add(tensor);
    return *this;
  }
  // The value counts as a number in promotion.
  Operands& add(const EValue& number);

  int count() const { return count_; }
  const Tensor& operator[](int i) const { return *tensors_[i]; }
  ScalarType promoted() const { return promotion_.result(); }
  bool have_arithmetic() const;

 private:
  const Tensor* tensors_[kMaxInputs];
  Tensor numbers_[kMaxInputs];
  Number values_[kMaxInputs];
  Promotion promotion_;
  int count_ = 0;
};

// out = op(inputs), computed in `common`, with NumPy's broadcasting; out is resized. Right in place
// for an input that is not repeated. numbers: as many as the operator takes.
Status run_elements(const ElementOperator& op, ScalarType common, const Operands& inputs,
                    Tensor& out, const Number* numbers = nullptr, int number_count = 0);

// The commonest call by far, without the preparations of the others: float32 tensors of one shape
// and one order, the output's too, and at most one number. False where it is no such call, and
// nothing done. For operators on one tensor b is a. REQUIRES: op is no predicate.
bool run_dense_floats(const ElementOperator& op, const Tensor& a, const Tensor& b,
                      const Tensor& out, float number = 0);

// The commonest calls. Computed in the promoted dtype; float operators (float_only) take integers
// as float32.
Status run_unary(const ElementOperator& op, const Args& args, bool float_only = false);
Status run_binary(const ElementOperator& op, const Args& args, bool float_only = false);
// (tensor, number, out)
Status run_tensor_number(const ElementOperator& op, const Args& args, bool float_only = false);

// The dtype for operators that answer with floats.
constexpr ScalarType as_floating(ScalarType dtype) {
  return is_floating(dtype) ? dtype : ScalarType::kFloat;
}

// --- Loops ------------------------------------------------------------------------------------
//
// Op<T> is made from the numbers, const T*, and called with elements.

template <typename T, typename Result, template <typename> class Op>
void unary_loop(const void* const* inputs, const size_t*, void* out, size_t count,
                const void* numbers) {
  const Op<T> op(static_cast<const T*>(numbers));
  const T* a = static_cast<const T*>(inputs[0]);
  Result* to = static_cast<Result*>(out);
  BERTH_INDEPENDENT
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<Result>(op(a[i]));
}

template <typename T, typename Result, template <typename> class Op>
void binary_loop(const void* const* inputs, const size_t* steps, void* out, size_t count,
                 const void* numbers) {
  const Op<T> op(static_cast<const T*>(numbers));
  const T* a = static_cast<const T*>(inputs[0]);
  const T* b = static_cast<const T*>(inputs[1]);
  Result* to = static_cast<Result*>(out);
  if (steps[0] == steps[1]) {  // both 1: where both are repeated count is 1
    BERTH_INDEPENDENT
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<Result>(op(a[i], b[i]));
  } else if (steps[0] != 0) {
    const T repeated = *b;
    BERTH_INDEPENDENT
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<Result>(op(a[i], repeated));
  } else {
    const T repeated = *a;
    BERTH_INDEPENDENT
    for (size_t i = 0; i < count; ++i) to[i] = static_cast<Result>(op(repeated, b[i]));
  }
}

template <typename T, typename Result, template <typename> class Op>
void ternary_loop(const void* const* inputs, const size_t* steps, void* out, size_t count,
                  const void* numbers) {
  const Op<T> op(static_cast<const T*>(numbers));
  const T* a = static_cast<const T*>(inputs[0]);
  const T* b = static_cast<const T*>(inputs[1]);
  const T* c = static_cast<const T*>(inputs[2]);
  Result* to = static_cast<Result*>(out);
  BERTH_INDEPENDENT
  for (size_t i = 0; i < count; ++i) {
    to[i] = static_cast<Result>(op(a[i * steps[0]], b[i * steps[1]], c[i * steps[2]]));
  }
}

template <template <typename> class Op>
constexpr ElementOperator unary_operator() {
  return {{unary_loop<float, float, Op>, unary_loop<double, double, Op>,
           unary_loop<int64_t, int64_t, Op>},
          false};
}
template <template <typename> class Op>
constexpr ElementOperator unary_float_operator() {
  return {{unary_loop<float, float, Op>, unary_loop<double, double, Op>, nullptr}, false};
}
template <template <typename> class Op>
constexpr ElementOperator unary_predicate() {
  return {{unary_loop<float, uint8_t, Op>, unary_loop<double, uint8_t, Op>,
           unary_loop<int64_t, uint8_t, Op>},
          true};
}
template <template <typename> class Op>
constexpr ElementOperator binary_operator() {
  return {{binary_loop<float, float, Op>, binary_loop<double, double, Op>,
           binary_loop<int64_t, int64_t, Op>},
          false};
}
template <template <typename> class Op>
constexpr ElementOperator binary_float_operator() {
  return {{binary_loop<float, float, Op>, binary_loop<double, double, Op>, nullptr}, false};
}
template <template <typename> class Op>
constexpr ElementOperator binary_integer_operator() {
  return {{nullptr, nullptr, binary_loop<int64_t, int64_t, Op>}, false};
}
template <template <typename> class Op>
constexpr ElementOperator binary_predicate() {
  return {{binary_loop<float, uint8_t, Op>, binary_loop<double, uint8_t, Op>,
           binary_loop<int64_t, uint8_t, Op>},
          true};
}
template <template <typename> class Op>
constexpr ElementOperator ternary_operator() {
  return {{ternary_loop<float, float, Op>, ternary_loop<double, double, Op>,
           ternary_loop<int64_t, int64_t, Op>},
          false};
}

// An Op without numbers.
template <typename T>
struct PlainOp {
  explicit PlainOp(const T*) {}
};

// Integers wrap, as they do when they are narrower than int64.
template <typename T>
constexpr T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}
template <typename T>
constexpr T minus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  } else {
    return a - b;
  }
}
template <typename T>
constexpr T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

}  // namespace berth::runtime
