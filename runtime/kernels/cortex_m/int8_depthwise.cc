#include "runtime/kernels/cortex_m/int8_depthwise.h"

#include "runtime/kernels/cortex_m/int8_lanes.h"
#include "runtime/kernels/cortex_m/window_taps.h"

namespace berth::runtime {
namespace {

void walk_positions(const WindowShape& s, const int8_t* in, const int8_t* weights,
                    const LaneLayer& layer, int8_t* out) {
  const auto in_h = static_cast<int32_t>(s.in_h), in_w = static_cast<int32_t>(s.in_w);
  const auto in_c = static_cast<int32_t>(s.in_c), out_c = static_cast<int32_t>(s.out_c);
  const auto kernel_h = static_cast<int32_t>(s.kernel_h);
  const auto kernel_w = static_cast<int32_t>(s.kernel_w);
  const auto stride_h = static_cast<int32_t>(s.stride_h);
  const auto stride_w = static_cast<int32_t>(s.stride_w);
  const auto dilation_h = static_cast<int32_t>(s.dilation_h);
  const auto dilation_w = static_cast<int32_t>(s.dilation_w);
  const auto pad_w = static_cast<int32_t>(s.pad_w);
  const auto out_h = static_cast<int32_t>(s.out_h), out_w = static_cast<int32_t>(s.out_w);
  LaneTaps taps;
  taps.in_step = dilation_w * in_c;
  taps.in_row_step = dilation_h * in_w * in_c;
  taps.weight_step = out_c;
  taps.weight_row_step = kernel_w * out_c;
  for (int64_t n = 0; n < s.batch; ++n, in += static_cast<size_t>(in_h) * in_w * in_c) {
    int32_t top = -static_cast<int32_t>(s.pad_h);
    for (int32_t y = 0; y < out_h; ++y, top += stride_h) {
      const TapRange down = taps_inside(top, kernel_h, dilation_h, in_h);
      taps.rows = down.count;
      const int8_t* const line = in + (top + down.first * dilation_h) * in_w * in_c;
      const int8_t* const filter = weights + down.first * kernel_w * out_c;
      int32_t left = -pad_w;
      for (int32_t x = 0; x < out_w; ++x, left += stride_w, out += out_c) {
        const TapRange along = taps_inside(left, kernel_w, dilation_w, in_w);
        taps.columns = along.count;
        taps.in = line + (left + along.first * dilation_w) * in_c;
        taps.weights = filter + along.first * out_c;
        finish_lanes(layer, taps, out);
      }
    }
  }
}

}  // namespace

bool takes_int8_depthwise(const WindowShape& s) {
  const int64_t below = s.out_h * s.stride_h + s.kernel_h * s.dilation_h + s.pad_h + s.in_h;
  const int64_t beside = s.out_w * s.stride_w + s.kernel_w * s.dilation_w + s.pad_w + s.in_w;
  const uint64_t line =
      scratch_detail::times(static_cast<uint64_t>(s.in_w), static_cast<uint64_t>(s.in_c));
  return scratch_detail::times(static_cast<uint64_t>(below), line) <= kInt32Max &&
         scratch_detail::times(static_cast<uint64_t>(beside), static_cast<uint64_t>(s.out_c)) <=
             kInt32Max;
}

void convolve_depthwise_int8(const WindowShape& shape, const int8_t* in, int32_t in_offset,
                             const int8_t* weights, const OutputStage& stage, int8_t* out) {
  LaneLayer layer{static_cast<int>(shape.out_c),
                  static_cast<int>(shape.out_c / shape.in_c),
                  in_offset,
                  false,
                  {stage.bias, stage.scaling.multipliers, stage.scaling.shifts, false},
                  {stage.zero_point, stage.range.low, stage.range.high}};
  for (int i = 0; i < layer.out_c; ++i) {
    layer.shifts_left = layer.shifts_left || stage.scaling.shifts[i] > 0;
  }
  walk_positions(shape, in, weights, layer, out);
}

}  // namespace berth::runtime
