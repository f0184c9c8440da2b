// Depthwise convolution: every output channel sees one input channel, so channels, which lie side
// by side in memory, are the vector. Lanes of one pass are a block of channels of one position, or,
// where channels are few, all channels of several neighbouring positions: their outputs lie side by
// side too, and the filters are repeated to match.
//
// Stack: sums, a copy of inputs, the channels' constants and the repeated filters, 3 KiB.
#pragma once

#include <cstring>

#include "runtime/kernels/conv_arguments.h"
#include "runtime/kernels/cortex_m/int8_depthwise.h"

namespace berth::runtime {

constexpr int kDepthwiseLanes = 64;
constexpr int kRepeatedFilters = 1536;  // bytes

// sums[i] += (in[i] + offset) * weights[i]. The int8 product is exact in 16 bits: 255 * 128 < 2^15.
void add_products(const int8_t* in, int offset, const int8_t* weights, int count, uint32_t* sums);
void add_products(const int16_t* in, int offset, const int8_t* weights, int count, uint32_t* sums);
void add_products(const int16_t* in, int offset, const int8_t* weights, int count, int64_t* sums);

// Weights (1, kernel_h, kernel_w, out_c); out_c = in_c * multiplier. REQUIRES:
// read_convolution has passed.
inline Status check_depthwise_weights(const Tensor& weights, int64_t multiplier,
                                      const WindowShape& shape) {
  KERNEL_REQUIRE(multiplier >= 1 && fits<int32_t>(multiplier), kBadArguments);
  KERNEL_REQUIRE(weights.size(0) == 1 && weights.size(3) == shape.out_c, kBadShape);
  KERNEL_REQUIRE(shape.out_c == shape.in_c * multiplier, kBadShape);
  return Status::kOk;
}

template <typename Sum, typename T, typename Stage>
class DepthwisePass {
 public:
  // REQUIRES: check_depthwise_weights has passed and no size is 0.
  DepthwisePass(const WindowShape& shape, const T* in, int32_t in_offset, const int8_t* weights,
                const Stage& stage, T* out)
      : s_(shape),
        in_(in),
        in_offset_(in_offset),
        weights_(weights),
        stage_(stage),
        out_(out),
        multiplier_(shape.out_c / shape.in_c) {}

  void run() {
    const int64_t taps = s_.kernel_h * s_.kernel_w;
    int64_t positions = kDepthwiseLanes / s_.out_c;
    if (positions > kRepeatedFilters / s_.out_c / taps)
      positions = kRepeatedFilters / s_.out_c / taps;
    if (positions > s_.out_w) positions = s_.out_w;
    if (positions >= 2) {
      run_positions(static_cast<int>(positions));
    } else {
      run_channels();
    }
  }

 private:
  // First of the input's rows or columns under output `at`.
  static int64_t begin(int64_t at, int64_t stride, int64_t pad) { return at * stride - pad; }
  static bool inside(int64_t at, int64_t size) { return at >= 0 && at < size; }
  const T* pixel(int64_t n, int64_t y, int64_t x) const {
    return in_ + ((n * s_.in_h + y) * s_.in_w + x) * s_.in_c;
  }
  T* pixel_out(int64_t n, int64_t y, int64_t x) const {
    return out_ + ((n * s_.out_h + y) * s_.out_w + x) * s_.out_c;
  }

  // The input channels that outputs first .. first + count of one position see.
  void spread(const T* from, int64_t first, int count, T* to) const {
    if (multiplier_ == 1) {
      memcpy(to, from + first, sizeof(T) * count);
      return;
    }
    const T* channel = from + first / multiplier_;
    int64_t use = first % multiplier_;
    for (int i = 0; i < count; ++i) {
      to[i] = *channel;
      if (++use == multiplier_) {
        use = 0;
        ++channel;
      }
    }
  }

  // Many channels: a block of them at one position.
  void run_channels() {
    Sum sums[kDepthwiseLanes];
    T copy[kDepthwiseLanes];
    typename Stage::template Block<kDepthwiseLanes> block;
    for (int64_t first = 0; first < s_.out_c; first += kDepthwiseLanes) {
      const int count =
          static_cast<int>(s_.out_c - first < kDepthwiseLanes ? s_.out_c - first : kDepthwiseLanes);
      prepare<kDepthwiseLanes>(stage_, static_cast<size_t>(first), count, 1, &block);
      for (int64_t n = 0; n < s_.batch; ++n) {
        for (int64_t y = 0; y < s_.out_h; ++y) {
          for (int64_t x = 0; x < s_.out_w; ++x) {
            for (int i = 0; i < count; ++i) sums[i] = 0;
            for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
              const int64_t iy = begin(y, s_.stride_h, s_.pad_h) + ky * s_.dilation_h;
              if (!inside(iy, s_.in_h)) continue;
              for (int64_t kx = 0; kx < s_.kernel_w; ++kx) {
                const int64_t ix = begin(x, s_.stride_w, s_.pad_w) + kx * s_.dilation_w;
                if (!inside(ix, s_.in_w)) continue;
                const T* from = pixel(n, iy, ix) + first;
                if (multiplier_ != 1) {
                  spread(pixel(n, iy, ix), first, count, copy);
                  from = copy;
                }
                add_products(from, in_offset_,
                             weights_ + (ky * s_.kernel_w + kx) * s_.out_c + first, count, sums);
              }
            }
            finish<kDepthwiseLanes>(stage_, block, count, sums, pixel_out(n, y, x) + first);
          }
        }
      }
    }
  }

  // Few channels: `most` positions of a row at once. Inputs outside the image are minus the offset,
  // which adds nothing.
  void run_positions(int most) {
    Sum sums[kDepthwiseLanes];
    T copy[kDepthwiseLanes];
    int8_t filters[kRepeatedFilters];
    typename Stage::template Block<kDepthwiseLanes> block;
    const int channels = static_cast<int>(s_.out_c);
    const int lanes = channels * most;
    const int taps = static_cast<int>(s_.kernel_h * s_.kernel_w);
    for (int tap = 0; tap < taps; ++tap) {
      for (int i = 0; i < lanes; ++i)
        filters[tap * lanes + i] = weights_[tap * channels + i % channels];
    }
    prepare<kDepthwiseLanes>(stage_, 0, channels, most, &block);
    for (int64_t n = 0; n < s_.batch; ++n) {
      for (int64_t y = 0; y < s_.out_h; ++y) {
        for (int64_t x = 0; x < s_.out_w; x += most) {
          const int positions = static_cast<int>(s_.out_w - x < most ? s_.out_w - x : most);
          const int count = positions * channels;
          for (int i = 0; i < count; ++i) sums[i] = 0;
          for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
            const int64_t iy = begin(y, s_.stride_h, s_.pad_h) + ky * s_.dilation_h;
            if (!inside(iy, s_.in_h)) continue;
            for (int64_t kx = 0; kx < s_.kernel_w; ++kx) {
              const int64_t ix = begin(x, s_.stride_w, s_.pad_w) + kx * s_.dilation_w;
              const T* from = copy;
              if (s_.stride_w == 1 && multiplier_ == 1 && ix >= 0 && ix + positions <= s_.in_w) {
                from = pixel(n, iy, ix);
              } else {
                for (int p = 0; p < positions; ++p) {
                  const int64_t at = ix + p * s_.stride_w;
                  T* to = copy + p * channels;
                  if (inside(at, s_.in_w)) {
                    spread(pixel(n, iy, at), 0, channels, to);
                  } else {
                    for (int i = 0; i < channels; ++i) to[i] = static_cast<T>(-in_offset_);
                  }
                }
              }
              add_products(from, in_offset_, filters + (ky * s_.kernel_w + kx) * lanes, count,
                           sums);
            }
          }
          finish<kDepthwiseLanes>(stage_, block, count, sums, pixel_out(n, y, x));
        }
      }
    }
  }

  const WindowShape s_;
  const T* const in_;
  const int32_t in_offset_;
  const int8_t* const weights_;
  const Stage stage_;
  T* const out_;
  const int64_t multiplier_;
};

template <typename Sum, typename T, typename Stage>
void convolve_depthwise(const WindowShape& shape, const T* in, int32_t in_offset,
                        const int8_t* weights, const Stage& stage, T* out) {
  DepthwisePass<Sum, T, Stage>(shape, in, in_offset, weights, stage, out).run();
}

// cortex_m::quantized_depthwise_conv2d (int8) and berth::quantized_depthwise_conv2d (int16).
template <typename T>
Status run_depthwise_conv2d(const KernelContext& context, const Args& args) {
  constexpr uint32_t kMultiplier = 6;
  constexpr ConvSlots kSlots{5, 7, kConvScratches<T>};
  const Tensor& in = args.tensor(ConvSlots::kIn);
  const Tensor& weights = args.tensor(ConvSlots::kWeights);
  const Tensor& out = args.tensor(kSlots.out());
  WindowShape shape;
  SumStages<T> sums;
  KERNEL_TRY(read_convolution(args, kSlots, &shape, &sums));
  KERNEL_TRY(check_depthwise_weights(weights, args.integer(kMultiplier), shape));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_TRY(check_conv_scratch(context, args, kSlots, 0, shape, depthwise_conv2d_scratch_bytes));
  if constexpr (sizeof(T) == 1 && kBuildIsa != Isa::kHost) {
    KERNEL_REQUIRE(takes_int8_depthwise(shape), kUnsupported);
    convolve_depthwise_int8(shape, in.as<T>(), sums.in_offset, weights.as<int8_t>(), sums.stage,
                            out.as_mutable<T>());
  } else {
    sums.run([&](auto zero, int32_t in_offset, const auto& stage) {
      convolve_depthwise<decltype(zero)>(shape, in.as<T>(), in_offset, weights.as<int8_t>(), stage,
                                         out.as_mutable<T>());
    });
  }
  return Status::kOk;
}

}  // namespace berth::runtime
