// Convolution-like operators as matrix products: how one output position's inputs (its patch) are
// read into a tile. A patch element lies at (kernel row, kernel column, channel), in the order of
// the weights; outside the image it is 0, which is what a padded input minus its zero point is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/scratch_rules.h"
#include "runtime/kernels/matrix_product.h"

namespace berth::runtime {

// Row r is output position r in the order N, H, W; `channels` of the input's, from first_channel
// on.
template <typename T>
struct ConvSource {
  const T* in;
  WindowShape shape;
  int32_t offset;
  int64_t first_channel = 0;
  int64_t channels;

  void load(size_t row, size_t k, int count, int16_t* out) const {
    const int64_t x = static_cast<int64_t>(row % shape.out_w);
    const int64_t y = static_cast<int64_t>(row / shape.out_w % shape.out_h);
    const int64_t n = static_cast<int64_t>(row / shape.out_w / shape.out_h);
    const int64_t x0 = x * shape.stride_w - shape.pad_w;
    const int64_t y0 = y * shape.stride_h - shape.pad_h;
    // A run: elements that follow each other in patch and image. With all channels and no gaps
    // between columns a whole kernel row is one.
    const bool whole_rows = channels == shape.in_c && shape.dilation_w == 1;
    const int64_t run = whole_rows ? shape.kernel_w * channels : channels;
    const int64_t columns = whole_rows ? 1 : shape.kernel_w;
    int64_t at = 0, column = 0, ky = 0;
    if (k != 0) {
      at = static_cast<int64_t>(k) % run;
      column = static_cast<int64_t>(k) / run % columns;
      ky = static_cast<int64_t>(k) / run / columns;
    }
    while (count > 0) {
      const int length = static_cast<int>(run - at < count ? run - at : count);
      const int64_t iy = y0 + ky * shape.dilation_h;
      const int64_t ix = x0 + column * shape.dilation_w;
      // The part of the run that is inside the image: [low, high).
      int64_t low = 0, high = 0;
      if (iy >= 0 && iy < shape.in_h) {
        if (whole_rows) {
          const int64_t first = ix < 0 ? (-ix < shape.kernel_w ? -ix : shape.kernel_w) : 0;
          const int64_t last = shape.in_w - ix < shape.kernel_w ? shape.in_w - ix : shape.kernel_w;
          low = first * channels;
          high = last < 0 ? 0 : last * channels;
        } else if (ix >= 0 && ix < shape.in_w) {
          high = run;
        }
      }
      const int64_t end = at + length;
      const int64_t begin_in = low < at ? at : low > end ? end : low;
      const int64_t end_in = high > end ? end : high < begin_in ? begin_in : high;
      const int before = static_cast<int>(begin_in - at),
                inside = static_cast<int>(end_in - begin_in);
      for (int i = 0; i < before; ++i) out[i] = 0;
      if (inside > 0) {
        const int64_t pixel = (n * shape.in_h + iy) * shape.in_w + ix;
        widen(in + (pixel * shape.in_c + first_channel + begin_in), inside, offset, out + before);
      }
      for (int i = before + inside; i < length; ++i) out[i] = 0;
      out += length;
      count -= length;
      at = 0;
      if (++column == columns) {
        column = 0;
        ++ky;
      }
    }
  }
};

// The patch of an output position of a transpose convolution: input (iy, ix) reaches output iy *
// stride - pad + ky.
struct TransposeConvSource {
  const int8_t* in;
  WindowShape shape;
  int32_t offset;

  void load(size_t row, size_t k, int count, int16_t* out) const {
    const int64_t x = static_cast<int64_t>(row % shape.out_w) + shape.pad_w;
    const int64_t y = static_cast<int64_t>(row / shape.out_w % shape.out_h) + shape.pad_h;
    const int64_t n = static_cast<int64_t>(row / shape.out_w / shape.out_h);
    int64_t channel = static_cast<int64_t>(k) % shape.in_c;
    int64_t kx = static_cast<int64_t>(k) / shape.in_c % shape.kernel_w;
    int64_t ky = static_cast<int64_t>(k) / shape.in_c / shape.kernel_w;
    while (count > 0) {
      const int length =
          static_cast<int>(shape.in_c - channel < count ? shape.in_c - channel : count);
      const int64_t dy = y - ky, dx = x - kx;
      const bool hit = dy >= 0 && dx >= 0 && dy % shape.stride_h == 0 && dx % shape.stride_w == 0 &&
                       dy / shape.stride_h < shape.in_h && dx / shape.stride_w < shape.in_w;
      if (hit) {
        const int64_t pixel =
            (n * shape.in_h + dy / shape.stride_h) * shape.in_w + dx / shape.stride_w;
        widen(in + pixel * shape.in_c + channel, length, offset, out);
      } else {
        for (int i = 0; i < length; ++i) out[i] = 0;
      }
      out += length;
      count -= length;
      channel = 0;
      if (++kx == shape.kernel_w) {
        kx = 0;
        ++ky;
      }
    }
  }
};

// Rows of a matrix, one after another.
template <typename T>
struct MatrixSource {
  const T* in;
  size_t depth;
  int32_t offset;

  void load(size_t row, size_t k, int count, int16_t* out) const {
    widen(in + row * depth + k, count, offset, out);
  }
};

}  // namespace berth::runtime
