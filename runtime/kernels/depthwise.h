// Depthwise convolution: every output channel sees one input channel, so channels, which lie side
// by side in memory, are the vector. A block of them is summed over the taps inside the image in
// sums on the stack (512 bytes), then finished.
#pragma once

#include "runtime/kernels/output_stage.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

constexpr int kDepthwiseBlock = 64;

// sums[i] += (in[i] + offset) * weights[i]. The int8 product is exact in 16 bits: 255 * 128 < 2^15.
void add_products(const int8_t* in, int offset, const int8_t* weights, int count, uint32_t* sums);
void add_products(const int16_t* in, int offset, const int8_t* weights, int count, uint32_t* sums);
void add_products(const int16_t* in, int offset, const int8_t* weights, int count, int64_t* sums);

// Weights (1, kernel_h, kernel_w, out_c); out_c = in_c * multiplier. REQUIRES: read_window has
// passed.
inline Status check_depthwise_weights(const Tensor& weights, int64_t multiplier,
                                      const WindowShape& shape) {
  KERNEL_REQUIRE(multiplier >= 1 && fits<int32_t>(multiplier), kBadArguments);
  KERNEL_REQUIRE(weights.size(0) == 1 && weights.size(3) == shape.out_c, kBadShape);
  KERNEL_REQUIRE(shape.out_c == shape.in_c * multiplier, kBadShape);
  return Status::kOk;
}

// REQUIRES: check_depthwise_weights has passed and no size is 0.
template <typename Sum, typename T, typename Stage>
void convolve_depthwise(const WindowShape& shape, const T* in, int32_t in_offset,
                        const int8_t* weights, const Stage& stage, T* out) {
  const int64_t multiplier = shape.out_c / shape.in_c;
  Sum sums[kDepthwiseBlock];
  T spread[kDepthwiseBlock];  // an input channel repeated for each of its outputs
  for (int64_t n = 0; n < shape.batch; ++n) {
    for (int64_t y = 0; y < shape.out_h; ++y) {
      for (int64_t x = 0; x < shape.out_w; ++x) {
        const int64_t y0 = y * shape.stride_h - shape.pad_h;
        const int64_t x0 = x * shape.stride_w - shape.pad_w;
        T* pixel_out = out + ((n * shape.out_h + y) * shape.out_w + x) * shape.out_c;
        for (int64_t first = 0; first < shape.out_c; first += kDepthwiseBlock) {
          const int count = static_cast<int>(
              shape.out_c - first < kDepthwiseBlock ? shape.out_c - first : kDepthwiseBlock);
          for (int i = 0; i < count; ++i) sums[i] = 0;
          for (int64_t ky = 0; ky < shape.kernel_h; ++ky) {
            const int64_t iy = y0 + ky * shape.dilation_h;
            if (iy < 0 || iy >= shape.in_h) continue;
            for (int64_t kx = 0; kx < shape.kernel_w; ++kx) {
              const int64_t ix = x0 + kx * shape.dilation_w;
              if (ix < 0 || ix >= shape.in_w) continue;
              const T* pixel = in + ((n * shape.in_h + iy) * shape.in_w + ix) * shape.in_c;
              const int8_t* tap = weights + (ky * shape.kernel_w + kx) * shape.out_c + first;
              if (multiplier == 1) {
                add_products(pixel + first, in_offset, tap, count, sums);
              } else {
                for (int i = 0; i < count; ++i) spread[i] = pixel[(first + i) / multiplier];
                add_products(spread, in_offset, tap, count, sums);
              }
            }
          }
          finish_channels(stage, static_cast<size_t>(first), count, sums, pixel_out + first);
        }
      }
    }
  }
}

}  // namespace berth::runtime
