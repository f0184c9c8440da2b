// quantized_mul of int8 on a Cortex-M: a run of elements. The arithmetic is that of
// quantized_product.h.
#pragma once

#include "runtime/kernels/cortex_m/int8_scale.h"
#include "runtime/kernels/scaling.h"

namespace berth::runtime {

// The product of a run. An operand may be the same element for all of it.
struct Int8Product {
  const int8_t *self, *other;
  bool self_repeated, other_repeated;
  int32_t self_zero_point, other_zero_point;
  Scaling scaling;
  Int8Bounds bounds;
};

// A shift to the right: what is scaled fits in 17 bits then, and nothing below can overflow.
inline bool takes_int8_product(const Int8Product& product) { return product.scaling.shift < 0; }

#if defined(__ARM_FEATURE_MVE)

// Eight at a time. In place is right: they are read before they are written. REQUIRES:
// takes_int8_product.
inline void multiply_int8_run(const Int8Product& product, size_t count, int8_t* out) {
  const Int8Product p = product;  // `out` might write the original
  const int16x8_t low = vdupq_n_s16(static_cast<int16_t>(p.bounds.low));
  const int16x8_t high = vdupq_n_s16(static_cast<int16_t>(p.bounds.high));
  const int16_t zero_point = static_cast<int16_t>(p.bounds.zero_point);
  const int32_t multiplier = p.scaling.multiplier, shift = p.scaling.shift;
  const int16_t self_less = static_cast<int16_t>(p.self_zero_point);
  const int16_t other_less = static_cast<int16_t>(p.other_zero_point);
  const auto scale = [&](int32x4_t values) {
    const int32x4_t scaled = vqrdmulhq_n_s32(values, multiplier);
    return vrshlq_n_s32(vaddq_s32(scaled, vshrq_n_s32(scaled, 31)), shift);
  };
  const auto multiply = [&](int16x8_t a, int16x8_t b) {
    a = vsubq_n_s16(a, self_less), b = vsubq_n_s16(b, other_less);
    int16x8_t values = vqmovnbq_s32(a, scale(vmullbq_int_s16(a, b)));
    values = vqmovntq_s32(values, scale(vmulltq_int_s16(a, b)));
    return vmaxq_s16(vminq_s16(vqaddq_n_s16(values, zero_point), high), low);
  };
  size_t i = 0;
  if (!p.self_repeated && !p.other_repeated) {
    const int8_t *self = p.self, *other = p.other;
    for (; i + 8 <= count; i += 8, self += 8, other += 8, out += 8) {
      vstrbq_s16(out, multiply(vldrbq_s16(self), vldrbq_s16(other)));
    }
  }
  const auto load = [&](const int8_t* at, bool repeated, mve_pred16_t present) {
    return repeated ? vdupq_n_s16(*at) : vldrbq_z_s16(at + i, present);
  };
  for (; i < count; i += 8, out += 8) {
    const mve_pred16_t present = vctp16q(static_cast<uint32_t>(count - i));
    const int16x8_t a = load(p.self, p.self_repeated, present);
    vstrbq_p_s16(out, multiply(a, load(p.other, p.other_repeated, present)), present);
  }
}

#else

// REQUIRES: takes_int8_product.
inline void multiply_int8_run(const Int8Product& product, size_t count, int8_t* out) {
  const int8_t *self = product.self, *other = product.other;
  const int self_step = product.self_repeated ? 0 : 1, other_step = product.other_repeated ? 0 : 1;
  const int32_t twice_self_less = product.self_zero_point * 2,
                other_less = product.other_zero_point;
  const int32_t multiplier = product.scaling.multiplier, less_one = ~product.scaling.shift;
  const Int8Bounds bounds = product.bounds;
  for (const int8_t* const end = out + count; out != end; self += self_step, other += other_step) {
    const int32_t twice = (*self * 2 - twice_self_less) * (*other - other_less);
    *out++ = bound(round_shift(high_of_doubled(twice, multiplier), less_one), bounds);
  }
}

#endif

}  // namespace berth::runtime
