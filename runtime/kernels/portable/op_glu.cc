// One half of a dim, gated by the sigmoid of the other.
#include <cmath>

#include "runtime/kernels/portable/element_blocks.h"
#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// `gate`: elements between an element and its gate.
template <typename T>
void run_gates(const LoopNest<2>& nest, Compute compute, const Tensor& in, size_t gate,
               const Tensor& out) {
  nest.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    T values[kBlock], gates[kBlock];
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t length = count - begin < kBlock ? count - begin : kBlock;
      const size_t at = offset[1] + begin * step[1];
      load_block(compute, in.dtype, in.data, at, step[1], length, values);
      load_block(compute, in.dtype, in.data, at + gate, step[1], length, gates);
      for (size_t i = 0; i < length; ++i) values[i] /= 1 + std::exp(-gates[i]);
      store_block(compute, out.dtype, values, length, out.data, offset[0] + begin * step[0],
                  step[0]);
    }
  });
}

}  // namespace

// (self, dim, out)
Status run_glu(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(is_floating(in.dtype) && out.dtype == in.dtype && &in != &out, kBadArguments);
  KERNEL_REQUIRE(in.rank > 0, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), in.rank, &dim));
  KERNEL_REQUIRE(in.sizes[dim] % 2 == 0, kBadShape);
  Sizes sizes(in);
  sizes.at[dim] /= 2;
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;
  size_t in_strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(in, in_strides);
  compute_strides(out, out_strides);
  LoopNest<2> nest;
  for (int i = 0; i < out.rank; ++i) {
    const int d = out.dim_order[i];
    nest.append(static_cast<size_t>(out.sizes[d]), {out_strides[d], in_strides[d]});
  }
  const size_t gate = static_cast<size_t>(sizes.at[dim]) * in_strides[dim];
  const Compute compute = compute_of(in.dtype);
  if (compute == Compute::kDouble) {
    run_gates<double>(nest, compute, in, gate, out);
  } else {
    run_gates<float>(nest, compute, in, gate, out);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
