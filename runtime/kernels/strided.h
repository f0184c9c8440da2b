// Walking tensors whose bytes lie in different orders: one walk for broadcasting element by
// element, one for copying. Both first merge dims that follow each other in memory, so that tensors
// of one layout become a single run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// A nest of loops, outermost first; the step of operand j along loop d is steps[j][d] elements.
// Operand 0 is written.
template <int kOperands>
struct LoopNest {
  int rank = 0;
  size_t counts[kMaxRank];
  size_t steps[kOperands][kMaxRank];

  // Adds a loop inside the others, or widens the innermost one where all operands simply go on.
  void append(size_t count, const size_t (&step)[kOperands]) {
    if (count == 1) return;
    bool joins = rank > 0;
    for (int j = 0; j < kOperands; ++j) joins = joins && steps[j][rank - 1] == step[j] * count;
    if (!joins) ++rank;
    counts[rank - 1] = joins ? counts[rank - 1] * count : count;
    for (int j = 0; j < kOperands; ++j) steps[j][rank - 1] = step[j];
  }

  // run(const size_t (&offset)[kOperands], size_t count, const size_t (&step)[kOperands]) for each
  // innermost loop.
  template <typename Run>
  void for_each_run(const Run& run) const {
    size_t at[kMaxRank] = {};
    size_t offset[kOperands] = {};
    size_t step[kOperands];
    for (int j = 0; j < kOperands; ++j) step[j] = rank > 0 ? steps[j][rank - 1] : 0;
    const size_t count = rank > 0 ? counts[rank - 1] : 1;
    for (;;) {
      run(offset, count, step);
      int d = rank - 2;
      for (; d >= 0; --d) {
        for (int j = 0; j < kOperands; ++j) offset[j] += steps[j][d];
        if (++at[d] < counts[d]) break;
        for (int j = 0; j < kOperands; ++j) offset[j] -= steps[j][d] * counts[d];
        at[d] = 0;
      }
      if (d < 0) return;
    }
  }
};

// The step of `tensor` along dim `dim` of an output of `rank` dims, aligned at the right as NumPy
// does: 0 where the tensor is repeated. False where the sizes do not fit.
inline bool broadcast_step(const Tensor& tensor, const size_t* strides, int rank, int dim,
                           int32_t size, size_t* step) {
  const int own = dim - (rank - tensor.rank);
  *step = 0;
  if (own < 0 || tensor.sizes[own] == 1) return true;
  *step = strides[own];
  return tensor.sizes[own] == size;
}

// The nest that computes out from a and b by NumPy's rules, in the order of out's memory.
// Out's shape must be the broadcast shape. REQUIRES: out has elements.
inline Status broadcast(const Tensor& out, const Tensor& a, const Tensor& b, LoopNest<3>* nest) {
  KERNEL_REQUIRE(out.rank == (a.rank > b.rank ? a.rank : b.rank), kBadShape);
  size_t out_strides[kMaxRank], a_strides[kMaxRank], b_strides[kMaxRank];
  compute_strides(out, out_strides);
  compute_strides(a, a_strides);
  compute_strides(b, b_strides);
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    const int32_t size = out.sizes[dim];
    size_t step[3] = {out_strides[dim], 0, 0};
    KERNEL_REQUIRE(broadcast_step(a, a_strides, out.rank, dim, size, &step[1]), kBadShape);
    KERNEL_REQUIRE(broadcast_step(b, b_strides, out.rank, dim, size, &step[2]), kBadShape);
    KERNEL_REQUIRE(size == 1 || step[1] != 0 || step[2] != 0, kBadShape);
    nest->append(static_cast<size_t>(size), step);
  }
  return Status::kOk;
}

// out[i] = apply(a[i], b[i]) with broadcasting. Right in place too: an operand that is not repeated
// is read before the same element is written.
template <typename Out, typename A, typename B, typename Apply>
void apply_elementwise(const LoopNest<3>& nest, const A* a, const B* b, Out* out,
                       const Apply& apply) {
  nest.for_each_run([&](const size_t(&offset)[3], size_t count, const size_t(&step)[3]) {
    const A* a_run = a + offset[1];
    const B* b_run = b + offset[2];
    Out* out_run = out + offset[0];
    if (step[1] == 1 && step[2] == 1 && step[0] == 1) {
      for (size_t i = 0; i < count; ++i) out_run[i] = apply(a_run[i], b_run[i]);
    } else {
      for (size_t i = 0; i < count; ++i)
        out_run[i * step[0]] = apply(a_run[i * step[1]], b_run[i * step[2]]);
    }
  });
}

// The nest that goes through two tensors of one shape, whatever their orders, in the order of out's
// memory: one loop where the orders are the same. REQUIRES: same_shape, and elements.
LoopNest<2> pair_nest(const Tensor& in, const Tensor& out);

// run(from, count, to) for elements that lie side by side in both tensors, which are of one shape
// and whatever order: all of them, or, where the orders differ, one at a time. REQUIRES:
// same_shape.
template <typename Out, typename In, typename Run>
void apply_runs(const Tensor& in, const Tensor& out, const Run& run) {
  if (out.numel() == 0) return;
  const In* from = in.as<In>();
  Out* to = out.as_mutable<Out>();
  const LoopNest<2> nest = pair_nest(in, out);
  nest.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    const size_t piece = step[0] == 1 && step[1] == 1 ? count : 1;
    for (size_t i = 0; i < count; i += piece)
      run(from + offset[1] + i * step[1], piece, to + offset[0] + i * step[0]);
  });
}

// out[i] = apply(in[i]), likewise.
template <typename Out, typename In, typename Apply>
void apply_unary(const Tensor& in, const Tensor& out, const Apply& apply) {
  apply_runs<Out, In>(in, out, [&apply](const In* from, size_t count, Out* to) {
    for (size_t i = 0; i < count; ++i) to[i] = apply(from[i]);
  });
}

// Copies elements of `size` bytes along the nest (operand 0 written, 1 read). Runs may be the same
// bytes, then they are left alone.
void copy_strided(const LoopNest<2>& nest, size_t size, const void* from, void* to);

}  // namespace berth::runtime
