#include "runtime/kernels/portable/element_copy.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {
namespace {

// Drops the dims of size 1 that are marked.
Status squeeze(const Tensor& self, const bool* marked, Tensor& out) {
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes;
  for (int d = 0; d < self.rank; ++d) {
    if (marked[d] && self.sizes[d] == 1) continue;
    map.steps[sizes.rank] = own.steps[d];
    KERNEL_TRY(append_size(self.sizes[d], &sizes));
  }
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

}  // namespace

// (self, out)
Status run_squeeze_copy(KernelContext&, const Args& args) {
  bool marked[kMaxRank];
  for (bool& mark : marked) mark = true;
  return squeeze(args.tensor(0), marked, args.tensor(1));
}

// (self, dim, out)
Status run_squeeze_copy_dim(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  bool marked[kMaxRank] = {};
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank, &dim));
  marked[dim] = true;
  return squeeze(self, marked, args.tensor(2));
}

// (self, dims, out)
Status run_squeeze_copy_dims(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  bool marked[kMaxRank] = {};
  for (uint32_t i = 0; i < args.list_size(1); ++i) {
    int dim = 0;
    KERNEL_TRY(read_dim(args.int_at(1, i), self.rank, &dim));
    KERNEL_REQUIRE(!marked[dim], kBadArguments);
    marked[dim] = true;
  }
  return squeeze(self, marked, args.tensor(2));
}

// (self, dim, out)
Status run_unsqueeze_copy(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(self.rank < kMaxRank, kBadShape);
  int dim = 0;
  KERNEL_TRY(read_dim(args.integer(1), self.rank + 1, &dim));
  const ElementMap own = map_elements(self);
  ElementMap map;
  Sizes sizes;
  for (int d = 0; d <= self.rank; ++d) {
    const int source = d > dim ? d - 1 : d;
    map.steps[d] = d == dim ? 0 : own.steps[source];
    KERNEL_TRY(append_size(d == dim ? 1 : self.sizes[source], &sizes));
  }
  KERNEL_TRY(resize(out, sizes));
  copy_mapped(self, map, out);
  return Status::kOk;
}

}  // namespace berth::runtime
