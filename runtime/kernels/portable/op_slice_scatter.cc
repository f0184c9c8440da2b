#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/index_kernels.h"

namespace berth::runtime {

// (self, src, dim, start, end, step, out): self with src in the place of that slice.
Status run_slice_scatter(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  const Tensor& src = args.tensor(1);
  Tensor& out = args.tensor(6);
  KERNEL_REQUIRE(self.dtype == out.dtype && src.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank > 0 && src.rank == self.rank, kBadShape);
  int dim = 0;
  Slice part;
  KERNEL_TRY(read_dim(args.integer(2), self.rank, &dim));
  KERNEL_TRY(read_slice(args, 3, 4, 5, self.sizes[dim], &part));
  for (int d = 0; d < self.rank; ++d)
    KERNEL_REQUIRE(src.sizes[d] == (d == dim ? part.count : self.sizes[d]), kBadShape);
  KERNEL_REQUIRE(&src != &out, kBadArguments);
  KERNEL_TRY(resize(out, Sizes(self)));
  copy_all(self, out);
  ElementMap target = map_elements(out);
  target.base = part.start * target.steps[dim];
  target.steps[dim] = part.count > 1 ? part.step * target.steps[dim] : 0;
  copy_elements(src.rank, src.sizes, out.dim_order, element_size(out.dtype), src.data,
                map_elements(src), out.data, target);
  return Status::kOk;
}

// (self, src, dim, index, out): self with src in the place of that index of the dim.
Status run_select_scatter(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  const Tensor& src = args.tensor(1);
  Tensor& out = args.tensor(4);
  KERNEL_REQUIRE(self.dtype == out.dtype && src.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(&src != &out, kBadArguments);
  KERNEL_REQUIRE(self.rank > 0 && src.rank == self.rank - 1, kBadShape);
  int dim = 0;
  int64_t index = 0;
  KERNEL_TRY(read_dim(args.integer(2), self.rank, &dim));
  KERNEL_TRY(read_index(args.integer(3), self.sizes[dim], &index));
  const ElementMap own = map_elements(src);
  ElementMap from;
  Sizes sizes(self);
  for (int d = 0; d < self.rank; ++d) {
    const int source = d > dim ? d - 1 : d;
    KERNEL_REQUIRE(d == dim || src.sizes[source] == self.sizes[d], kBadShape);
    from.steps[d] = d == dim ? 0 : own.steps[source];
  }
  KERNEL_TRY(resize(out, sizes));
  copy_all(self, out);
  sizes.at[dim] = 1;
  ElementMap target = map_elements(out);
  target.base = index * target.steps[dim];
  copy_elements(sizes.rank, sizes.at, out.dim_order, element_size(out.dtype), src.data, from,
                out.data, target);
  return Status::kOk;
}

}  // namespace berth::runtime
