#include "runtime/kernels/cortex_m/int8_transpose.h"

#include "runtime/kernels/cortex_m/int8_product.h"

namespace berth::runtime {
namespace {

// One axis: the first tap that meets the image, its input, and how many follow, each a stride of
// taps further and an input before.
struct BackwardTaps {
  int32_t tap, at, count;
};

// `place`: the output's, padding added.
BackwardTaps taps_reaching(int32_t place, int32_t stride, int32_t taps, int32_t size) {
  int32_t at = place / stride, tap = place % stride;
  if (at >= size) {
    tap += (at - size + 1) * stride;
    at = size - 1;
  }
  if (tap >= taps) return {0, 0, 0};
  const int32_t fit = (taps - tap + stride - 1) / stride;
  return {tap, at, fit < at + 1 ? fit : at + 1};
}

// A window's taps that meet the image, each a row of `depth` inputs and a part of every filter;
// steps from one tap to the next and from one row of taps to the next, in elements.
struct TapGrid {
  size_t depth;
  const int8_t* in;       // the first tap's inputs
  const int8_t* weights;  // its part of the first filter
  const int32_t* shares;  // what the offset adds for it, one per filter
  int rows, columns;
  ptrdiff_t in_step, in_row_step, weight_step, weight_row_step, share_step, share_row_step;
};

// f(inputs, weights, share) of every tap, for the filter at `first`, `distance` from the one
// before.
template <typename F>
[[gnu::always_inline]] inline void for_each_tap(const TapGrid& taps, int first, size_t distance,
                                                const F& f) {
  const int8_t* row = taps.in;
  const int8_t* row_weights = taps.weights + static_cast<size_t>(first) * distance;
  const int32_t* row_shares = taps.shares + first;
  for (int r = taps.rows; r > 0; --r) {
    const int8_t *x = row, *w = row_weights;
    const int32_t* share = row_shares;
    for (int c = taps.columns; c > 0; --c) {
      f(x, w, share);
      x += taps.in_step, w += taps.weight_step, share += taps.share_step;
    }
    row += taps.in_row_step, row_weights += taps.weight_row_step;
    row_shares += taps.share_row_step;
  }
}

// Both: filters.depth is from one filter to the next. One position: four filters at a time; the
// last of them stands in for those behind it.
#if defined(__ARM_FEATURE_MVE)

constexpr bool kSharesAlways = true;

[[gnu::noinline]] void multiply_taps(const TapGrid& taps, const Int8Filters& filters, int8_t* out) {
  const DotTail tail(taps.depth);
  const Int8Channels& channels = filters.channels;
  for (int first = 0; first < filters.count; first += 4) {
    const int left = filters.count - first;
    const size_t second = left > 1 ? filters.depth : 0;
    const size_t third = left > 2 ? second + filters.depth : second;
    const size_t fourth = left > 3 ? third + filters.depth : third;
    const mve_pred16_t present = vctp32q(static_cast<uint32_t>(left));
    const auto load = [=](const int32_t* from) { return vld1q_z_s32(from, present); };
    int32x4_t sums = channels.bias == nullptr ? vdupq_n_s32(0) : load(channels.bias + first);
    const auto add = [&](const int8_t* x, const int8_t* w, const int32_t* share) {
      const FourRows four = {{w, w + second, w + third, w + fourth}};
      sums = vaddq_s32(vaddq_s32(sums, load(share)), dot_four(four, x, tail, 0));
    };
    for_each_tap(taps, first, filters.depth, add);
    const int32x4_t scaled =
        scale_four(sums, load(channels.multipliers + first), load(channels.shifts + first));
    vstrbq_p_s32(out + first, bound_four(scaled, filters.bounds), present);
  }
}

// Four positions: inputs stand one after the other, outputs `step` apart.
[[gnu::noinline]] void multiply_tap_group(const TapGrid& taps, const Int8Filters& filters,
                                          int8_t* out, size_t step) {
  const size_t depth = taps.depth;
  const DotTail tail(depth);
  const Int8Channels channels = filters.channels;
  const Int8Bounds bounds = filters.bounds;
  const uint32x4_t offsets = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(step));
  for (int i = 0; i < filters.count; ++i, ++out) {
    int32x4_t sums = vdupq_n_s32(channels.bias_of(static_cast<size_t>(i)));
    const auto add = [&](const int8_t* x, const int8_t* w, const int32_t* share) {
      const FourRows four = {{x, x + depth, x + 2 * depth, x + 3 * depth}};
      sums = vaddq_s32(sums, dot_four(four, w, tail, *share));
    };
    for_each_tap(taps, i, filters.depth, add);
    const int32x4_t scaled = scale_four(sums, channels.multipliers[i], channels.shifts[i]);
    vstrbq_scatter_offset_s32(out, offsets, bound_four(scaled, bounds));
  }
}

#else

constexpr bool kSharesAlways = false;  // one position adds the offset itself

[[gnu::noinline]] void multiply_taps(const TapGrid& taps, const Int8Filters& filters, int8_t* out) {
  const DotTail tail(taps.depth);
  const int32_t offset = filters.row_offset;
  const Int8Channels& channels = filters.channels;
  for (int first = 0; first < filters.count; first += 4) {
    const int left = filters.count - first < 4 ? filters.count - first : 4;
    const size_t second = left > 1 ? filters.depth : 0;
    const size_t third = left > 2 ? second + filters.depth : second;
    const size_t fourth = left > 3 ? third + filters.depth : third;
    uint32_t sums[4] = {};
    const auto add = [&](const int8_t* x, const int8_t* w, const int32_t*) {
      const FourRows four = {{w, w + second, w + third, w + fourth}};
      const FourSums more = dot_four<true>(four, x, tail, offset);
      for (int i = 0; i < 4; ++i) sums[i] += more.sum[i];
    };
    for_each_tap(taps, first, filters.depth, add);
    for (int i = 0; i < left; ++i) {
      const int32_t own = channels.bias_of(static_cast<size_t>(first + i));
      out[first + i] =
          to_int8(wrapping_add(static_cast<int32_t>(sums[i]), own), channels.multipliers[first + i],
                  channels.shifts[first + i], filters.bounds);
    }
  }
}

// Four positions: inputs stand one after the other, outputs `step` apart.
[[gnu::noinline]] void multiply_tap_group(const TapGrid& taps, const Int8Filters& filters,
                                          int8_t* out, size_t step) {
  const size_t depth = taps.depth;
  const DotTail tail(depth);
  const Int8Channels channels = filters.channels;
  const Int8Bounds bounds = filters.bounds;
  for (int i = 0; i < filters.count; ++i, ++out) {
    FourSums sums = {};
    uint32_t start = static_cast<uint32_t>(channels.bias_of(static_cast<size_t>(i)));
    const auto add = [&](const int8_t* x, const int8_t* w, const int32_t* share) {
      const FourRows four = {{x, x + depth, x + 2 * depth, x + 3 * depth}};
      const FourSums more = dot_four<false>(four, w, tail, 0);
      for (int p = 0; p < 4; ++p) sums.sum[p] += more.sum[p];
      start += static_cast<uint32_t>(*share);
    };
    for_each_tap(taps, i, filters.depth, add);
    with_scale(channels.multipliers[i], channels.shifts[i], [&](const auto& scale) {
      int8_t* to = out;
      for (int p = 0; p < 4; ++p, to += step) {
        *to = bound(scale(static_cast<int32_t>(sums.sum[p] + start)), bounds);
      }
    });
  }
}

#endif

}  // namespace

bool takes_int8_transpose(const WindowShape& s) {
  using scratch_detail::times;
  const uint64_t filters =
      times(times(times(static_cast<uint64_t>(s.kernel_h + s.stride_h), s.kernel_w + s.stride_w),
                  static_cast<uint64_t>(s.in_c)),
            static_cast<uint64_t>(s.out_c));
  const int64_t below = s.out_h + s.pad_h + s.in_h * s.stride_h + s.kernel_h;
  const int64_t beside = s.out_w + s.pad_w + s.in_w * s.stride_w + s.kernel_w;
  return filters <= kInt32Max && below <= kInt32Max && beside <= kInt32Max;
}

uint64_t transpose_shares(const WindowShape& s) {
  return static_cast<uint64_t>(s.kernel_h) * static_cast<uint64_t>(s.kernel_w) *
         static_cast<uint64_t>(s.out_c);
}

void convolve_transpose_int8(const WindowShape& s, const int8_t* in, int32_t in_offset,
                             const int8_t* weights, const OutputStage& stage, int32_t* shares,
                             int8_t* out) {
  const auto in_h = static_cast<int32_t>(s.in_h), in_w = static_cast<int32_t>(s.in_w);
  const auto in_c = static_cast<int32_t>(s.in_c), out_c = static_cast<int32_t>(s.out_c);
  const auto kernel_h = static_cast<int32_t>(s.kernel_h);
  const auto kernel_w = static_cast<int32_t>(s.kernel_w);
  const auto stride_h = static_cast<int32_t>(s.stride_h);
  const auto stride_w = static_cast<int32_t>(s.stride_w);
  const auto pad_h = static_cast<int32_t>(s.pad_h), pad_w = static_cast<int32_t>(s.pad_w);
  const auto out_h = static_cast<int32_t>(s.out_h), out_w = static_cast<int32_t>(s.out_w);
  const int32_t taps = kernel_h * kernel_w;
  const size_t depth = static_cast<size_t>(in_c);
  // Whether four positions of a row may meet as many taps as there can be.
  const bool has_groups = in_w - kernel_w / stride_w + 1 >= 4;
  for (int32_t tap = 0; (has_groups || kSharesAlways) && tap < taps; ++tap) {
    for (int32_t o = 0; o < out_c; ++o) {
      const int32_t sum = sum_of(weights + (static_cast<size_t>(o) * taps + tap) * depth, depth);
      shares[tap * out_c + o] = wrapping_mul(in_offset, sum);
    }
  }
  const Int8Filters filters{weights,
                            static_cast<size_t>(taps) * depth,
                            out_c,
                            {stage.bias, stage.scaling.multipliers, stage.scaling.shifts, false},
                            {stage.zero_point, stage.range.low, stage.range.high},
                            in_offset};
  // Where a single tap meets the image, positions are rows of a product of matrices.
  const bool has_block = kGroupRows == 4 && out_c <= ChannelBlock::kSize;
  ChannelBlock block;
  int32_t block_tap = -1;
  for (int32_t i = 0; has_block && i < out_c; ++i) {
    block.multipliers[i] = stage.scaling.multipliers[i];
    block.shifts[i] = stage.scaling.shifts[i];
  }
  const auto multiply_one_tap = [&](const TapGrid& grid, int32_t tap, int8_t* to, size_t step) {
    for (int32_t i = 0; tap != block_tap && i < out_c; ++i) {
      block.bias[i] =
          wrapping_add(filters.channels.bias_of(static_cast<size_t>(i)), grid.shares[i]);
    }
    block_tap = tap;
    Int8Filters pieces = filters;
    pieces.weights = grid.weights, pieces.depth = depth;
    RowGroup rows;
    for (int r = 0; r < kGroupRows; ++r) {
      rows.row[r] = reinterpret_cast<const Column*>(grid.in + static_cast<size_t>(r) * depth);
    }
    multiply_group(rows, pieces, block, to, step, filters.depth - depth);
  };
  TapGrid grid;
  grid.depth = depth;
  grid.in_step = -in_c;
  grid.in_row_step = -in_w * in_c;
  grid.weight_step = stride_w * in_c;
  grid.weight_row_step = stride_h * kernel_w * in_c;
  grid.share_step = stride_w * out_c;
  grid.share_row_step = stride_h * kernel_w * out_c;
  const auto step = static_cast<size_t>(stride_w) * static_cast<size_t>(out_c);
  for (int64_t n = s.batch; n > 0; --n, in += static_cast<size_t>(in_h) * in_w * depth) {
    for (int32_t y = 0; y < out_h; ++y, out += static_cast<size_t>(out_w) * out_c) {
      const BackwardTaps up = taps_reaching(y + pad_h, stride_h, kernel_h, in_h);
      for (int32_t phase = 0; phase < stride_w && phase < out_w; ++phase) {
        int8_t* to = out + static_cast<size_t>(phase) * out_c;
        for (int32_t x = phase; x < out_w;) {
          const auto reach = [&](int32_t at) {
            return taps_reaching(at + pad_w, stride_w, kernel_w, in_w);
          };
          const BackwardTaps back = reach(x), last = reach(x + 3 * stride_w);
          const int32_t tap = up.tap * kernel_w + back.tap;
          grid.rows = back.count == 0 ? 0 : up.count;
          grid.columns = back.count;
          grid.in = in + (static_cast<size_t>(up.at) * in_w + back.at) * depth;
          grid.weights = weights + static_cast<size_t>(tap) * depth;
          grid.shares = shares + tap * out_c;
          if (has_groups && x + 3 * stride_w < out_w && last.at == back.at + 3 &&
              last.count == back.count) {
            if (has_block && grid.rows * grid.columns == 1) {
              multiply_one_tap(grid, tap, to, step);
            } else {
              multiply_tap_group(grid, filters, to, step);
            }
            x += 4 * stride_w, to += 4 * step;
          } else {
            multiply_taps(grid, filters, to);
            x += stride_w, to += step;
          }
        }
      }
    }
  }
}

}  // namespace berth::runtime
