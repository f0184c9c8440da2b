// Copies: into the tensor that is returned (copy_), to a new one, to another dtype or dim order.
#include "runtime/core/resize.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/portable/copy_kernels.h"
#include "runtime/kernels/portable/copying.h"

namespace berth::runtime {
namespace {

Status copy_resized(const Tensor& self, Tensor& out) {
  KERNEL_TRY(resize(out, self.sizes, self.rank));
  return copy_converted(self, out);
}

// (self, non_blocking, dim order or none, out)
Status copy_to_dim_order(const Args& args) {
  const Tensor& out = args.tensor(3);
  if (!args.is_none(2)) {
    KERNEL_REQUIRE(args.list_size(2) == out.rank, kBadArguments);
    for (uint32_t i = 0; i < out.rank; ++i) {
      KERNEL_REQUIRE(args.int_at(2, i) == out.dim_order[i], kBadArguments);
    }
  }
  return copy_resized(args.tensor(0), args.tensor(3));
}

}  // namespace

Status run_copy(KernelContext&, const Args& args) {
  return copy_converted(args.tensor(1), args.tensor(0));
}

// (self, src, non_blocking, out)
Status run_copy_out(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(self.dtype == out.dtype, kBadArguments);
  KERNEL_TRY(resize(out, self.sizes, self.rank));
  return copy_converted(args.tensor(1), out);
}

// (self, memory format or none, out)
Status run_clone(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(args.tensor(0).dtype == args.tensor(2).dtype, kBadArguments);
  return copy_resized(args.tensor(0), args.tensor(2));
}

// (self, non_blocking, memory format or none, out)
Status run_to_copy(KernelContext&, const Args& args) {
  return copy_resized(args.tensor(0), args.tensor(3));
}

Status run_to_dim_order_copy(KernelContext&, const Args& args) { return copy_to_dim_order(args); }

Status run_clone_dim_order(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(args.tensor(0).dtype == args.tensor(3).dtype, kBadArguments);
  return copy_to_dim_order(args);
}

}  // namespace berth::runtime
