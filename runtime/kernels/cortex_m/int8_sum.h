// quantized_add of int8 on a Cortex-M: a run of elements. The arithmetic is that of
// quantized_sum.h.
#pragma once

#include "runtime/core/build_kind.h"
#include "runtime/kernels/cortex_m/int8_scale.h"
#include "runtime/kernels/scaling.h"

namespace berth::runtime {

struct Int8Operand {
  const int8_t* at;
  bool repeated;  // the same element for all of the run
  int32_t zero_point;
  Scaling scaling;
};

// What the sum of a run is made of. Elements are shifted left by 20 before they are scaled.
struct Int8Sum {
  Int8Operand self, other;
  Scaling scaling;
  Int8Bounds bounds;
};

#if defined(__ARM_FEATURE_MVE)

// Any: a build for size has no other form.
constexpr bool kTakesAnyInt8Sum = true;
inline bool takes_int8_sum(const Int8Sum&) { return true; }

// kSelfShifts, kOtherShifts: the operand's own shift is not 0; asked once, not per element.
// In place is right: four elements are read before they are written.
template <bool kSelfShifts, bool kOtherShifts>
void add_int8_elements(const Int8Sum& sum, size_t count, int8_t* out) {
  const Int8Operand self = sum.self, other = sum.other;  // `out` might write the originals
  const int32_t multiplier = sum.scaling.multiplier, shift = sum.scaling.shift;
  const int32_t zero_point = sum.bounds.zero_point;
  const int32x4_t low = vdupq_n_s32(sum.bounds.low), high = vdupq_n_s32(sum.bounds.high);
  const int32_t self_less = self.zero_point * (1 << 20), other_less = other.zero_point * (1 << 20);
  const auto fine = [](int32x4_t values, int32_t less) {
    return vsubq_n_s32(vshlq_n_s32(values, 20), less);
  };
  const auto add = [&](int32x4_t a, int32x4_t b) {
    a = fine(a, self_less), b = fine(b, other_less);
    a = kSelfShifts ? scale_four(a, self.scaling.multiplier, self.scaling.shift)
                    : vqrdmulhq_n_s32(a, self.scaling.multiplier);
    b = kOtherShifts ? scale_four(b, other.scaling.multiplier, other.scaling.shift)
                     : vqrdmulhq_n_s32(b, other.scaling.multiplier);
    const int32x4_t values = scale_four(vaddq_s32(a, b), multiplier, shift);
    return vmaxq_s32(vminq_s32(vaddq_n_s32(values, zero_point), high), low);
  };
  size_t i = 0;
  if (!self.repeated && !other.repeated) {
    for (; i + 4 <= count; i += 4) {
      vstrbq_s32(out + i, add(vldrbq_s32(self.at + i), vldrbq_s32(other.at + i)));
    }
  }
  const auto load = [&](const Int8Operand& operand, mve_pred16_t present) {
    return operand.repeated ? vdupq_n_s32(*operand.at) : vldrbq_z_s32(operand.at + i, present);
  };
  for (; i < count; i += 4) {
    const mve_pred16_t present = vctp32q(static_cast<uint32_t>(count - i));
    vstrbq_p_s32(out + i, add(load(self, present), load(other, present)), present);
  }
}

#else

constexpr bool kTakesAnyInt8Sum = false;

// What real layers have: then no doubling below can overflow.
inline bool takes_int8_sum(const Int8Sum& sum) {
  return !sum.self.repeated && !sum.other.repeated && sum.self.scaling.shift <= 0 &&
         sum.other.scaling.shift <= 0 && sum.scaling.shift < 0;
}

// kSelfShifts, kOtherShifts: the operand's own shift is not 0. REQUIRES: takes_int8_sum.
template <bool kSelfShifts, bool kOtherShifts>
void add_int8_elements(const Int8Sum& sum, size_t count, int8_t* out) {
  const int8_t *self = sum.self.at, *other = sum.other.at;
  const int32_t self_less = sum.self.zero_point * (1 << 21);
  const int32_t other_less = sum.other.zero_point * (1 << 21);
  const Scaling self_scaling = sum.self.scaling, other_scaling = sum.other.scaling;
  const Scaling scaling = sum.scaling;
  const Int8Bounds bounds = sum.bounds;
  for (const int8_t* const end = self + count; self != end;) {
    int32_t a = high_of_doubled(*self++ * (1 << 21) - self_less, self_scaling.multiplier);
    int32_t b = high_of_doubled(*other++ * (1 << 21) - other_less, other_scaling.multiplier);
    if constexpr (kSelfShifts) a = round_shift(a, ~self_scaling.shift);
    if constexpr (kOtherShifts) b = round_shift(b, ~other_scaling.shift);
    const int32_t scaled =
        round_shift(high_of_doubled((a + b) * 2, scaling.multiplier), ~scaling.shift);
    *out++ = bound(scaled, bounds);
  }
}

#endif

// REQUIRES: takes_int8_sum.
inline void add_int8_run(const Int8Sum& sum, size_t count, int8_t* out) {
  if constexpr (!kForSpeed && kTakesAnyInt8Sum)
    return add_int8_elements<true, true>(sum, count, out);
  const bool self = sum.self.scaling.shift != 0, other = sum.other.scaling.shift != 0;
  const auto run = self    ? other ? add_int8_elements<true, true> : add_int8_elements<true, false>
                      : other ? add_int8_elements<false, true>
                           : add_int8_elements<false, false>;
  run(sum, count, out);
}

}  // namespace berth::runtime
