#include "runtime/kernels/portable/element_blocks.h"
#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {

// (repeats, output size or none, out): i, repeats[i] times, for each i.
Status run_repeat_interleave(KernelContext&, const Args& args) {
  const Tensor& repeats = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(has_dtype(repeats, ScalarType::kLong) || has_dtype(repeats, ScalarType::kInt),
                 kBadArguments);
  KERNEL_REQUIRE(out.dtype == repeats.dtype && &out != &repeats, kBadArguments);
  KERNEL_REQUIRE(repeats.rank == 1, kBadShape);
  const size_t count = static_cast<size_t>(repeats.sizes[0]);
  const auto repeats_of = [&](size_t i) {
    int64_t value = 0;
    load_block(Compute::kInteger, repeats.dtype, repeats.data, i, 1, 1, &value);
    return value;
  };
  int64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = repeats_of(i);
    KERNEL_REQUIRE(value >= 0 && value <= INT32_MAX - total, kBadArguments);
    total += value;
  }
  KERNEL_REQUIRE(args.is_none(1) || args.integer(1) == total, kBadArguments);
  Sizes sizes;
  KERNEL_TRY(append_size(total, &sizes));
  KERNEL_TRY(resize(out, sizes));
  size_t at = 0;
  // The end is held on to, whatever the repeats become under an output that shares their bytes.
  for (size_t i = 0; i < count; ++i) {
    const int64_t index = static_cast<int64_t>(i);
    for (int64_t n = repeats_of(i); n > 0 && at < static_cast<size_t>(total); --n) {
      store_block(Compute::kInteger, out.dtype, &index, 1, out.data, at++, 1);
    }
  }
  return Status::kOk;
}

}  // namespace berth::runtime
