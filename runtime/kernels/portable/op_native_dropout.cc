#include <cstring>

#include "runtime/kernels/portable/copying.h"
#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {

// (input, p, train or none, out, mask): nothing is dropped, for nothing here is random.
Status run_native_dropout(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor &out = args.tensor(3), &mask = args.tensor(4);
  const bool trains = args.is_none(2) || args.boolean(2);
  KERNEL_REQUIRE(!trains || args.number(1) == 0, kBadArguments);
  KERNEL_REQUIRE(in.dtype == out.dtype && has_dtype(mask, ScalarType::kBool), kBadArguments);
  KERNEL_REQUIRE(&mask != &in && &mask != &out, kBadArguments);
  KERNEL_TRY(resize(mask, in.sizes, in.rank));
  KERNEL_TRY(resize(out, in.sizes, in.rank));
  KERNEL_TRY(copy_converted(in, out));
  if (mask.numel() != 0) memset(mask.data, 1, mask.numel());
  return Status::kOk;
}

}  // namespace berth::runtime
