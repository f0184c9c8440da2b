#include "runtime/kernels/cortex_m/int8_product.h"

#include "runtime/core/build_kind.h"

namespace berth::runtime {
namespace {

#if defined(__ARM_FEATURE_MVE)

// The offset's share of filters first .. first + 4; the last of them stands in for those behind it.
[[gnu::noinline]] int32x4_t offset_share(const Int8Filters& filters, int first, int32_t offset) {
  int32_t sums[4];
  for (int i = 0; i < 4; ++i) {
    const int filter = first + i < filters.count ? first + i : filters.count - 1;
    const size_t at = static_cast<size_t>(filter) * filters.depth;
    sums[i] = sum_of(filters.weights + at, filters.depth);
  }
  return vmulq_n_s32(vld1q_s32(sums), offset);
}

constexpr int32_t kNothing[4] = {};

// Everything that the loop needs stands in variables of its own: for all gcc knows `out` may write
// the originals.
template <bool kWithOffset, bool kOneScale>
[[gnu::noinline]] void multiply_row(const int8_t* row, int32_t start, const Int8Filters& filters,
                                    int8_t* out) {
  const DotTail tail(filters.depth);
  const size_t depth = filters.depth;
  const Int8Channels channels = filters.channels;
  const int32_t multiplier = channels.multipliers[0], shift = channels.shifts[0];
  const int32_t* bias = channels.bias == nullptr ? kNothing : channels.bias;
  const int bias_step = channels.bias == nullptr ? 0 : 4;
  const int32_t zero_point = filters.bounds.zero_point;
  const int32x4_t low = vdupq_n_s32(filters.bounds.low), high = vdupq_n_s32(filters.bounds.high);
  int first = 0;
  const auto finish = [&](int32x4_t values, int32x4_t own, const auto& load) {
    if constexpr (kWithOffset)
      values = vaddq_s32(values, offset_share(filters, first, filters.row_offset));
    values = vaddq_s32(values, own);
    if constexpr (kOneScale) {
      values = scale_four(values, multiplier, shift);
    } else {
      values =
          scale_four(values, load(channels.multipliers + first), load(channels.shifts + first));
    }
    return vmaxq_s32(vminq_s32(vaddq_n_s32(values, zero_point), high), low);
  };
  const int8_t* f = filters.weights;
  int left = filters.count;
  for (; left >= 4; left -= 4, first += 4, f += 4 * depth, bias += bias_step, out += 4) {
    const int8_t* f1 = f + depth;
    // gcc would keep all four of them from turn to turn, and work out beforehand where they end.
    asm("" : "+r"(f1), "+r"(left));
    const int8_t *f2 = f1 + depth, *f3 = f2 + depth;
    vstrbq_s32(out, finish(dot_four({{f, f1, f2, f3}}, row, tail, start), vld1q_s32(bias),
                           [](const int32_t* from) { return vld1q_s32(from); }));
  }
  if (left == 0) return;
  const mve_pred16_t present = vctp32q(static_cast<uint32_t>(left));
  const int8_t* const f1 = left > 1 ? f + depth : f;
  const int32x4_t sums = left == 3 ? dot_four({{f, f1, f1 + depth, f1}}, row, tail, start)
                                   : dot_two(f, f1, row, tail, start);
  vstrbq_p_s32(out,
               finish(sums, vld1q_z_s32(bias, present),
                      [=](const int32_t* from) { return vld1q_z_s32(from, present); }),
               present);
}

#else

template <bool kOneScale>
[[gnu::always_inline]] inline void store_channels(const FourSums& sums, const Int8Filters& filters,
                                                  uint32_t start, int first, int count,
                                                  int8_t* out) {
  const Int8Channels& channels = filters.channels;
  for (int i = 0; i < count; ++i) {
    const uint32_t own = static_cast<uint32_t>(channels.bias_of(static_cast<size_t>(first + i)));
    const size_t scale = kOneScale ? 0 : static_cast<size_t>(first + i);
    out[first + i] = to_int8(static_cast<int32_t>(sums.sum[i] + own + start),
                             channels.multipliers[scale], channels.shifts[scale], filters.bounds);
  }
}

template <bool kWithOffset, bool kOneScale>
[[gnu::noinline]] void multiply_row(const int8_t* row, int32_t start, const Int8Filters& given,
                                    int8_t* out) {
  // Copies, because for all gcc knows `out` may write the originals.
  Int8Filters filters = given;
  const int32_t offset = filters.row_offset;
  const int32_t multiplier = filters.channels.multipliers[0];
  const int32_t shift = filters.channels.shifts[0];
  if constexpr (kOneScale) {
    filters.channels.multipliers = &multiplier;
    filters.channels.shifts = &shift;
  }
  const DotTail tail(filters.depth);
  const size_t depth = filters.depth;
  const auto store = [&](const FourSums& sums, int first, int count) {
    store_channels<kOneScale>(sums, filters, static_cast<uint32_t>(start), first, count, out);
  };
  const int8_t* f = filters.weights;
  int first = 0;
  for (; first + 4 <= filters.count; first += 4, f += 4 * depth) {
    const FourRows four = {{f, f + depth, f + 2 * depth, f + 3 * depth}};
    store(dot_four<kWithOffset>(four, row, tail, offset), first, 4);
  }
  const int left = filters.count - first;
  if (left == 3) {
    const FourRows four = {{f, f + depth, f + 2 * depth, f + 2 * depth}};
    store(dot_four<kWithOffset>(four, row, tail, offset), first, left);
  } else if (left > 0) {
    store(dot_two<kWithOffset>(f, left == 2 ? f + depth : f, row, tail, offset), first, left);
  }
}

#endif

}  // namespace

void multiply_one_row(const int8_t* row, int32_t start, const Int8Filters& filters, int8_t* out) {
  // A build for size adds an offset of 0 too.
  const bool no_offset = kForSpeed && filters.row_offset == 0;
  if (no_offset && filters.channels.one_scale) {
    multiply_row<false, true>(row, start, filters, out);
  } else if (filters.channels.one_scale) {
    multiply_row<true, true>(row, start, filters, out);
  } else if (no_offset) {
    multiply_row<false, false>(row, start, filters, out);
  } else {
    multiply_row<true, false>(row, start, filters, out);
  }
}

#if defined(__ARM_FEATURE_MVE)

namespace {

// f(sums of a filter's four outputs) for every filter. Rows of more than a vector are read again
// for each; those of one stay where they are.
template <typename DotRows>
[[gnu::always_inline]] inline void finish_filters(const Int8Filters& filters,
                                                  const ChannelBlock& block, int8_t* out,
                                                  size_t row_stride, const DotRows& dot) {
  const uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(row_stride));
  const int32x4_t zero_point = vdupq_n_s32(filters.bounds.zero_point);
  const int32x4_t low = vdupq_n_s32(filters.bounds.low), high = vdupq_n_s32(filters.bounds.high);
  const int8_t* filter = filters.weights;
  const auto* channel = reinterpret_cast<const int32_t*>(&block);
  constexpr int kMultiplier = ChannelBlock::kSize, kShift = 2 * ChannelBlock::kSize;
  for (int8_t* const end = out + filters.count; out != end; ++channel) {
    const int32x4_t sums = dot(&filter, channel[0]);
    const int32x4_t scaled = scale_four(sums, channel[kMultiplier], channel[kShift]);
    const int32x4_t values = vaddq_s32(scaled, zero_point);
    vstrbq_scatter_offset_s32(out, offsets, vmaxq_s32(vminq_s32(values, high), low));
    ++out;
    asm("" : "+r"(out));  // gcc would have it twice
  }
}

}  // namespace

void multiply_group(const RowGroup& rows, const Int8Filters& filters, const ChannelBlock& block,
                    int8_t* out, size_t row_stride, size_t gap) {
  const size_t depth = filters.depth, step = depth + gap;
  if (depth <= 16) {
    const mve_pred16_t present = vctp8q(static_cast<uint32_t>(depth));
    const int8x16_t r0 = vld1q_z_s8(rows.row[0], present), r1 = vld1q_z_s8(rows.row[1], present);
    const int8x16_t r2 = vld1q_z_s8(rows.row[2], present), r3 = vld1q_z_s8(rows.row[3], present);
    finish_filters(filters, block, out, row_stride, [=](const int8_t** filter, int32_t start) {
      const int8x16_t f = vld1q_z_s8(*filter, present);
      *filter += step;
      return vaddq_n_s32(dot_vectors(f, r0, r1, r2, r3), start);
    });
    return;
  }
  finish_filters(filters, block, out, row_stride, [&](const int8_t** filter, int32_t start) {
    return dot_next(rows.row, depth, start, step, filter);
  });
}

#elif defined(__ARM_FEATURE_DSP)

void widen_row(const int8_t* raw, size_t depth, int32_t offset, Column* column) {
  const int32_t offsets = both_halves(offset);
  auto* words = reinterpret_cast<int32_t*>(column);
  for (size_t n = depth / 4; n > 0; --n, raw += 4, words += 2) {
    const int32_t word = load_word(raw);
    words[0] = __sxtab16(offsets, word);
    words[1] = odd_bytes_plus(offsets, word);
  }
  if (depth % 4 == 0) return;
  int16_t last[4] = {};
  for (size_t i = 0; i < depth % 4; ++i) last[i] = static_cast<int16_t>(raw[i] + offset);
  auto* elements = reinterpret_cast<int16_t*>(words);
  elements[0] = last[0], elements[1] = last[2], elements[2] = last[1], elements[3] = last[3];
}

namespace {

// Two columns times two filters: sums of (0, 0), (0, 1), (1, 0), (1, 1). As dot_four, all
// registers are in use.
[[gnu::always_inline]] inline FourSums dot_two_by_two(const RowGroup& rows, const int8_t* b0,
                                                      const int8_t* b1, const DotTail& tail) {
  const Column *a0 = rows.row[0], *a1 = rows.row[1];
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#if defined(__clang__)  // finds no register for the last operand of the other loop
  for (size_t n = tail.words; n > 0; --n, a0 += 4, a1 += 4, b0 += 4, b1 += 4) {
    const auto* x0 = reinterpret_cast<const int32_t*>(a0);
    const auto* x1 = reinterpret_cast<const int32_t*>(a1);
    const int32_t y0 = load_word(b0), y1 = load_word(b1);
    s0 = __smlad(x0[1], odd_bytes(y0), __smlad(x0[0], __sxtb16(y0), s0));
    s1 = __smlad(x0[1], odd_bytes(y1), __smlad(x0[0], __sxtb16(y1), s1));
    s2 = __smlad(x1[1], odd_bytes(y0), __smlad(x1[0], __sxtb16(y0), s2));
    s3 = __smlad(x1[1], odd_bytes(y1), __smlad(x1[0], __sxtb16(y1), s3));
  }
#else
  const int8_t* const end = b0 + tail.words * 4;
  if (b0 != end) {
    asm volatile(
        ".syntax unified\n"
        "1: ldrd r8, r9, [%[a0]], #8\n"
        "   ldrd r10, r11, [%[a1]], #8\n"
        "   ldr r12, [%[b0]], #4\n"
        "   sxtb16 lr, r12\n"
        "   sxtb16 r12, r12, ror #8\n"
        "   smlad %[s0], r8, lr, %[s0]\n"
        "   smlad %[s2], r10, lr, %[s2]\n"
        "   smlad %[s0], r9, r12, %[s0]\n"
        "   smlad %[s2], r11, r12, %[s2]\n"
        "   ldr r12, [%[b1]], #4\n"
        "   sxtb16 lr, r12\n"
        "   sxtb16 r12, r12, ror #8\n"
        "   smlad %[s1], r8, lr, %[s1]\n"
        "   smlad %[s3], r10, lr, %[s3]\n"
        "   smlad %[s1], r9, r12, %[s1]\n"
        "   smlad %[s3], r11, r12, %[s3]\n"
        "   ldr lr, %[end]\n"
        "   cmp %[b0], lr\n"
        "   bne 1b\n"
        : [a0] "+l"(a0), [a1] "+l"(a1), [b0] "+l"(b0), [b1] "+l"(b1), [s0] "+l"(s0), [s1] "+l"(s1),
          [s2] "+l"(s2), [s3] "+l"(s3)
        : [end] "m"(end)
        : "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
  }
#endif
  constexpr int kPlace[] = {0, 2, 1};
  for (size_t i = 0; i < tail.rest; ++i) {
    s0 = __smlabb(a0[kPlace[i]], b0[i], s0);
    s1 = __smlabb(a0[kPlace[i]], b1[i], s1);
    s2 = __smlabb(a1[kPlace[i]], b0[i], s2);
    s3 = __smlabb(a1[kPlace[i]], b1[i], s3);
  }
  return {{static_cast<uint32_t>(s0), static_cast<uint32_t>(s1), static_cast<uint32_t>(s2),
           static_cast<uint32_t>(s3)}};
}

}  // namespace

void multiply_group(const RowGroup& rows, const Int8Filters& filters, const ChannelBlock& block,
                    int8_t* out, size_t row_stride, size_t gap) {
  const DotTail tail(filters.depth);
  const Int8Bounds bounds = filters.bounds;
  const int8_t* filter = filters.weights;
  const size_t step = filters.depth + gap;
  for (int i = 0; i < filters.count; i += 2, filter += 2 * step) {
    const int second = i + 1 < filters.count ? i + 1 : i;
    const FourSums sums = dot_two_by_two(rows, filter, second == i ? filter : filter + step, tail);
    const auto store = [&](int channel, uint32_t upper, uint32_t lower) {
      const uint32_t bias = static_cast<uint32_t>(block.bias[channel]);
      int8_t* const to = out + channel;
      with_scale(block.multipliers[channel], block.shifts[channel], [&](const auto& scale) {
        to[0] = bound(scale(static_cast<int32_t>(upper + bias)), bounds);
        to[row_stride] = bound(scale(static_cast<int32_t>(lower + bias)), bounds);
      });
    };
    store(i, sums.sum[0], sums.sum[2]);
    if (second != i) store(second, sums.sum[1], sums.sum[3]);
  }
}

#else

void multiply_group(const RowGroup& rows, const Int8Filters& filters, const ChannelBlock& block,
                    int8_t* out, size_t row_stride, size_t gap) {
  const DotTail tail(filters.depth);
  const size_t step = filters.depth + gap;
  const FourRows four = {{rows.row[0], rows.row[1], rows.row[2], rows.row[3]}};
  const Int8Bounds bounds = filters.bounds;
  const int8_t* filter = filters.weights;
  for (int i = 0; i < filters.count; ++i, filter += step) {
    const FourSums sums = dot_four<false>(four, filter, tail, 0);
    const uint32_t bias = static_cast<uint32_t>(block.bias[i]);
    with_scale(block.multipliers[i], block.shifts[i], [&](const auto& scale) {
      int8_t* to = out + i;
      for (int r = 0; r < 4; ++r, to += row_stride) {
        *to = bound(scale(static_cast<int32_t>(sums.sum[r] + bias)), bounds);
      }
    });
  }
}

#endif

}  // namespace berth::runtime
