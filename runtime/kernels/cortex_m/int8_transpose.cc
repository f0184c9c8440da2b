#include "runtime/kernels/cortex_m/int8_transpose.h"

#include "runtime/kernels/cortex_m/int8_product.h"

namespace berth::runtime {
namespace {

// One axis: the first tap that meets the image, its input, and how many follow, each a stride of
// taps further and an input before.
struct BackwardTaps {
  int32_t tap, at, count;

  // Whether positions later by so many strides, and those between, meet the same taps.
  bool goes_on(const BackwardTaps& later, int32_t strides) const {
    return later.tap == tap && later.count == count && later.at == at + strides;
  }
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

uint64_t transpose_shares([[maybe_unused]] const WindowShape& s) {
#if defined(__ARM_FEATURE_MVE)
  return static_cast<uint64_t>(s.kernel_h) * static_cast<uint64_t>(s.kernel_w) *
         static_cast<uint64_t>(s.out_c);
#else
  return 0;
#endif
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
#if defined(__ARM_FEATURE_MVE)
  for (int32_t tap = 0; tap < taps; ++tap) {
    for (int32_t o = 0; o < out_c; ++o) {
      const int32_t sum = sum_of(weights + (static_cast<size_t>(o) * taps + tap) * depth, depth);
      shares[tap * out_c + o] = wrapping_mul(in_offset, sum);
    }
  }
#endif
  const Int8Filters filters{weights,
                            static_cast<size_t>(taps) * depth,
                            out_c,
                            {stage.bias, stage.scaling.multipliers, stage.scaling.shifts, false},
                            {stage.zero_point, stage.range.low, stage.range.high},
                            in_offset};
  TapGrid grid;
  grid.in_step = -in_c;
  grid.in_row_step = -in_w * in_c;
  grid.weight_step = stride_w * in_c;
  grid.weight_row_step = stride_h * kernel_w * in_c;
  grid.share_step = stride_w * out_c;
  grid.share_row_step = stride_h * kernel_w * out_c;
  const auto taps_at = [&](int32_t x) {
    return taps_reaching(x + pad_w, stride_w, kernel_w, in_w);
  };
  for (int64_t n = s.batch; n > 0; --n, in += static_cast<size_t>(in_h) * in_w * depth) {
    for (int32_t y = 0; y < out_h; ++y, out += static_cast<size_t>(out_w) * out_c) {
      const BackwardTaps up = taps_reaching(y + pad_h, stride_h, kernel_h, in_h);
      // Positions of one phase meet the same taps, but for the first and last; a stride further
      // they see the next input.
      for (int32_t phase = 0; phase < stride_w && phase < out_w; ++phase) {
        int32_t count = 1;
        for (int32_t x = phase; x < out_w; x += count * stride_w) {
          const BackwardTaps back = taps_at(x);
          const int32_t tap = up.tap * kernel_w + back.tap;
          grid.rows = back.count == 0 ? 0 : up.count;
          grid.columns = back.count;
          grid.in = in + (static_cast<size_t>(up.at) * in_w + back.at) * depth;
          grid.weights = weights + static_cast<size_t>(tap) * depth;
          grid.shares = shares == nullptr ? nullptr : shares + tap * out_c;
          int8_t* const to = out + static_cast<size_t>(x) * out_c;
#if defined(__ARM_FEATURE_MVE)
          const int64_t last = x + int64_t{3} * stride_w;
          count = last < out_w && back.goes_on(taps_at(static_cast<int32_t>(last)), 3) ? 4 : 1;
          if (count == 4) {
            multiply_taps_of_four(grid, depth, filters, in_c, to,
                                  static_cast<size_t>(stride_w) * out_c);
            continue;
          }
#endif
          multiply_taps(grid, depth, filters, to);
        }
      }
    }
  }
}

}  // namespace berth::runtime
