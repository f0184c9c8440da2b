#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// The difference is exact in double and so is its product with a float32 scale: one rounding, at
// the end.
template <typename T>
Status run_typed(const Args& args, const Tensor& in, Tensor& out) {
  const double scale = static_cast<double>(static_cast<float>(args.number(1)));
  const int64_t zero_point = args.integer(2);
  KERNEL_REQUIRE(fits<T>(zero_point), kBadArguments);
  apply_unary<float, T>(in, out, [=](T value) {
    return static_cast<float>(scale *
                              static_cast<double>(static_cast<int64_t>(value) - zero_point));
  });
  return Status::kOk;
}

}  // namespace

Status run_dequantize_per_tensor(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(6);
  KERNEL_REQUIRE(has_dtype(out, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(args.integer(5) == static_cast<int64_t>(in.dtype), kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  switch (in.dtype) {
    case ScalarType::kByte:
      return run_typed<uint8_t>(args, in, out);
    case ScalarType::kChar:
      return run_typed<int8_t>(args, in, out);
    case ScalarType::kShort:
      return run_typed<int16_t>(args, in, out);
    case ScalarType::kInt:
      return run_typed<int32_t>(args, in, out);
    default:
      return Status::kBadArguments;
  }
}

}  // namespace berth::runtime
