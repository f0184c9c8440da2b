#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/index_values.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

// (self, dim, index, out)
Status run_index_select(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  const Tensor& index = args.tensor(2);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(self.dtype == out.dtype && is_index(index), kBadArguments);
  KERNEL_REQUIRE(&self != &out && &index != &out, kBadArguments);
  KERNEL_REQUIRE(index.rank <= 1, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  const int64_t size = self.rank == 0 ? 1 : self.sizes[dim];
  const IndexValues values(index);
  KERNEL_REQUIRE(values.lie_in(0, size), kBadArguments);
  const size_t count = index.numel();
  Sizes sizes(self);
  if (self.rank == 0) {
    KERNEL_REQUIRE(count == 1, kBadShape);
  } else {
    sizes.at[dim] = index.rank == 0 ? 1 : index.sizes[0];
  }
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;
  const ElementMap from = map_elements(self), to = map_elements(out);
  LoopNest<2> nest;
  for (int i = 0; i < out.rank; ++i) {
    const int d = out.dim_order[i];
    if (d != dim)
      nest.append(static_cast<size_t>(out.sizes[d]),
                  {static_cast<size_t>(to.steps[d]), static_cast<size_t>(from.steps[d])});
  }
  const size_t bytes = element_size(out.dtype);
  const size_t from_step = self.rank == 0 ? 0 : static_cast<size_t>(from.steps[dim]) * bytes;
  const size_t to_step = self.rank == 0 ? 0 : static_cast<size_t>(to.steps[dim]) * bytes;
  for (size_t i = 0; i < count; ++i) {
    int64_t at = 0;
    KERNEL_TRY(read_index(values.at(i), size, &at));
    copy_strided(nest, bytes, self.as<uint8_t>() + static_cast<size_t>(at) * from_step,
                 out.as_mutable<uint8_t>() + i * to_step);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
