// quantized_add of int8 with MVE: a run of elements, four at a time. The arithmetic is that of
// quantized_sum.h.
#pragma once

#if defined(__ARM_FEATURE_MVE)

#include "runtime/kernels/cortex_m/int8_scale.h"
#include "runtime/kernels/scaling.h"

namespace berth::runtime {

struct Int8Operand {
  const int8_t* at;
  bool repeated;  // the same element for all of the run
  int32_t zero_point;
  Scaling scaling;
};

// What the sum of a run is made of. `left_shift`: what elements are shifted by before scaling.
struct Int8Sum {
  Int8Operand self, other;
  int32_t left_shift;
  Scaling scaling;
  Int8Bounds bounds;
};

// kSelfShifts, kOtherShifts: the operand's own shift is not 0; asked once, not per element.
// In place is right: four elements are read before they are written.
template <bool kSelfShifts, bool kOtherShifts>
void add_int8_elements(const Int8Sum& sum, size_t count, int8_t* out) {
  const Int8Operand self = sum.self, other = sum.other;  // `out` might write the originals
  const Int8Bounds bounds = sum.bounds;
  const Scaling scaling = sum.scaling;
  const int32_t left_shift = sum.left_shift;
  const auto load = [&](const Int8Operand& operand, size_t at, mve_pred16_t present) {
    return operand.repeated ? vdupq_n_s32(*operand.at) : vldrbq_z_s32(operand.at + at, present);
  };
  const auto scaled = [&](const Int8Operand& operand, int32x4_t values, bool shifts) {
    const int32x4_t fine = vshlq_r_s32(vsubq_n_s32(values, operand.zero_point), left_shift);
    return shifts ? scale_four(fine, operand.scaling.multiplier, operand.scaling.shift)
                  : vqrdmulhq_n_s32(fine, operand.scaling.multiplier);
  };
  for (size_t i = 0; i < count; i += 4) {
    const mve_pred16_t present = vctp32q(static_cast<uint32_t>(count - i));
    const int32x4_t a = scaled(self, load(self, i, present), kSelfShifts);
    const int32x4_t b = scaled(other, load(other, i, present), kOtherShifts);
    const int32x4_t values = scale_four(vaddq_s32(a, b), scaling.multiplier, scaling.shift);
    vstrbq_p_s32(out + i, bound_four(values, bounds), present);
  }
}

inline void add_int8_run(const Int8Sum& sum, size_t count, int8_t* out) {
  const bool self = sum.self.scaling.shift != 0, other = sum.other.scaling.shift != 0;
  const auto run = self    ? other ? add_int8_elements<true, true> : add_int8_elements<true, false>
                      : other ? add_int8_elements<false, true>
                           : add_int8_elements<false, false>;
  run(sum, count, out);
}

}  // namespace berth::runtime

#endif
