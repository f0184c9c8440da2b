#include <cstring>

#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/index_values.h"
#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {

// (weight, indices, padding_idx, scale_grad_by_freq, sparse, out): the last three mean nothing to a
// forward pass.
Status run_embedding(KernelContext&, const Args& args) {
  const Tensor& weight = args.tensor(0);
  const Tensor& indices = args.tensor(1);
  Tensor& out = args.tensor(5);
  KERNEL_REQUIRE(weight.dtype == out.dtype && is_index(indices), kBadArguments);
  KERNEL_REQUIRE(&weight != &out && &indices != &out, kBadArguments);
  KERNEL_REQUIRE(weight.rank == 2 && is_row_major(weight), kBadShape);
  KERNEL_REQUIRE(is_row_major(indices), kBadShape);
  Sizes sizes(indices);
  KERNEL_TRY(append_size(weight.sizes[1], &sizes));
  KERNEL_REQUIRE(out.rank == sizes.rank && is_row_major_at(out, sizes), kBadShape);
  const IndexValues values(indices);
  const int64_t rows = weight.sizes[0];
  KERNEL_REQUIRE(values.lie_in(0, rows), kBadArguments);
  KERNEL_TRY(resize(out, sizes));
  const size_t bytes = static_cast<size_t>(weight.sizes[1]) * element_size(weight.dtype);
  const size_t count = out.numel() == 0 ? 0 : indices.numel();
  for (size_t i = 0; i < count; ++i) {
    int64_t row = 0;
    KERNEL_TRY(read_index(values.at(i), rows, &row));
    memmove(out.as_mutable<uint8_t>() + i * bytes,
            weight.as<uint8_t>() + static_cast<size_t>(row) * bytes, bytes);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
