#include "runtime/kernels/permutation.h"

#include "runtime/kernels/strided.h"

namespace berth::runtime {

Status permute_tensor(const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& out = args.tensor(2);
  const int rank = in.rank;
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(out.rank == rank && args.list_size(1) == static_cast<uint32_t>(rank), kBadShape);
  int from[kMaxRank];  // the input's dim that dim d of the output is
  uint32_t seen = 0;
  for (int d = 0; d < rank; ++d) {
    int64_t dim = args.int_at(1, static_cast<uint32_t>(d));
    if (dim < 0) dim += rank;
    KERNEL_REQUIRE(dim >= 0 && dim < rank && (seen & (1u << dim)) == 0, kBadArguments);
    seen |= 1u << dim;
    from[d] = static_cast<int>(dim);
    KERNEL_REQUIRE(out.sizes[d] == in.sizes[dim], kBadShape);
  }
  if (out.numel() == 0) return Status::kOk;
  size_t in_strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(in, in_strides);
  compute_strides(out, out_strides);
  LoopNest<2> nest;
  for (int i = 0; i < rank; ++i) {
    const int dim = out.dim_order[i];
    nest.append(static_cast<size_t>(out.sizes[dim]), {out_strides[dim], in_strides[from[dim]]});
  }
  copy_strided(nest, element_size(in.dtype), in.data, out.data);
  return Status::kOk;
}

}  // namespace berth::runtime
