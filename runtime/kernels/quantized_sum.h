// Sum and difference of two quantised tensors of different scales: both are brought to a common,
// finer scale first (shifted left by 20 bits for int8, 15 for int16), so that only the last
// rounding is coarse.
#pragma once

#include "runtime/kernels/cortex_m/int8_sum.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

template <typename T>
struct SumRule {
  static constexpr int kLeftShift = sizeof(T) == 1 ? 20 : 15;
  int32_t zero_points[2];
  Scaling scalings[2];
  int32_t out_zero_point = 0;
  Scaling out_scaling;
  Range range;
};

// Scale: Scaling or PlainScaling.
template <typename Scale, typename T>
void add_elements(const LoopNest<3>& nest, const SumRule<T>& rule, int sign, const T* self,
                  const T* other, T* out) {
  const Scale left(rule.scalings[0]), right(rule.scalings[1]), scale(rule.out_scaling);
  const uint32_t flip = sign > 0 ? 0u : ~0u;  // (x ^ flip) - flip is x or -x
  apply_elementwise(nest, self, other, out, [=](T a, T b) {
    const int32_t x =
        left.apply(wrapping_shift_left(a - rule.zero_points[0], SumRule<T>::kLeftShift));
    const int32_t y =
        right.apply(wrapping_shift_left(b - rule.zero_points[1], SumRule<T>::kLeftShift));
    const uint32_t sum = static_cast<uint32_t>(x) + ((static_cast<uint32_t>(y) ^ flip) - flip);
    const int32_t scaled = scale.apply(static_cast<int32_t>(sum));
    return static_cast<T>(
        clamp_to(wrapping_add(scaled, rule.out_zero_point), rule.range.low, rule.range.high));
  });
}

// In a build for size what is in pieces is added one by one, where that takes any scaling.
constexpr bool kOnlyInt8Sum = !kForSpeed && kTakesAnyInt8Sum;

// On a Cortex-M. False where runs of the output are in pieces, and for scalings that are not for
// it.
inline bool add_int8(const LoopNest<3>& nest, const SumRule<int8_t>& rule, const int8_t* self,
                     const int8_t* other, int8_t* out) {
  const auto step = [&](int operand) {
    return nest.rank == 0 ? size_t{1} : nest.steps[operand][nest.rank - 1];
  };
  const bool in_pieces = step(0) > 1 || step(1) > 1 || step(2) > 1;
  if (in_pieces && !kOnlyInt8Sum) return false;
  Int8Sum sum{{self, step(1) == 0, rule.zero_points[0], rule.scalings[0]},
              {other, step(2) == 0, rule.zero_points[1], rule.scalings[1]},
              rule.out_scaling,
              {rule.out_zero_point, rule.range.low, rule.range.high}};
  if (!takes_int8_sum(sum)) return false;
  nest.for_each_run([&](const size_t(&offset)[3], size_t count, const size_t(&steps)[3]) {
    sum.self.at = self + offset[1];
    sum.other.at = other + offset[2];
    int8_t* to = out + offset[0];
    if (!kOnlyInt8Sum || !in_pieces) return add_int8_run(sum, count, to);
    for (size_t i = 0; i < count; ++i, to += steps[0]) {
      add_int8_run(sum, 1, to);
      sum.self.at += steps[1];
      sum.other.at += steps[2];
    }
  });
  return true;
}

// Arguments: self, zp, multiplier, shift, other, zp, multiplier, shift, out zp, multiplier, shift,
// min, max, out. sign: +1 or -1, what other is taken with; kOnlyAdds: it is always +1.
template <typename T, bool kOnlyAdds = false>
Status add_quantized(const Args& args, int sign) {
  const Tensor& self = args.tensor(0);
  const Tensor& other = args.tensor(4);
  Tensor& out = args.tensor(13);
  SumRule<T> rule;
  KERNEL_TRY(read_zero_point<T>(args, 1, &rule.zero_points[0]));
  KERNEL_TRY(read_scaling(args, 2, 3, &rule.scalings[0]));
  KERNEL_TRY(read_zero_point<T>(args, 5, &rule.zero_points[1]));
  KERNEL_TRY(read_scaling(args, 6, 7, &rule.scalings[1]));
  KERNEL_TRY(read_zero_point<T>(args, 8, &rule.out_zero_point));
  KERNEL_TRY(read_scaling(args, 9, 10, &rule.out_scaling));
  KERNEL_TRY(read_range<T>(args, 11, 12, &rule.range));
  if (out.numel() == 0) return Status::kOk;
  LoopNest<3> nest;
  KERNEL_TRY(broadcast(out, self, other, &nest));
  constexpr bool kIsInt8 = sizeof(T) == 1 && kBuildIsa != Isa::kHost;
  if constexpr (kIsInt8) {
    const bool is_added =
        sign > 0 && add_int8(nest, rule, self.as<T>(), other.as<T>(), out.as_mutable<T>());
    if (is_added) return Status::kOk;
  }
  if constexpr (kIsInt8 && kOnlyAdds && kOnlyInt8Sum) return Status::kOk;
  if (kForSpeed && rule.scalings[0].is_plain() && rule.scalings[1].is_plain() &&
      rule.out_scaling.is_plain()) {
    add_elements<PlainScaling>(nest, rule, sign, self.as<T>(), other.as<T>(), out.as_mutable<T>());
  } else {
    add_elements<Scaling>(nest, rule, sign, self.as<T>(), other.as<T>(), out.as_mutable<T>());
  }
  return Status::kOk;
}

// berth::quantized_add and quantized_sub: int8 and int16.
inline Status run_quantized_sum(const Args& args, int sign) {
  const ScalarType dtype = args.tensor(0).dtype;
  KERNEL_REQUIRE(has_dtype(args.tensor(4), dtype) && has_dtype(args.tensor(13), dtype),
                 kBadArguments);
  return dispatch_dtype<int8_t, int16_t>(
      dtype, [&](auto zero) { return add_quantized<decltype(zero)>(args, sign); });
}

}  // namespace berth::runtime
