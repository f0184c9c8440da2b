#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/pooling.h"

namespace berth::runtime {
namespace {

enum : uint32_t { kIn, kKernel, kStride, kPadding, kLow, kHigh, kOut };

template <typename T>
Status run_typed(const Args& args, const WindowShape& shape) {
  Range range;
  KERNEL_TRY(read_range<T>(args, kLow, kHigh, &range));
  if (args.tensor(kOut).numel() == 0) return Status::kOk;
  KERNEL_TRY(check_average_window<T>(shape));
  pool<AverageRule>(shape, args.tensor(kIn).as<T>(), range, args.tensor(kOut).as_mutable<T>());
  return Status::kOk;
}

}  // namespace

Status run_berth_quantized_avg_pool2d(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(kIn);
  const Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  WindowShape shape;
  KERNEL_TRY(read_pool(args, kKernel, kStride, kPadding, in, out, &shape));
  if (in.dtype == ScalarType::kChar) return run_typed<int8_t>(args, shape);
  if (in.dtype == ScalarType::kShort) return run_typed<int16_t>(args, shape);
  return Status::kBadArguments;
}

}  // namespace berth::runtime
