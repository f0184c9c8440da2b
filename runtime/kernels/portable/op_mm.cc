#include "runtime/kernels/portable/float_product.h"
#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

bool are_floats(const Tensor& a, const Tensor& b, const Tensor& out) {
  return has_dtype(a, ScalarType::kFloat) && has_dtype(b, ScalarType::kFloat) &&
         has_dtype(out, ScalarType::kFloat);
}

// One matrix of a tensor whose last two dims are matrices, or whose only two.
FloatMatrix matrix_of(const Tensor& tensor) {
  size_t strides[kMaxRank];
  compute_strides(tensor, strides);
  return {tensor.as<float>(), strides[tensor.rank - 2], strides[tensor.rank - 1]};
}

size_t batch_step(const Tensor& tensor) {
  size_t strides[kMaxRank];
  compute_strides(tensor, strides);
  return tensor.rank == 3 ? strides[0] : 0;
}

// out = a * b, of rank 2 or, as batches of equal size, 3.
Status multiply(const Tensor& a, const Tensor& b, int rank, Tensor& out) {
  KERNEL_REQUIRE(are_floats(a, b, out), kBadArguments);
  KERNEL_REQUIRE(&a != &out && &b != &out, kBadArguments);
  KERNEL_REQUIRE(a.rank == rank && b.rank == rank, kBadShape);
  KERNEL_REQUIRE(rank == 2 || a.sizes[0] == b.sizes[0], kBadShape);
  KERNEL_REQUIRE(a.sizes[rank - 1] == b.sizes[rank - 2], kBadShape);
  Sizes sizes(a);
  sizes.at[rank - 1] = b.sizes[rank - 1];
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;
  const size_t batches = rank == 3 ? static_cast<size_t>(a.sizes[0]) : 1;
  const FloatMatrix left = matrix_of(a), right = matrix_of(b), target = matrix_of(out);
  for (size_t n = 0; n < batches; ++n) {
    multiply_matrices({left.data + n * batch_step(a), left.row_step, left.column_step},
                      {right.data + n * batch_step(b), right.row_step, right.column_step},
                      static_cast<size_t>(a.sizes[rank - 2]),
                      static_cast<size_t>(a.sizes[rank - 1]),
                      static_cast<size_t>(b.sizes[rank - 1]),
                      {out.as_mutable<float>() + n * batch_step(out), target.row_step,
                       target.column_step, nullptr});
  }
  return Status::kOk;
}

// out = beta * self + alpha * out, self broadcast. A beta of 0 leaves self unread.
Status add_scaled(const Tensor& self, double beta, double alpha, const Tensor& out) {
  const float factor = static_cast<float>(alpha), share = static_cast<float>(beta);
  float* to = out.as_mutable<float>();
  if (share == 0.0f) {
    if (factor == 1.0f) return Status::kOk;
    const size_t count = out.numel();
    for (size_t i = 0; i < count; ++i) to[i] *= factor;
    return Status::kOk;
  }
  size_t strides[kMaxRank], self_strides[kMaxRank];
  compute_strides(out, strides);
  compute_strides(self, self_strides);
  LoopNest<2> nest;
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    size_t step[2] = {strides[dim], 0};
    KERNEL_REQUIRE(broadcast_step(self, self_strides, out.rank, dim, out.sizes[dim], &step[1]),
                   kBadShape);
    nest.append(static_cast<size_t>(out.sizes[dim]), step);
  }
  const float* from = self.as<float>();
  nest.for_each_run([=](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    float* sums = to + offset[0];
    const float* addends = from + offset[1];
    if (step[0] == 1 && step[1] == 1) {
      for (size_t i = 0; i < count; ++i) sums[i] = factor * sums[i] + share * addends[i];
    } else {
      for (size_t i = 0; i < count; ++i)
        sums[i * step[0]] = factor * sums[i * step[0]] + share * addends[i * step[1]];
    }
  });
  return Status::kOk;
}

// (self, a, b, beta, alpha, out)
Status multiply_add(const Args& args, int rank) {
  const Tensor& self = args.tensor(0);
  const Tensor& a = args.tensor(1);
  const Tensor& b = args.tensor(2);
  Tensor& out = args.tensor(5);
  KERNEL_REQUIRE(has_dtype(self, ScalarType::kFloat) && &self != &out, kBadArguments);
  // Everything that can fail stands before the product.
  KERNEL_REQUIRE(a.rank == rank && b.rank == rank && self.rank <= rank, kBadShape);
  for (int d = 0; d < self.rank; ++d) {
    const int dim = rank - self.rank + d;
    const int32_t size = dim == rank - 1 ? b.sizes[dim] : a.sizes[dim];
    KERNEL_REQUIRE(self.sizes[d] == 1 || self.sizes[d] == size, kBadShape);
  }
  KERNEL_TRY(multiply(a, b, rank, out));
  if (out.numel() == 0) return Status::kOk;
  return add_scaled(self, args.number(3), args.number(4), out);
}

}  // namespace

// (self, mat2, out)
Status run_mm(KernelContext&, const Args& args) {
  return multiply(args.tensor(0), args.tensor(1), 2, args.tensor(2));
}

// (self, mat2, out)
Status run_bmm(KernelContext&, const Args& args) {
  return multiply(args.tensor(0), args.tensor(1), 3, args.tensor(2));
}

// (self, mat1, mat2, beta, alpha, out)
Status run_addmm(KernelContext&, const Args& args) { return multiply_add(args, 2); }

// (self, batch1, batch2, beta, alpha, out)
Status run_baddbmm(KernelContext&, const Args& args) { return multiply_add(args, 3); }

// (input, weight, bias, out)
Status run_linear(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& weight = args.tensor(1);
  const Tensor* bias = args.optional_tensor(2);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(are_floats(in, weight, out), kBadArguments);
  KERNEL_REQUIRE(&in != &out && &weight != &out && bias != &out, kBadArguments);
  KERNEL_REQUIRE(in.rank >= 1 && weight.rank == 2, kBadShape);
  KERNEL_REQUIRE(is_row_major(in), kBadShape);
  const int last = in.rank - 1;
  const size_t depth = static_cast<size_t>(in.sizes[last]);
  KERNEL_REQUIRE(weight.sizes[1] == in.sizes[last], kBadShape);
  if (bias != nullptr) {
    KERNEL_REQUIRE(has_dtype(*bias, ScalarType::kFloat), kBadArguments);
    KERNEL_REQUIRE(bias->rank == 1 && bias->sizes[0] == weight.sizes[0], kBadShape);
  }
  Sizes sizes(in);
  sizes.at[last] = weight.sizes[0];
  KERNEL_REQUIRE(out.rank == in.rank && is_row_major_at(out, sizes), kBadShape);
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;
  // As out' = weight * input': the bias belongs to rows then.
  const size_t outputs = static_cast<size_t>(weight.sizes[0]);
  multiply_matrices(
      matrix_of(weight), {in.as<float>(), 1, depth}, outputs, depth, out.numel() / outputs,
      {out.as_mutable<float>(), 1, outputs, bias == nullptr ? nullptr : bias->as<float>()});
  return Status::kOk;
}

}  // namespace berth::runtime
