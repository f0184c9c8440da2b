#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

template <typename T>
Status run_typed(const Tensor& a, const Tensor& b, Tensor& out) {
  if (out.numel() == 0) return Status::kOk;
  LoopNest<3> nest;
  KERNEL_TRY(broadcast(out, a, b, &nest));
  apply_elementwise(nest, a.as<T>(), b.as<T>(), out.as_mutable<T>(),
                    [](T x, T y) { return x > y ? x : y; });
  return Status::kOk;
}

}  // namespace

Status run_maximum(KernelContext&, const Args& args) {
  const Tensor& a = args.tensor(0);
  const Tensor& b = args.tensor(1);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(a.dtype == b.dtype && a.dtype == out.dtype, kBadArguments);
  switch (out.dtype) {
    case ScalarType::kChar:
      return run_typed<int8_t>(a, b, out);
    case ScalarType::kShort:
      return run_typed<int16_t>(a, b, out);
    case ScalarType::kInt:
      return run_typed<int32_t>(a, b, out);
    default:
      return Status::kBadArguments;
  }
}

}  // namespace berth::runtime
