// Product of two quantised tensors: (a - za) * (b - zb), scaled once.
#pragma once

#include "runtime/kernels/cortex_m/int8_multiply.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

struct ProductRule {
  int32_t self_zero_point = 0, other_zero_point = 0, out_zero_point = 0;
  Scaling scaling;
  Range range;
};

// Scale: Scaling or PlainScaling.
template <typename Scale, typename T>
void multiply_elements(const LoopNest<3>& nest, const ProductRule& rule, const T* self,
                       const T* other, T* out) {
  const Scale scale(rule.scaling);
  apply_elementwise(nest, self, other, out, [=](T a, T b) {
    const int32_t product = wrapping_mul(a - rule.self_zero_point, b - rule.other_zero_point);
    return static_cast<T>(clamp_to(wrapping_add(scale.apply(product), rule.out_zero_point),
                                   rule.range.low, rule.range.high));
  });
}

// On a Cortex-M. False where runs of the output are in pieces, and for scalings that are not for
// it.
inline bool multiply_int8(const LoopNest<3>& nest, const ProductRule& rule, const int8_t* self,
                          const int8_t* other, int8_t* out) {
  const auto step = [&](int operand) {
    return nest.rank == 0 ? size_t{1} : nest.steps[operand][nest.rank - 1];
  };
  if (step(0) > 1 || step(1) > 1 || step(2) > 1) return false;
  Int8Product product{self,
                      other,
                      step(1) == 0,
                      step(2) == 0,
                      rule.self_zero_point,
                      rule.other_zero_point,
                      rule.scaling,
                      {rule.out_zero_point, rule.range.low, rule.range.high}};
  if (!takes_int8_product(product)) return false;
  nest.for_each_run([&](const size_t(&offset)[3], size_t count, const size_t(&)[3]) {
    product.self = self + offset[1];
    product.other = other + offset[2];
    multiply_int8_run(product, count, out + offset[0]);
  });
  return true;
}

// Arguments: self, zp, other, zp, out zp, multiplier, shift, then min and max where the operator
// has a range, then out. All of T.
template <typename T>
Status multiply_quantized(const Args& args, bool has_range) {
  enum : uint32_t {
    kSelf,
    kSelfZeroPoint,
    kOther,
    kOtherZeroPoint,
    kOutZeroPoint,
    kMultiplier,
    kShift,
    kLow,
    kHigh
  };
  const Tensor& self = args.tensor(kSelf);
  const Tensor& other = args.tensor(kOther);
  const Tensor& out = args.tensor(has_range ? kHigh + 1 : kShift + 1);
  KERNEL_REQUIRE(all_have_dtype(scalar_type_of<T>(), self, other, out), kBadArguments);
  ProductRule rule;
  KERNEL_TRY(read_zero_point<T>(args, kSelfZeroPoint, &rule.self_zero_point));
  KERNEL_TRY(read_zero_point<T>(args, kOtherZeroPoint, &rule.other_zero_point));
  KERNEL_TRY(read_zero_point<T>(args, kOutZeroPoint, &rule.out_zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &rule.scaling));
  rule.range = full_range<T>();
  if (has_range) KERNEL_TRY(read_range<T>(args, kLow, kHigh, &rule.range));
  if (out.numel() == 0) return Status::kOk;
  LoopNest<3> nest;
  KERNEL_TRY(broadcast(out, self, other, &nest));
  if constexpr (sizeof(T) == 1 && kBuildIsa != Isa::kHost) {
    if (multiply_int8(nest, rule, self.as<T>(), other.as<T>(), out.as_mutable<T>())) {
      return Status::kOk;
    }
  }
  if (rule.scaling.is_plain()) {
    multiply_elements<PlainScaling>(nest, rule, self.as<T>(), other.as<T>(), out.as_mutable<T>());
  } else {
    multiply_elements<Scaling>(nest, rule, self.as<T>(), other.as<T>(), out.as_mutable<T>());
  }
  return Status::kOk;
}

}  // namespace berth::runtime
