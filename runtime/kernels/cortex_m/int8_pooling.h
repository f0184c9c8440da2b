// Pooling of int8 on a Cortex-M: some channels at a time, whose sums stay in registers while all
// taps of a window go by. Counts in 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/fixed_point.h"
#include "contract/scratch_rules.h"
#include "runtime/core/build_kind.h"

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
  [[gnu::always_inline]] void for_each(int channel, const F& f) const {
    const int8_t* row = first + channel;
    for (int r = rows; r > 0; --r, row += row_step) {
      const int8_t* tap = row;
      for (int c = columns; c > 0; --c, tap += step) f(tap);
    }
  }
};

#if defined(__ARM_FEATURE_MVE)

struct Int8MaxPool {
  static void pool(const PoolTaps& taps, int channels, int32_t low, int32_t high, int8_t* out) {
    const int8x16_t lowest = vdupq_n_s8(static_cast<int8_t>(low));
    const int8x16_t highest = vdupq_n_s8(static_cast<int8_t>(high));
    int c = 0;
    for (; c + 16 <= channels; c += 16) {
      int8x16_t most = lowest;
      taps.for_each(c, [&](const int8_t* tap) { most = vmaxq_s8(most, vld1q_s8(tap)); });
      vst1q_s8(out + c, vminq_s8(most, highest));
    }
    if (c == channels) return;
    const mve_pred16_t present = vctp8q(static_cast<uint32_t>(channels - c));
    int8x16_t most = lowest;
    taps.for_each(c, [&](const int8_t* tap) { most = vmaxq_s8(most, vld1q_z_s8(tap, present)); });
    vst1q_p_s8(out + c, vminq_s8(most, highest), present);
  }
};

// The quotient, rounded half away from zero, by multiplying with ceil(2^32 / taps): exact while
// dividend times taps is below 2^32, and a dividend is below 128.5 * taps.
struct Int8AveragePool {
  static constexpr int kMostTaps = 5000;

  static void pool(const PoolTaps& taps, int channels, int32_t low, int32_t high, int8_t* out) {
    const int32_t count = taps.rows * taps.columns;
    const uint32_t inverse = UINT32_MAX / static_cast<uint32_t>(count) + 1;
    const int32x4_t lowest = vdupq_n_s32(low), highest = vdupq_n_s32(high);
    const auto divide = [&](int32x4_t sums) {
      if (count == 1) return vmaxq_s32(vminq_s32(sums, highest), lowest);
      if (count > kMostTaps) return divide_slowly(sums, count, low, high);
      const uint32x4_t magnitude = vreinterpretq_u32_s32(vaddq_n_s32(vabsq_s32(sums), count / 2));
      const int32x4_t quotient = vreinterpretq_s32_u32(vmulhq_u32(magnitude, vdupq_n_u32(inverse)));
      const int32x4_t sign = vshrq_n_s32(sums, 31);
      const int32x4_t values = vsubq_s32(veorq_s32(quotient, sign), sign);
      return vmaxq_s32(vminq_s32(values, highest), lowest);
    };
    int c = 0;
    for (; kForSpeed && c + 16 <= channels; c += 16) {
      int32x4_t s0 = vdupq_n_s32(0), s1 = s0, s2 = s0, s3 = s0;
      taps.for_each(c, [&](const int8_t* tap) {
        s0 = vaddq_s32(s0, vldrbq_s32(tap)), s1 = vaddq_s32(s1, vldrbq_s32(tap + 4));
        s2 = vaddq_s32(s2, vldrbq_s32(tap + 8)), s3 = vaddq_s32(s3, vldrbq_s32(tap + 12));
      });
      vstrbq_s32(out + c, divide(s0)), vstrbq_s32(out + c + 4, divide(s1));
      vstrbq_s32(out + c + 8, divide(s2)), vstrbq_s32(out + c + 12, divide(s3));
    }
    for (; c < channels; c += 4) {
      const mve_pred16_t present = vctp32q(static_cast<uint32_t>(channels - c));
      int32x4_t sums = vdupq_n_s32(0);
      taps.for_each(c,
                    [&](const int8_t* tap) { sums = vaddq_s32(sums, vldrbq_z_s32(tap, present)); });
      vstrbq_p_s32(out + c, divide(sums), present);
    }
  }

 private:
  [[gnu::noinline]] static int32x4_t divide_slowly(int32x4_t sums, int32_t count, int32_t low,
                                                   int32_t high) {
    int32_t values[4];
    vst1q_s32(values, sums);
    for (int32_t& value : values) {
      value = (value > 0 ? value + count / 2 : value - count / 2) / count;
      value = clamp_to(value, low, high);
    }
    return vld1q_s32(values);
  }
};

#else

// Rule: the value a sum starts with, how an element joins it, and how it ends.
template <typename Rule>
struct Int8PlainPool {
  static void pool(const PoolTaps& taps, int channels, int32_t low, int32_t high, int8_t* out) {
    const int32_t count = taps.rows * taps.columns;
    const auto store = [&](int c, int32_t sum) {
      out[c] = static_cast<int8_t>(clamp_to(Rule::finish(sum, count), low, high));
    };
    int c = 0;
    for (; c + 4 <= channels; c += 4) {
      int32_t s0 = Rule::kStart, s1 = s0, s2 = s0, s3 = s0;
      taps.for_each(c, [&](const int8_t* tap) {
        s0 = Rule::add(s0, tap[0]), s1 = Rule::add(s1, tap[1]);
        s2 = Rule::add(s2, tap[2]), s3 = Rule::add(s3, tap[3]);
      });
      store(c, s0), store(c + 1, s1), store(c + 2, s2), store(c + 3, s3);
    }
    for (; c < channels; ++c) {
      int32_t sum = Rule::kStart;
      taps.for_each(c, [&](const int8_t* tap) { sum = Rule::add(sum, *tap); });
      store(c, sum);
    }
  }
};

#endif

// Whether pool_int8 takes a shape: it counts in 32 bits.
inline bool takes_int8_pool(const WindowShape& s) {
  constexpr int64_t kMost = 1 << 29;
  return s.in_h <= kMost && s.in_w <= kMost && s.kernel_h <= kMost && s.kernel_w <= kMost;
}

// Pool: one of the above. Every window meets the image. REQUIRES: takes_int8_pool.
template <typename Pool>
void pool_int8(const WindowShape& s, const int8_t* in, int32_t low, int32_t high, int8_t* out) {
  const auto in_h = static_cast<int32_t>(s.in_h), in_w = static_cast<int32_t>(s.in_w);
  const auto channels = static_cast<int32_t>(s.in_c);
  const auto kernel_h = static_cast<int32_t>(s.kernel_h);
  const auto kernel_w = static_cast<int32_t>(s.kernel_w);
  const auto out_h = static_cast<int32_t>(s.out_h), out_w = static_cast<int32_t>(s.out_w);
  // A stride beyond the image is met by one output, at 0.
  const auto stride_h = static_cast<int32_t>(s.stride_h < (1 << 30) ? s.stride_h : 1 << 30);
  const auto stride_w = static_cast<int32_t>(s.stride_w < (1 << 30) ? s.stride_w : 1 << 30);
  const auto pad_h = static_cast<int32_t>(s.pad_h), pad_w = static_cast<int32_t>(s.pad_w);
  PoolTaps taps;
  taps.row_step = static_cast<size_t>(in_w) * channels;
  taps.step = static_cast<size_t>(channels);
  for (int64_t n = s.batch; n > 0; --n, in += in_h * taps.row_step) {
    for (int32_t y = 0; y < out_h; ++y) {
      const int32_t y0 = y * stride_h - pad_h, top = y0 < 0 ? 0 : y0;
      taps.rows = (y0 + kernel_h < in_h ? y0 + kernel_h : in_h) - top;
      for (int32_t x = 0; x < out_w; ++x, out += channels) {
        const int32_t x0 = x * stride_w - pad_w, left = x0 < 0 ? 0 : x0;
        taps.columns = (x0 + kernel_w < in_w ? x0 + kernel_w : in_w) - left;
        taps.first = in + top * taps.row_step + left * taps.step;
        Pool::pool(taps, channels, low, high, out);
      }
    }
  }
}

}  // namespace berth::runtime
