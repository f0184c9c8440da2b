#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/pooling.h"

namespace berth::runtime {

Status run_quantized_avg_pool2d(KernelContext& context, const Args& args) {
  // kCeilMode is the compiler's business: the output's shape has it. Zero point, multiplier and
  // shift are not read, in and out have the same scale.
  enum : uint32_t { kCeilMode = kPoolPadding + 1, kZeroPoint, kMultiplier, kShift, kScratch, kOut };
  const Tensor& in = args.tensor(kPoolIn);
  const Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar), kBadArguments);
  WindowShape shape;
  KERNEL_TRY(read_pool(args, in, out, &shape));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_REQUIRE(AverageRule::takes<int8_t>(shape), kUnsupported);
  KERNEL_TRY(check_scratch(context, args.tensor(kScratch),
                           [&](Isa isa) { return avg_pool2d_scratch_bytes(shape.in_c, isa); }));
  pool<AverageRule>(shape, in.as<int8_t>(), full_range<int8_t>(), out.as_mutable<int8_t>());
  return Status::kOk;
}

}  // namespace berth::runtime
