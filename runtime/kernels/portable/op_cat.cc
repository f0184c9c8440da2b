#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"
#include "runtime/kernels/portable/type_promotion.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// Copies and converts all of part to the elements of out from `base` on.
void convert_into_part(const Tensor& part, const Tensor& out, int64_t base) {
  if (part.numel() == 0) return;
  const ElementMap from = map_elements(part), to = map_elements(out);
  LoopNest<2> nest;
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    nest.append(static_cast<size_t>(part.sizes[dim]),
                {static_cast<size_t>(to.steps[dim]), static_cast<size_t>(from.steps[dim])});
  }
  const Compute compute = compute_of(out.dtype);
  alignas(8) uint8_t block[kBlockBytes];
  nest.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    for (size_t i = 0; i < count; i += kBlock) {
      const size_t length = count - i < kBlock ? count - i : kBlock;
      load_block(compute, part.dtype, part.data, offset[1] + i * step[1], step[1], length, block);
      store_block(compute, out.dtype, block, length, out.data,
                  static_cast<size_t>(base) + offset[0] + i * step[0], step[0]);
    }
  });
}

// An empty 1-D tensor joins anything (torch's rule for lists that start from nothing).
bool is_passed_over(const Tensor& tensor) { return tensor.rank == 1 && tensor.sizes[0] == 0; }

}  // namespace

// (tensors, dim, out)
Status run_cat(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(2);
  const uint32_t count = args.list_size(0);
  KERNEL_REQUIRE(count > 0, kBadShape);
  const Tensor* first = &args.tensor_at(0, 0);
  for (uint32_t i = 1; i < count && is_passed_over(*first); ++i) first = &args.tensor_at(0, i);
  int dim = 0;
  KERNEL_REQUIRE(first->rank > 0, kBadShape);
  KERNEL_TRY(read_dim(args.integer(1), first->rank, &dim));
  Sizes sizes(*first);
  int64_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor& in = args.tensor_at(0, i);
    KERNEL_REQUIRE(
        in.dtype == out.dtype || (has_arithmetic(in.dtype) && has_arithmetic(out.dtype) &&
                                  can_store(in.dtype, out.dtype)),
        kBadArguments);
    KERNEL_REQUIRE(&in != &out || count == 1, kBadArguments);
    if (is_passed_over(in)) continue;
    KERNEL_REQUIRE(in.rank == sizes.rank, kBadShape);
    for (int d = 0; d < sizes.rank; ++d)
      KERNEL_REQUIRE(d == dim || in.sizes[d] == sizes.at[d], kBadShape);
    total += in.sizes[dim];
    KERNEL_REQUIRE(fits<int32_t>(total), kBadShape);
  }
  sizes.at[dim] = static_cast<int32_t>(total);
  KERNEL_TRY(resize(out, sizes));
  const int64_t step = map_elements(out).steps[dim];
  int64_t start = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor& in = args.tensor_at(0, i);
    if (is_passed_over(in)) continue;
    if (in.dtype == out.dtype) {
      copy_into_part(in, out, start * step);
    } else {
      convert_into_part(in, out, start * step);
    }
    start += in.sizes[dim];
  }
  return Status::kOk;
}

}  // namespace berth::runtime
