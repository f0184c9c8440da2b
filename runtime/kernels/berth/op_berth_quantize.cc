#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/quantize_run.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename T>
Status run_typed(const Args& args) {
  enum : uint32_t { kIn, kScale, kZeroPoint, kLow, kHigh, kOut };
  const float scale = static_cast<float>(args.number(kScale));
  KERNEL_REQUIRE(scale > 0.0f, kBadArguments);
  Quantization<Half::kAway, T> by{scale, 0, {}};
  KERNEL_TRY(read_zero_point<T>(args, kZeroPoint, &by.zero_point));
  KERNEL_TRY(read_range<T>(args, kLow, kHigh, &by.range));
  apply_runs<T, float>(
      args.tensor(kIn), args.tensor(kOut),
      [&by](const float* from, size_t count, T* to) { quantize_run(by, from, count, to); });
  return Status::kOk;
}

}  // namespace

Status run_berth_quantize(KernelContext&, const Args& args) {
  KERNEL_REQUIRE(has_dtype(args.tensor(0), ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(same_shape(args.tensor(0), args.tensor(5)), kBadShape);
  return dispatch_dtype<uint8_t, int8_t, int16_t>(
      args.tensor(5).dtype, [&](auto zero) { return run_typed<decltype(zero)>(args); });
}

}  // namespace berth::runtime
