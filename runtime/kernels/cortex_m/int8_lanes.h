// The channels of a depthwise convolution at one position: sums over the taps of the window, then
// outputs. A function per instruction set, all of one shape: it does as many channels from `first`
// on as it can, and answers with the first that is left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/cortex_m/int8_dot.h"
#include "runtime/kernels/cortex_m/int8_scale.h"

namespace berth::runtime {

struct LaneLayer {
  int out_c;
  int multiplier;  // outputs per input channel
  int32_t in_offset;
  bool shifts_left;  // some channel's shift is positive
  Int8Channels channels;
  Int8Bounds bounds;
};

// The part of a window that is inside the image; steps are in bytes, from one tap to the next and
// from one row of taps to the next.
struct LaneTaps {
  const int8_t* in;       // the first tap's input pixel
  const int8_t* weights;  // and its weights
  int rows, columns;
  int in_step, in_row_step, weight_step, weight_row_step;
};

// Any processor, any multiplier.
[[gnu::noinline]] inline int finish_plain_lanes(const LaneLayer& layer, const LaneTaps& taps,
                                                int first, int8_t* out) {
  const int32_t offset = layer.in_offset;
  for (; first < layer.out_c; ++first) {
    const int8_t* row = taps.in + first / layer.multiplier;
    const int8_t* filter = taps.weights + first;
    int32_t sum = layer.channels.bias_of(static_cast<size_t>(first));
    for (int r = taps.rows; r > 0; --r, row += taps.in_row_step, filter += taps.weight_row_step) {
      const int8_t *x = row, *w = filter;
      for (int c = taps.columns; c > 0; --c, x += taps.in_step, w += taps.weight_step) {
        sum = wrapping_add(sum, (*x + offset) * *w);
      }
    }
    out[first] =
        to_int8(sum, layer.channels.multipliers[first], layer.channels.shifts[first], layer.bounds);
  }
  return first;
}

#if defined(__ARM_FEATURE_MVE)

constexpr int kMostGathered = 240;

// Where eight channels from `first` on find their inputs, from that of `first` on. The quotient is
// exact: what is divided is below multiplier + 8.
inline uint16x8_t gather_offsets(int first, int multiplier) {
  const uint32_t inverse = 65535 / static_cast<uint32_t>(multiplier) + 1;
  const uint16x8_t uses = vidupq_n_u16(static_cast<uint32_t>(first % multiplier), 1);
  return vmulhq_u16(uses, vdupq_n_u16(static_cast<uint16_t>(inverse)));
}

// Eight channels or sixteen: vectors of 16-bit products, whose even and odd lanes are summed apart.
// kGather: several outputs see an input; eight channels then, and at most kMostGathered outputs.
template <int kGroups, bool kGather>
[[gnu::noinline]] int finish_vector_lanes(const LaneLayer& layer, const LaneTaps& taps, int first,
                                          int8_t* out) {
  static_assert(!kGather || kGroups == 1, "offsets are those of eight channels");
  constexpr int kLanes = 8 * kGroups;
  const int16_t offset = static_cast<int16_t>(layer.in_offset);
  const Int8Channels& channels = layer.channels;
  for (; first + kLanes <= layer.out_c; first += kLanes) {
    int32x4_t even[kGroups], odd[kGroups];
    for (int g = 0; g < kGroups; ++g) {
      even[g] = odd[g] = vdupq_n_s32(0);
      if (channels.bias != nullptr) {
        const int32x4x2_t bias = vld2q_s32(channels.bias + first + 8 * g);
        even[g] = bias.val[0], odd[g] = bias.val[1];
      }
    }
    uint16x8_t places = vdupq_n_u16(0);
    if constexpr (kGather) places = gather_offsets(first, layer.multiplier);
    const int8_t* row = taps.in + (kGather ? first / layer.multiplier : first);
    const int8_t* filter = taps.weights + first;
    const int in_step = taps.in_step, weight_step = taps.weight_step;
    for (int r = taps.rows; r > 0; --r, row += taps.in_row_step, filter += taps.weight_row_step) {
      const int8_t *x = row, *w = filter;
      for (int c = taps.columns; c > 0; --c, x += in_step, w += weight_step) {
        for (int g = 0; g < kGroups; ++g) {
          const int16x8_t raw =
              kGather ? vldrbq_gather_offset_s16(x, places) : vldrbq_s16(x + 8 * g);
          const int16x8_t input = vaddq_n_s16(raw, offset);
          const int16x8_t weights = vldrbq_s16(w + 8 * g);
          even[g] = vaddq_s32(even[g], vmullbq_int_s16(input, weights));
          odd[g] = vaddq_s32(odd[g], vmulltq_int_s16(input, weights));
        }
      }
    }
    for (int g = 0; g < kGroups; ++g) {
      const int32x4x2_t multipliers = vld2q_s32(channels.multipliers + first + 8 * g);
      const int32x4x2_t shifts = vld2q_s32(channels.shifts + first + 8 * g);
      const auto finish = [&](int32x4_t sums, int half) {
        const int32x4_t scaled =
            layer.shifts_left ? scale_four(sums, multipliers.val[half], shifts.val[half])
                              : scale_four_right(sums, multipliers.val[half], shifts.val[half]);
        return bound_four(scaled, layer.bounds);
      };
      const int16x8_t halves = vreinterpretq_s16_s32(finish(even[g], 0));
      vstrbq_s16(out + first + 8 * g, vmovntq_s32(halves, finish(odd[g], 1)));
    }
  }
  return first;
}

inline int finish_lanes(const LaneLayer& layer, const LaneTaps& taps, int8_t* out) {
  const bool gathers = layer.multiplier > 1;
  int first = 0;
  if (layer.multiplier <= kMostGathered) {
    const auto finish_eight =
        gathers ? finish_vector_lanes<1, true> : finish_vector_lanes<1, false>;
    if (!gathers) first = finish_vector_lanes<2, false>(layer, taps, first, out);
    first = finish_eight(layer, taps, first, out);
    // Less than eight are left: with some that are finished already they are eight.
    if (first < layer.out_c && first > 0) first = finish_eight(layer, taps, layer.out_c - 8, out);
  }
  return finish_plain_lanes(layer, taps, first, out);
}

#else

inline constexpr int32_t kNoBias[4] = {};

// A function of its own: with the registers of the loops around it gcc would not do.
[[gnu::noinline]] inline void store_four(const int32_t* sums, const LaneLayer& layer, int first,
                                         int8_t* out) {
  const int32_t* multiplier = layer.channels.multipliers + first;
  const int32_t* shift = layer.channels.shifts + first;
  const Int8Bounds bounds = layer.bounds;
  for (const int8_t* const end = out + 4; out != end;) {
    *out++ = to_int8(*sums++, *multiplier++, *shift++, bounds);
  }
}

// Four channels; kShare of them see one input.
template <int kShare>
[[gnu::noinline]] int finish_four_lanes(const LaneLayer& layer, const LaneTaps& taps, int first,
                                        int8_t* out) {
  const int in_step = taps.in_step, weight_step = taps.weight_step;
#if defined(__ARM_FEATURE_DSP)
  const int32_t offset = kShare == 1 ? both_halves(layer.in_offset) : layer.in_offset;
#else
  const int32_t offset = layer.in_offset;
#endif
  for (; first + 4 <= layer.out_c; first += 4) {
    const int8_t* row = taps.in + (kShare == 1 ? first : first / layer.multiplier);
    const int8_t* filter = taps.weights + first;
    const int32_t* bias = layer.channels.bias == nullptr ? kNoBias : layer.channels.bias + first;
    int32_t s0 = bias[0], s1 = bias[1], s2 = bias[2], s3 = bias[3];
    for (int r = taps.rows; r > 0; --r, row += taps.in_row_step, filter += taps.weight_row_step) {
      const int8_t *x = row, *w = filter;
      for (int c = taps.columns; c > 0; --c, x += in_step, w += weight_step) {
#if defined(__ARM_FEATURE_DSP)
        const int32_t weights = load_word(w);
        const int32_t even_weights = __sxtb16(weights), odd_weights = odd_bytes(weights);
        if constexpr (kShare == 1) {
          const int32_t input = load_word(x);
          const int32_t even = __sxtab16(offset, input), odd = odd_bytes_plus(offset, input);
          s0 = __smlabb(even, even_weights, s0);
          s2 = __smlatt(even, even_weights, s2);
          s1 = __smlabb(odd, odd_weights, s1);
          s3 = __smlatt(odd, odd_weights, s3);
        } else {
          const int32_t left = x[0] + offset, right = kShare == 2 ? x[1] + offset : left;
          s0 = __smlabb(left, even_weights, s0);
          s1 = __smlabb(left, odd_weights, s1);
          s2 = __smlabt(right, even_weights, s2);
          s3 = __smlabt(right, odd_weights, s3);
        }
#else
        if constexpr (kShare == 1) {
          s0 = wrapping_add(s0, (x[0] + offset) * w[0]);
          s1 = wrapping_add(s1, (x[1] + offset) * w[1]);
          s2 = wrapping_add(s2, (x[2] + offset) * w[2]);
          s3 = wrapping_add(s3, (x[3] + offset) * w[3]);
        } else {
          const int32_t left = x[0] + offset, right = kShare == 2 ? x[1] + offset : left;
          s0 = wrapping_add(s0, left * w[0]);
          s1 = wrapping_add(s1, left * w[1]);
          s2 = wrapping_add(s2, right * w[2]);
          s3 = wrapping_add(s3, right * w[3]);
        }
#endif
      }
    }
    const int32_t sums[] = {s0, s1, s2, s3};
    store_four(sums, layer, first, out + first);
  }
  return first;
}

inline int finish_lanes(const LaneLayer& layer, const LaneTaps& taps, int8_t* out) {
  int first = 0;
  if (layer.multiplier == 1) {
    first = finish_four_lanes<1>(layer, taps, first, out);
  } else if (layer.multiplier == 2) {
    first = finish_four_lanes<2>(layer, taps, first, out);
  } else if (layer.multiplier % 4 == 0) {
    first = finish_four_lanes<4>(layer, taps, first, out);
  }
  return finish_plain_lanes(layer, taps, first, out);
}

#endif

}  // namespace berth::runtime
