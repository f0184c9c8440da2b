// Operators that combine the elements of dims: for all dtypes, any of them in any dim order.
//
// Two ways through memory. Where a combined dim is the innermost one, each output is a few dense
// runs. Where it is not, neighbouring outputs are computed together, row by row, so that memory is
// read in its own order.
#pragma once

#include "runtime/core/kernel.h"
#include "runtime/kernels/portable/element_blocks.h"
#include "runtime/kernels/portable/tensor_dims.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

// A set of dims: bit d stands for dim d.
using DimSet = uint32_t;

constexpr bool holds(DimSet dims, int dim) { return (dims >> dim & 1u) != 0; }

// Dims from a list; none or an empty list is all of them. A dim named twice is refused.
Status read_dim_set(const Args& args, uint32_t index, int rank, DimSet* dims);
// From an int; none is all of them.
Status read_one_dim(const Args& args, uint32_t index, int rank, DimSet* dims);

// The order in which combined elements are met: that of memory, or that of the input's dims.
enum class WalkOrder : uint8_t { kMemory, kDims };

// Where the elements of a reduction lie.
class ReductionWalk {
 public:
  // Resizes out: dims of the set become 1, or are left out. kBadShape where out cannot take that.
  // `in` and out may be one tensor as far as shapes go.
  Status open(const Tensor& in, DimSet dims, bool keepdim, Tensor& out,
              WalkOrder order = WalkOrder::kMemory);

  size_t outputs() const { return outputs_; }
  size_t combined() const { return combined_; }  // elements per output

  // visit(out offset, in offset) per output, in the order of the output's memory.
  template <typename Visit>
  void for_each_output(const Visit& visit) const {
    kept_.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
      for (size_t i = 0; i < count; ++i) visit(offset[0] + i * step[0], offset[1] + i * step[1]);
    });
  }
  // visit(in offset, count, step) per run of the elements that belong to the output at in offset
  // `base`. REQUIRES: combined() > 0.
  template <typename Visit>
  void for_each_run(size_t base, const Visit& visit) const {
    reduced_.for_each_run([&](const size_t(&offset)[1], size_t count, const size_t(&step)[1]) {
      visit(base + offset[0], count, count == 1 ? 1 : step[0]);
    });
  }
  const LoopNest<2>& kept() const { return kept_; }  // out's steps, then in's
  // Whether the innermost of the combined dims lies densely in memory.
  bool runs_are_dense() const;

 private:
  LoopNest<2> kept_;
  LoopNest<1> reduced_;
  size_t outputs_ = 0;
  size_t combined_ = 1;
};

// A running result per output, in one of the types of Compute. `numbers`: what the operator is made
// from, of that type.
struct ReductionLoops {
  // *result, or result[i], as it is before the first element.
  void (*start)(const void* numbers, void* result, size_t count);
  // *result takes in `count` dense elements.
  void (*run)(const void* numbers, void* result, const void* elements, size_t count);
  // result[i] takes in elements[i].
  void (*row)(const void* numbers, void* result, const void* elements, size_t count);
  // result[i] becomes the answer; each has taken in `combined` elements.
  void (*finish)(const void* numbers, void* result, size_t count, size_t combined);
};

struct ReductionOperator {
  ReductionLoops loops[3];  // by Compute; null members: not for such dtypes
  bool takes_nothing;       // whether an answer exists where no element is combined
};

// out = op over the dims, computed in `common`. `number`: given to the operator.
Status run_reduction(const ReductionOperator& op, ScalarType common, const Tensor& in, DimSet dims,
                     bool keepdim, Tensor& out, double number = 0);

// --- Loops ------------------------------------------------------------------------------------
//
// Op<T> is made from a const T* and has start(), add(result, element), merge(result, result) and
// finish(result, elements combined).

constexpr size_t kLanes = 8;

template <typename T, template <typename> class Op>
void start_results(const void* numbers, void* result, size_t count) {
  const Op<T> op(static_cast<const T*>(numbers));
  for (size_t i = 0; i < count; ++i) static_cast<T*>(result)[i] = op.start();
}

template <typename T, template <typename> class Op>
void reduce_run(const void* numbers, void* result, const void* elements, size_t count) {
  const Op<T> op(static_cast<const T*>(numbers));
  const T* from = static_cast<const T*>(elements);
  T total = *static_cast<T*>(result);
  size_t i = 0;
  if (count >= kLanes) {
    // Results side by side: vector code, and sums that lose less.
    T lanes[kLanes];
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = op.start();
    for (; i + kLanes <= count; i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = op.add(lanes[lane], from[i + lane]);
      }
    }
    for (size_t width = kLanes / 2; width > 0; width /= 2) {
      for (size_t lane = 0; lane < width; ++lane) {
        lanes[lane] = op.merge(lanes[lane], lanes[lane + width]);
      }
    }
    total = op.merge(total, lanes[0]);
  }
  for (; i < count; ++i) total = op.add(total, from[i]);
  *static_cast<T*>(result) = total;
}

template <typename T, template <typename> class Op>
void reduce_row(const void* numbers, void* result, const void* elements, size_t count) {
  const Op<T> op(static_cast<const T*>(numbers));
  const T* from = static_cast<const T*>(elements);
  T* to = static_cast<T*>(result);
  for (size_t i = 0; i < count; ++i) to[i] = op.add(to[i], from[i]);
}

template <typename T, template <typename> class Op>
void finish_results(const void* numbers, void* result, size_t count, size_t combined) {
  const Op<T> op(static_cast<const T*>(numbers));
  T* to = static_cast<T*>(result);
  for (size_t i = 0; i < count; ++i) to[i] = op.finish(to[i], combined);
}

template <typename T, template <typename> class Op>
constexpr ReductionLoops reduction_loops() {
  return {start_results<T, Op>, reduce_run<T, Op>, reduce_row<T, Op>, finish_results<T, Op>};
}
template <template <typename> class Op>
constexpr ReductionOperator reduction_operator(bool takes_nothing) {
  return {
      {reduction_loops<float, Op>(), reduction_loops<double, Op>(), reduction_loops<int64_t, Op>()},
      takes_nothing};
}
template <template <typename> class Op>
constexpr ReductionOperator float_reduction_operator(bool takes_nothing) {
  return {{reduction_loops<float, Op>(), reduction_loops<double, Op>(), {}}, takes_nothing};
}

// An Op without number, whose running result is the answer.
template <typename T>
struct PlainReduction {
  explicit PlainReduction(const T*) {}
  T finish(T result, size_t) const { return result; }
};

}  // namespace berth::runtime
