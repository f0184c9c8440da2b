// The greatest and least elements of dims, and where they are. NaN is greater and less than all
// else; of equal elements the first counts.
#include <cmath>
#include <limits>

#include "runtime/kernels/portable/reduction.h"
#include "runtime/kernels/portable/reduction_kernels.h"

namespace berth::runtime {
namespace {

template <typename T>
constexpr T least() {
  return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::lowest();
}
template <typename T>
constexpr T greatest() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::max();
}

template <typename T>
struct Greatest : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return least<T>(); }
  T add(T result, T element) const {
    return element > result || element != element ? element : result;
  }
  T merge(T a, T b) const { return add(a, b); }
};
template <typename T>
struct Least : PlainReduction<T> {
  using PlainReduction<T>::PlainReduction;
  T start() const { return greatest<T>(); }
  T add(T result, T element) const {
    return element < result || element != element ? element : result;
  }
  T merge(T a, T b) const { return add(a, b); }
};

constexpr ReductionOperator kGreatest = reduction_operator<Greatest>(false);
constexpr ReductionOperator kLeast = reduction_operator<Least>(false);

Status reduce(const ReductionOperator& op, const Tensor& in, DimSet dims, bool keepdim,
              Tensor& out) {
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  return run_reduction(op, in.dtype, in, dims, keepdim, out);
}

constexpr DimSet all_dims(const Tensor& tensor) { return (DimSet{1} << tensor.rank) - 1; }

// (self, dims, keepdim, out)
Status reduce_dims(const ReductionOperator& op, const Args& args) {
  DimSet dims = 0;
  KERNEL_TRY(read_dim_set(args, 1, args.tensor(0).rank, &dims));
  return reduce(op, args.tensor(0), dims, args.boolean(2), args.tensor(3));
}

// The best element so far, and its place among those combined.
template <typename T>
struct Best {
  T element;
  size_t place;
};

// Takes in `count` elements, the first of which is at `place`.
template <typename T>
void search(const T* elements, size_t count, size_t place, bool most, Best<T>* best) {
  for (size_t i = 0; i < count; ++i) {
    const T element = elements[i];
    if (best->element != best->element) return;  // the first NaN
    const bool better = most ? element > best->element : element < best->element;
    if (place + i == 0 || better || element != element) *best = {element, place + i};
  }
}

template <typename T>
void find_places(const ReductionWalk& walk, bool most, const Tensor& in, Compute compute,
                 const Tensor* values, const Tensor& places) {
  walk.for_each_output([&](size_t out_at, size_t in_at) {
    Best<T> best = {};
    size_t place = 0;
    walk.for_each_run(in_at, [&](size_t offset, size_t count, size_t step) {
      T block[kBlock];
      for (size_t begin = 0; begin < count; begin += kBlock) {
        const size_t length = count - begin < kBlock ? count - begin : kBlock;
        load_block(compute, in.dtype, in.data, offset + begin * step, step, length, block);
        search(block, length, place, most, &best);
        place += length;
      }
    });
    if (values != nullptr) {
      store_block(compute, values->dtype, &best.element, 1, values->data, out_at, 1);
    }
    places.as_mutable<int64_t>()[out_at] = static_cast<int64_t>(best.place);
  });
}

// values: null where only places are asked for.
Status search_dims(bool most, const Tensor& in, DimSet dims, bool keepdim, Tensor* values,
                   Tensor& places) {
  KERNEL_REQUIRE(has_arithmetic(in.dtype) && has_dtype(places, ScalarType::kLong), kBadArguments);
  KERNEL_REQUIRE(values == nullptr || values->dtype == in.dtype, kBadArguments);
  // Both outputs lie alike, so that one walk does.
  KERNEL_REQUIRE(values == nullptr || same_dim_order(*values, places), kBadArguments);
  ReductionWalk walk;
  if (values != nullptr) {
    ReductionWalk first;
    KERNEL_TRY(first.open(in, dims, keepdim, *values));
  }
  KERNEL_TRY(walk.open(in, dims, keepdim, places, WalkOrder::kDims));
  if (walk.outputs() == 0) return Status::kOk;
  KERNEL_REQUIRE(walk.combined() != 0, kBadShape);
  const Compute compute = compute_of(in.dtype);
  switch (compute) {
    case Compute::kFloat:
      find_places<float>(walk, most, in, compute, values, places);
      break;
    case Compute::kDouble:
      find_places<double>(walk, most, in, compute, values, places);
      break;
    case Compute::kInteger:
      find_places<int64_t>(walk, most, in, compute, values, places);
      break;
  }
  return Status::kOk;
}

// (self, dim or none, keepdim, places)
Status search_for_place(bool most, const Args& args) {
  DimSet dims = 0;
  const Tensor& in = args.tensor(0);
  KERNEL_TRY(read_one_dim(args, 1, in.rank, &dims));
  return search_dims(most, in, dims, args.boolean(2), nullptr, args.tensor(3));
}

// (self, dim, keepdim, values, places)
Status search_for_both(bool most, const Args& args) {
  DimSet dims = 0;
  const Tensor& in = args.tensor(0);
  KERNEL_TRY(read_one_dim(args, 1, in.rank, &dims));
  return search_dims(most, in, dims, args.boolean(2), &args.tensor(3), args.tensor(4));
}

}  // namespace

Status run_amax(KernelContext&, const Args& args) { return reduce_dims(kGreatest, args); }
Status run_amin(KernelContext&, const Args& args) { return reduce_dims(kLeast, args); }

// (self, dim or none, keepdim, min, max)
Status run_aminmax(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  DimSet dims = 0;
  KERNEL_TRY(read_one_dim(args, 1, in.rank, &dims));
  KERNEL_REQUIRE(&args.tensor(3) != &in && in.dtype == args.tensor(4).dtype, kBadArguments);
  {
    ReductionWalk walk;  // before the first answer is written
    KERNEL_TRY(walk.open(in, dims, args.boolean(2), args.tensor(4)));
  }
  KERNEL_TRY(reduce(kLeast, in, dims, args.boolean(2), args.tensor(3)));
  return reduce(kGreatest, in, dims, args.boolean(2), args.tensor(4));
}

Status run_max_all(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  return reduce(kGreatest, in, all_dims(in), false, args.tensor(1));
}
Status run_min_all(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  return reduce(kLeast, in, all_dims(in), false, args.tensor(1));
}

Status run_max_dim(KernelContext&, const Args& args) { return search_for_both(true, args); }
Status run_min_dim(KernelContext&, const Args& args) { return search_for_both(false, args); }
Status run_argmax(KernelContext&, const Args& args) { return search_for_place(true, args); }
Status run_argmin(KernelContext&, const Args& args) { return search_for_place(false, args); }

}  // namespace berth::runtime
