// sum, mean, prod, any, all, norms: one pass over the elements.
#include <cmath>

#include "runtime/kernels/portable/elementwise.h"
#include "runtime/kernels/portable/reduction.h"
#include "runtime/kernels/portable/reduction_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
struct Sum : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return 0; }
  T add(T result, T element) const { return plus(result, element); }
  T merge(T a, T b) const { return plus(a, b); }
};
template <typename T>
struct Mean : Sum<T> {
  using Sum<T>::Sum;
  T finish(T result, size_t combined) const { return result / static_cast<T>(combined); }
};
template <typename T>
struct Product : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return 1; }
  T add(T result, T element) const { return times(result, element); }
  T merge(T a, T b) const { return times(a, b); }
};
template <typename T>
struct Any : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return 0; }
  T add(T result, T element) const { return result != 0 || element != 0 ? T{1} : T{0}; }
  T merge(T a, T b) const { return add(a, b); }
};
template <typename T>
struct All : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return 1; }
  T add(T result, T element) const { return result != 0 && element != 0 ? T{1} : T{0}; }
  T merge(T a, T b) const { return add(a, b); }
};

// The p-norm, and its limits.
template <typename T>
struct Norm : Sum<T> {
  T p;
  explicit Norm(const T* numbers) : Sum<T>(numbers), p(numbers[0]) {}
  T add(T result, T element) const { return result + std::pow(std::fabs(element), p); }
  T finish(T result, size_t) const { return std::pow(result, 1 / p); }
};
template <typename T>
struct EuclideanNorm : Sum<T> {
  using Sum<T>::Sum;
  T add(T result, T element) const { return result + element * element; }
  T finish(T result, size_t) const { return std::sqrt(result); }
};
template <typename T>
struct AbsoluteSum : Sum<T> {
  using Sum<T>::Sum;
  T add(T result, T element) const { return result + std::fabs(element); }
};
template <typename T>
struct CountNonzero : Sum<T> {
  using Sum<T>::Sum;
  T add(T result, T element) const { return result + (element != 0 ? T{1} : T{0}); }
};
template <typename T>
struct GreatestAbsolute : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return 0; }
  T add(T result, T element) const { return merge(result, std::fabs(element)); }
  T merge(T a, T b) const { return b > a || b != b ? b : a; }
};
template <typename T>
struct LeastAbsolute : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return static_cast<T>(INFINITY); }
  T add(T result, T element) const { return merge(result, std::fabs(element)); }
  T merge(T a, T b) const { return b < a || b != b ? b : a; }
};

constexpr ReductionOperator kSum = reduction_operator<Sum>(true);
constexpr ReductionOperator kMean = float_reduction_operator<Mean>(true);
constexpr ReductionOperator kProduct = reduction_operator<Product>(true);
constexpr ReductionOperator kAny = reduction_operator<Any>(true);
constexpr ReductionOperator kAllTrue = reduction_operator<All>(true);
constexpr ReductionOperator kNorm = float_reduction_operator<Norm>(true);
constexpr ReductionOperator kEuclideanNorm = float_reduction_operator<EuclideanNorm>(true);
constexpr ReductionOperator kAbsoluteSum = float_reduction_operator<AbsoluteSum>(true);
constexpr ReductionOperator kCountNonzero = float_reduction_operator<CountNonzero>(true);
constexpr ReductionOperator kGreatestAbsolute = float_reduction_operator<GreatestAbsolute>(true);
constexpr ReductionOperator kLeastAbsolute = float_reduction_operator<LeastAbsolute>(false);

constexpr DimSet all_dims(const Tensor& tensor) { return (DimSet{1} << tensor.rank) - 1; }

// A dtype argument (or none) must be the output's, which the operator computes in.
Status check_dtype(const Args& args, uint32_t index, const Tensor& out) {
  const bool fits_out = args.is_none(index) || args.integer(index) == static_cast<int>(out.dtype);
  return fits_out ? Status::kOk : Status::kBadArguments;
}

// (self, dims, keepdim, dtype, out), dims a list or an int.
Status reduce_dims(const ReductionOperator& op, const Args& args, bool one_dim = false) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(4);
  DimSet dims = 0;
  KERNEL_TRY(one_dim ? read_one_dim(args, 1, in.rank, &dims)
                     : read_dim_set(args, 1, in.rank, &dims));
  KERNEL_TRY(check_dtype(args, 3, out));
  return run_reduction(op, out.dtype, in, dims, args.boolean(2), out);
}

// (self, dtype, out)
Status reduce_all(const ReductionOperator& op, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_TRY(check_dtype(args, 1, out));
  return run_reduction(op, out.dtype, in, all_dims(in), false, out);
}

// Answers are bool, or 0 and 1; computed in the input's dtype.
Status reduce_truth(const ReductionOperator& op, const Args& args, DimSet dims, bool keepdim,
                    Tensor& out) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(has_dtype(out, ScalarType::kBool) || has_dtype(out, ScalarType::kByte),
                 kBadArguments);
  return run_reduction(op, in.dtype, in, dims, keepdim, out);
}

// (self, dim or dims, keepdim, out)
Status reduce_truth_of_dims(const ReductionOperator& op, const Args& args, bool one_dim) {
  DimSet dims = 0;
  KERNEL_TRY(one_dim ? read_one_dim(args, 1, args.tensor(0).rank, &dims)
                     : read_dim_set(args, 1, args.tensor(0).rank, &dims));
  return reduce_truth(op, args, dims, args.boolean(2), args.tensor(3));
}

Status reduce_norm(double p, const Tensor& in, DimSet dims, bool keepdim, Tensor& out) {
  KERNEL_REQUIRE(is_floating(out.dtype) && p == p, kBadArguments);
  const ReductionOperator& op = p == 2                                ? kEuclideanNorm
                                : p == 1                              ? kAbsoluteSum
                                : p == 0                              ? kCountNonzero
                                : p == static_cast<double>(INFINITY)  ? kGreatestAbsolute
                                : p == static_cast<double>(-INFINITY) ? kLeastAbsolute
                                                                      : kNorm;
  return run_reduction(op, out.dtype, in, dims, keepdim, out, p);
}

}  // namespace

Status run_sum(KernelContext&, const Args& args) { return reduce_dims(kSum, args); }
Status run_sum_all(KernelContext&, const Args& args) { return reduce_all(kSum, args); }
Status run_mean(KernelContext&, const Args& args) { return reduce_dims(kMean, args); }
Status run_mean_all(KernelContext&, const Args& args) { return reduce_all(kMean, args); }
Status run_prod(KernelContext&, const Args& args) { return reduce_dims(kProduct, args, true); }
Status run_prod_all(KernelContext&, const Args& args) { return reduce_all(kProduct, args); }

Status run_any(KernelContext&, const Args& args) { return reduce_truth_of_dims(kAny, args, true); }
Status run_any_dims(KernelContext&, const Args& args) {
  return reduce_truth_of_dims(kAny, args, false);
}
Status run_any_all(KernelContext&, const Args& args) {
  return reduce_truth(kAny, args, all_dims(args.tensor(0)), false, args.tensor(1));
}
Status run_all(KernelContext&, const Args& args) {
  return reduce_truth_of_dims(kAllTrue, args, true);
}
Status run_all_dims(KernelContext&, const Args& args) {
  return reduce_truth_of_dims(kAllTrue, args, false);
}
Status run_all_all(KernelContext&, const Args& args) {
  return reduce_truth(kAllTrue, args, all_dims(args.tensor(0)), false, args.tensor(1));
}

// (self, p or none, dims, keepdim, [dtype,] out)
Status run_norm(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  DimSet dims = 0;
  KERNEL_TRY(read_dim_set(args, 2, in.rank, &dims));
  const bool has_dtype_argument = args.count() > 6;
  if (has_dtype_argument) KERNEL_TRY(check_dtype(args, 4, args.tensor(5)));
  const double p = args.is_none(1) ? 2 : args.number(1);
  return reduce_norm(p, in, dims, args.boolean(3), args.tensor(has_dtype_argument ? 5 : 4));
}

// (self, ord, dims or none, keepdim, dtype or none, out)
Status run_linalg_vector_norm(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  DimSet dims = 0;
  KERNEL_TRY(read_dim_set(args, 2, in.rank, &dims));
  KERNEL_TRY(check_dtype(args, 4, args.tensor(5)));
  return reduce_norm(args.number(1), in, dims, args.boolean(3), args.tensor(5));
}

}  // namespace berth::runtime
