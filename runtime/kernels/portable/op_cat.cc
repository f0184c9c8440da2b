#include "runtime/kernels/portable/shape_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// An empty 1-D tensor joins anything (torch's rule for lists that start from nothing).
bool is_passed_over(const Tensor& tensor) { return tensor.rank == 1 && tensor.sizes[0] == 0; }

}  // namespace

Status run_cat(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(2);
  const int rank = out.rank;
  int64_t dim = args.integer(1);
  if (dim < 0) dim += rank;
  KERNEL_REQUIRE(dim >= 0 && dim < rank, kBadArguments);
  int64_t total = 0;
  const uint32_t count = args.list_size(0);
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor& in = args.tensor_at(0, i);
    KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
    if (is_passed_over(in)) continue;
    KERNEL_REQUIRE(in.rank == rank, kBadShape);
    for (int d = 0; d < rank; ++d)
      KERNEL_REQUIRE(d == dim || in.sizes[d] == out.sizes[d], kBadShape);
    total += in.sizes[dim];
    KERNEL_REQUIRE(total <= out.sizes[dim], kBadShape);
  }
  KERNEL_REQUIRE(total == out.sizes[dim], kBadShape);
  if (out.numel() == 0) return Status::kOk;

  const size_t size = element_size(out.dtype);
  size_t in_strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(out, out_strides);
  uint8_t* target = out.as_mutable<uint8_t>();
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor& in = args.tensor_at(0, i);
    if (in.numel() == 0) continue;
    compute_strides(in, in_strides);
    LoopNest<2> nest;
    for (int d = 0; d < rank; ++d) {
      const int at = out.dim_order[d];
      nest.append(static_cast<size_t>(in.sizes[at]), {out_strides[at], in_strides[at]});
    }
    copy_strided(nest, size, in.data, target);
    target += static_cast<size_t>(in.sizes[dim]) * out_strides[dim] * size;
  }
  return Status::kOk;
}

}  // namespace berth::runtime
