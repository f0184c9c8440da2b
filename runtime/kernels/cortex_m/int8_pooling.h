// A pooling window of int8 on a Cortex-M: some channels at a time, whose sums stay in registers
// while all taps go by.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace berth::runtime {

// The part of a window that is inside the image; steps in elements.
struct PoolTaps {
  const int8_t* first;
  int rows, columns;
  size_t row_step, step;

  template <typename F>
  void for_each(const F& f) const {
    const int8_t* row = first;
    for (int r = rows; r > 0; --r, row += row_step) {
      const int8_t* tap = row;
      for (int c = columns; c > 0; --c, tap += step) f(tap);
    }
  }
};

// sums[i] of channels 0 .. count. Rule: as pool() has it, and for MVE add() of vectors too.
template <typename Rule>
void sum_int8_window(PoolTaps taps, int count, int32_t* sums) {
#if defined(__ARM_FEATURE_MVE)
  for (; count >= 16; count -= 16, sums += 16, taps.first += 16) {
    int32x4_t s0 = vdupq_n_s32(Rule::kStart), s1 = s0, s2 = s0, s3 = s0;
    taps.for_each([&](const int8_t* tap) {
      s0 = Rule::add(s0, vldrbq_s32(tap));
      s1 = Rule::add(s1, vldrbq_s32(tap + 4));
      s2 = Rule::add(s2, vldrbq_s32(tap + 8));
      s3 = Rule::add(s3, vldrbq_s32(tap + 12));
    });
    vst1q_s32(sums, s0), vst1q_s32(sums + 4, s1);
    vst1q_s32(sums + 8, s2), vst1q_s32(sums + 12, s3);
  }
#endif
  for (; count >= 4; count -= 4, sums += 4, taps.first += 4) {
    int32_t s0 = Rule::kStart, s1 = s0, s2 = s0, s3 = s0;
    taps.for_each([&](const int8_t* tap) {
      s0 = Rule::add(s0, tap[0]);
      s1 = Rule::add(s1, tap[1]);
      s2 = Rule::add(s2, tap[2]);
      s3 = Rule::add(s3, tap[3]);
    });
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
  }
  for (; count > 0; --count, ++sums, ++taps.first) {
    int32_t sum = Rule::kStart;
    taps.for_each([&](const int8_t* tap) { sum = Rule::add(sum, *tap); });
    *sums = sum;
  }
}

}  // namespace berth::runtime
