#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/cortex_m/quantize_run.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename T>
Status run_typed(const Args& args, const Tensor& in, Tensor& out) {
  const float scale = static_cast<float>(args.number(1));
  KERNEL_REQUIRE(scale > 0.0f, kBadArguments);
  Quantization<Half::kToEven, T> by{1.0f / scale, 0, {}};
  KERNEL_TRY(read_zero_point<T>(args, 2, &by.zero_point));
  KERNEL_TRY(read_range<T>(args, 3, 4, &by.range));
  apply_runs<T, float>(in, out, [&by](const float* from, size_t count, T* to) {
    quantize_run(by, from, count, to);
  });
  return Status::kOk;
}

}  // namespace

Status run_quantize_per_tensor(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(6);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(args.integer(5) == static_cast<int64_t>(out.dtype), kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  return dispatch_dtype<int8_t, int16_t>(
      out.dtype, [&](auto zero) { return run_typed<decltype(zero)>(args, in, out); });
}

}  // namespace berth::runtime
