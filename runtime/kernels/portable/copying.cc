#include "runtime/kernels/portable/copying.h"

#include "runtime/kernels/portable/element_blocks.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// Where a conversion goes through: the wider type of the two, so that nothing is rounded twice.
Compute compute_between(ScalarType from, ScalarType to) {
  const Compute source = compute_of(from);
  if (source != Compute::kInteger) return source;
  return is_floating(to) ? compute_of(to) : Compute::kInteger;
}

void convert_strided(const LoopNest<2>& nest, const Tensor& from, const Tensor& to) {
  const Compute compute = compute_between(from.dtype, to.dtype);
  nest.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    alignas(8) uint8_t block[kBlockBytes];
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t length = count - begin < kBlock ? count - begin : kBlock;
      load_block(compute, from.dtype, from.data, offset[1] + begin * step[1], step[1], length,
                 block);
      store_block(compute, to.dtype, block, length, to.data, offset[0] + begin * step[0], step[0]);
    }
  });
}

}  // namespace

Status copy_converted(const Tensor& from, const Tensor& to) {
  const bool converts = from.dtype != to.dtype;
  KERNEL_REQUIRE(!converts || (has_arithmetic(from.dtype) && has_arithmetic(to.dtype)),
                 kBadArguments);
  KERNEL_REQUIRE(from.rank <= to.rank, kBadShape);
  size_t from_strides[kMaxRank], to_strides[kMaxRank];
  compute_strides(from, from_strides);
  compute_strides(to, to_strides);
  LoopNest<2> nest;
  for (int i = 0; i < to.rank; ++i) {
    const int dim = to.dim_order[i];
    size_t step[2] = {to_strides[dim], 0};
    KERNEL_REQUIRE(broadcast_step(from, from_strides, to.rank, dim, to.sizes[dim], &step[1]),
                   kBadShape);
    nest.append(static_cast<size_t>(to.sizes[dim]), step);
  }
  if (to.numel() == 0) return Status::kOk;
  if (converts) {
    convert_strided(nest, from, to);
  } else {
    copy_strided(nest, element_size(to.dtype), from.data, to.data);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
