#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/pooling.h"

namespace berth::runtime {

Status run_quantized_max_pool2d(KernelContext&, const Args& args) {
  enum : uint32_t {
    kDilation = kPoolPadding + 1,
    kCeilMode,
    kInZeroPoint,
    kOutZeroPoint,
    kLow,
    kHigh,
    kOut
  };
  const Tensor& in = args.tensor(kPoolIn);
  const Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar), kBadArguments);
  WindowShape shape;
  KERNEL_TRY(read_pool(args, in, out, &shape));
  KERNEL_TRY(read_pair(args, kDilation, 1, &shape.dilation_h, &shape.dilation_w));
  KERNEL_REQUIRE(shape.dilation_h == 1 && shape.dilation_w == 1, kUnsupported);
  int32_t in_zero_point = 0, out_zero_point = 0;
  KERNEL_TRY(read_zero_point<int8_t>(args, kInZeroPoint, &in_zero_point));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOutZeroPoint, &out_zero_point));
  KERNEL_REQUIRE(in_zero_point == out_zero_point, kBadArguments);
  Range range;
  KERNEL_TRY(read_range<int8_t>(args, kLow, kHigh, &range));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_REQUIRE(MaxRule::takes<int8_t>(shape), kUnsupported);
  pool<MaxRule>(shape, in.as<int8_t>(), range, out.as_mutable<int8_t>());
  return Status::kOk;
}

}  // namespace berth::runtime
