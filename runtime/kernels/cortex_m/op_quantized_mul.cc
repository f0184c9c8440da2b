#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/quantized_product.h"

namespace berth::runtime {

Status run_quantized_mul(KernelContext&, const Args& args) {
  enum : uint32_t {
    kSelf,
    kSelfZeroPoint,
    kOther,
    kOtherZeroPoint,
    kOutZeroPoint,
    kMultiplier,
    kShift,
    kOut
  };
  const Tensor& self = args.tensor(kSelf);
  const Tensor& other = args.tensor(kOther);
  Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(has_dtype(self, ScalarType::kChar) && has_dtype(other, ScalarType::kChar) &&
                     has_dtype(out, ScalarType::kChar),
                 kBadArguments);
  ProductRule rule;
  KERNEL_TRY(read_zero_point<int8_t>(args, kSelfZeroPoint, &rule.self_zero_point));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOtherZeroPoint, &rule.other_zero_point));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOutZeroPoint, &rule.out_zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &rule.scaling));
  rule.range = full_range<int8_t>();
  return multiply_quantized<int8_t>(self, other, rule, out);
}

}  // namespace berth::runtime
