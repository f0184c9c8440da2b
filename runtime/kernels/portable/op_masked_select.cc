// Operators whose masks say how many elements there are: nonzero, masked_select, masked_scatter.
// Elements are met in the order of dims; the outputs of the first two take their length at run
// time, within the bytes that were planned. What was counted is counted down again, for an output
// may lie over the mask.
#include <cstring>

#include "runtime/kernels/portable/element_blocks.h"
#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

bool is_mask(const Tensor& tensor) {
  return has_dtype(tensor, ScalarType::kBool) || has_dtype(tensor, ScalarType::kByte);
}

// The sizes that both broadcast to, and the walk over them in the order of dims: self's steps, then
// the mask's.
Status open_walk(const Tensor& self, const Tensor& mask, Sizes* sizes, LoopNest<2>* nest) {
  sizes->rank = self.rank > mask.rank ? self.rank : mask.rank;
  size_t self_strides[kMaxRank], mask_strides[kMaxRank];
  compute_strides(self, self_strides);
  compute_strides(mask, mask_strides);
  for (int d = 0; d < sizes->rank; ++d) {
    const int self_dim = d - (sizes->rank - self.rank), mask_dim = d - (sizes->rank - mask.rank);
    const int32_t self_size = self_dim < 0 ? 1 : self.sizes[self_dim];
    const int32_t mask_size = mask_dim < 0 ? 1 : mask.sizes[mask_dim];
    KERNEL_REQUIRE(self_size == mask_size || self_size == 1 || mask_size == 1, kBadShape);
    sizes->at[d] = self_size == 1 ? mask_size : self_size;
    nest->append(static_cast<size_t>(sizes->at[d]), {self_size == 1 ? 0 : self_strides[self_dim],
                                                     mask_size == 1 ? 0 : mask_strides[mask_dim]});
  }
  return Status::kOk;
}

bool is_empty(const Sizes& sizes) {
  for (int d = 0; d < sizes.rank; ++d) {
    if (sizes.at[d] == 0) return true;
  }
  return false;
}

// visit(self offset, whether the mask holds) per element.
template <typename Visit>
void for_each_masked(const Sizes& sizes, const LoopNest<2>& nest, const Tensor& mask,
                     const Visit& visit) {
  if (is_empty(sizes)) return;
  const uint8_t* flags = mask.as<uint8_t>();
  nest.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    for (size_t i = 0; i < count; ++i) {
      visit(offset[0] + i * step[0], flags[offset[1] + i * step[1]] != 0);
    }
  });
}

size_t count_masked(const Sizes& sizes, const LoopNest<2>& nest, const Tensor& mask) {
  size_t count = 0;
  for_each_masked(sizes, nest, mask, [&](size_t, bool holds) { count += holds ? 1 : 0; });
  return count;
}

// visit(place) per element that is not 0; `place` counts elements in the order of dims.
template <typename T, typename Visit>
void for_each_nonzero(const Tensor& in, const LoopNest<1>& nest, Compute compute,
                      const Visit& visit) {
  size_t place = 0;
  nest.for_each_run([&](const size_t(&offset)[1], size_t count, const size_t(&step)[1]) {
    T block[kBlock];
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t length = count - begin < kBlock ? count - begin : kBlock;
      load_block(compute, in.dtype, in.data, offset[0] + begin * step[0], step[0], length, block);
      for (size_t i = 0; i < length; ++i, ++place) {
        if (block[i] != 0) visit(place);
      }
    }
  });
}

template <typename Visit>
void for_each_nonzero(const Tensor& in, const LoopNest<1>& nest, const Visit& visit) {
  const Compute compute = compute_of(in.dtype);
  if (in.numel() == 0) return;
  if (compute == Compute::kFloat) return for_each_nonzero<float>(in, nest, compute, visit);
  if (compute == Compute::kDouble) return for_each_nonzero<double>(in, nest, compute, visit);
  for_each_nonzero<int64_t>(in, nest, compute, visit);
}

}  // namespace

// (self, out): a row of indices per element that is not 0.
Status run_nonzero(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(1);
  KERNEL_REQUIRE(has_arithmetic(in.dtype) && has_dtype(out, ScalarType::kLong) && &in != &out,
                 kBadArguments);
  KERNEL_REQUIRE(out.rank == 2 && is_row_major(out), kBadShape);
  size_t strides[kMaxRank];
  compute_strides(in, strides);
  LoopNest<1> nest;
  for (int d = 0; d < in.rank; ++d) nest.append(static_cast<size_t>(in.sizes[d]), {strides[d]});
  size_t count = 0;
  for_each_nonzero(in, nest, [&](size_t) { ++count; });
  Sizes sizes;
  KERNEL_TRY(append_size(static_cast<int64_t>(count), &sizes));
  KERNEL_TRY(append_size(in.rank, &sizes));
  KERNEL_TRY(resize(out, sizes));
  int64_t* row = out.as_mutable<int64_t>();
  for_each_nonzero(in, nest, [&](size_t place) {
    if (count == 0) return;
    --count;
    for (int d = in.rank - 1; d >= 0; --d) {
      row[d] = static_cast<int64_t>(place % static_cast<size_t>(in.sizes[d]));
      place /= static_cast<size_t>(in.sizes[d]);
    }
    row += in.rank;
  });
  return Status::kOk;
}

// (self, mask, out)
Status run_masked_select(KernelContext&, const Args& args) {
  const Tensor &self = args.tensor(0), &mask = args.tensor(1);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype && is_mask(mask), kBadArguments);
  KERNEL_REQUIRE(&self != &out && &mask != &out, kBadArguments);
  Sizes sizes;
  LoopNest<2> nest;
  KERNEL_TRY(open_walk(self, mask, &sizes, &nest));
  Sizes length;
  size_t left = count_masked(sizes, nest, mask);
  KERNEL_TRY(append_size(static_cast<int64_t>(left), &length));
  KERNEL_TRY(resize(out, length));
  const size_t size = element_size(self.dtype);
  const uint8_t* from = self.as<uint8_t>();
  uint8_t* to = out.as_mutable<uint8_t>();
  for_each_masked(sizes, nest, mask, [&](size_t at, bool holds) {
    if (!holds || left == 0) return;
    --left;
    memcpy(to, from + at * size, size);
    to += size;
  });
  return Status::kOk;
}

// (self, mask, source, out): masked elements come from source, one after the other.
Status run_masked_scatter(KernelContext&, const Args& args) {
  const Tensor &self = args.tensor(0), &mask = args.tensor(1), &source = args.tensor(2);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(self.dtype == out.dtype && source.dtype == out.dtype && is_mask(mask),
                 kBadArguments);
  KERNEL_REQUIRE(&mask != &out && &source != &out && &self != &out, kBadArguments);
  KERNEL_REQUIRE(is_row_major(source), kBadShape);
  Sizes sizes;
  LoopNest<2> nest;
  KERNEL_TRY(open_walk(self, mask, &sizes, &nest));
  KERNEL_REQUIRE(out.rank == sizes.rank && is_row_major_at(out, sizes), kBadShape);
  size_t left = count_masked(sizes, nest, mask);
  KERNEL_REQUIRE(left <= source.numel(), kBadShape);
  KERNEL_TRY(resize(out, sizes));
  const size_t size = element_size(self.dtype);
  const uint8_t *from = self.as<uint8_t>(), *next = source.as<uint8_t>();
  uint8_t* to = out.as_mutable<uint8_t>();
  for_each_masked(sizes, nest, mask, [&](size_t at, bool holds) {
    const bool takes = holds && left != 0;
    memcpy(to, takes ? next : from + at * size, size);
    next += takes ? size : 0;
    left -= takes ? 1 : 0;
    to += size;
  });
  return Status::kOk;
}

}  // namespace berth::runtime
