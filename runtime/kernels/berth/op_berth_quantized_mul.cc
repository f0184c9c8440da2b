#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/quantized_product.h"

namespace berth::runtime {
namespace {

template <typename T>
Status run_typed(const Args& args) {
  enum : uint32_t {
    kSelf,
    kSelfZeroPoint,
    kOther,
    kOtherZeroPoint,
    kOutZeroPoint,
    kMultiplier,
    kShift,
    kLow,
    kHigh,
    kOut
  };
  ProductRule rule;
  KERNEL_TRY(read_zero_point<T>(args, kSelfZeroPoint, &rule.self_zero_point));
  KERNEL_TRY(read_zero_point<T>(args, kOtherZeroPoint, &rule.other_zero_point));
  KERNEL_TRY(read_zero_point<T>(args, kOutZeroPoint, &rule.out_zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &rule.scaling));
  KERNEL_TRY(read_range<T>(args, kLow, kHigh, &rule.range));
  return multiply_quantized<T>(args.tensor(kSelf), args.tensor(kOther), rule, args.tensor(kOut));
}

}  // namespace

Status run_berth_quantized_mul(KernelContext&, const Args& args) {
  const ScalarType dtype = args.tensor(0).dtype;
  KERNEL_REQUIRE(has_dtype(args.tensor(2), dtype) && has_dtype(args.tensor(9), dtype),
                 kBadArguments);
  if (dtype == ScalarType::kChar) return run_typed<int8_t>(args);
  if (dtype == ScalarType::kShort) return run_typed<int16_t>(args);
  return Status::kBadArguments;
}

}  // namespace berth::runtime
