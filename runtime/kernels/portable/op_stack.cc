#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

// (tensors, dim, out): the dim is new.
Status run_stack(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(2);
  const uint32_t count = args.list_size(0);
  KERNEL_REQUIRE(count > 0, kBadArguments);
  const Tensor& first = args.tensor_at(0, 0);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), first.rank + 1, &dim));
  Sizes sizes;
  for (int d = 0; d <= first.rank; ++d)
    KERNEL_TRY(append_size(d == dim ? count : first.sizes[d > dim ? d - 1 : d], &sizes));
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor& in = args.tensor_at(0, i);
    KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
    KERNEL_REQUIRE(same_shape(in, first), kBadShape);
  }
  KERNEL_TRY(resize(out, sizes));
  ElementMap target = map_elements(out);
  sizes.at[dim] = 1;
  for (uint32_t i = 0; i < count; ++i) {
    const Tensor& in = args.tensor_at(0, i);
    const ElementMap own = map_elements(in);
    ElementMap map;
    for (int d = 0; d < sizes.rank; ++d)
      map.steps[d] = d == dim ? 0 : own.steps[d > dim ? d - 1 : d];
    target.base = static_cast<int64_t>(i) * target.steps[dim];
    copy_elements(sizes.rank, sizes.at, out.dim_order, element_size(out.dtype), in.data, map,
                  out.data, target);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
