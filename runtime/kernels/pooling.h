// Average and maximum pooling over NHWC images of any integer type. The window is cut at the
// image's edge; the average divides by the elements that are left. Channels are the vector, a block
// of them at a time (256 bytes of sums).
#pragma once

#include "runtime/kernels/cortex_m/int8_pooling.h"
#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

constexpr int kPoolBlock = 64;

// What both poolings begin with, whoever's they are.
enum : uint32_t { kPoolIn, kPoolKernel, kPoolStride, kPoolPadding };

// Input and output: images of one dtype and as many channels. Windows must meet the image
// everywhere: padding smaller than the kernel, and the last window begins inside.
inline Status read_pool(const Args& args, const Tensor& in, const Tensor& out, WindowShape* shape) {
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  KERNEL_TRY(read_images(in, out, shape));
  KERNEL_REQUIRE(in.size(1) == out.size(1), kBadShape);
  KERNEL_TRY(read_pair(args, kPoolKernel, 1, &shape->kernel_h, &shape->kernel_w));
  KERNEL_TRY(read_pair(args, kPoolStride, 1, &shape->stride_h, &shape->stride_w));
  KERNEL_TRY(read_pair(args, kPoolPadding, 0, &shape->pad_h, &shape->pad_w));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_REQUIRE(shape->pad_h < shape->kernel_h && shape->pad_w < shape->kernel_w, kBadShape);
  KERNEL_REQUIRE((shape->out_h - 1) * shape->stride_h - shape->pad_h < shape->in_h, kBadShape);
  KERNEL_REQUIRE((shape->out_w - 1) * shape->stride_w - shape->pad_w < shape->in_w, kBadShape);
  return Status::kOk;
}

// A rule of pooling: the value a sum starts with, how an element joins it, how it ends; and what
// does int8 on a Cortex-M.
struct MaxRule {
#if defined(__ARM_FEATURE_MVE)
  using Int8Pool = Int8MaxPool;
#else
  using Int8Pool = Int8PlainPool<MaxRule>;
#endif
  static constexpr int32_t kStart = kInt32Min;
  static int32_t add(int32_t sum, int32_t value) { return sum > value ? sum : value; }
  static int32_t finish(int32_t sum, int32_t) { return sum; }
  template <typename T>
  static bool takes(const WindowShape& s) {
    return kBuildIsa == Isa::kHost || sizeof(T) != 1 || takes_int8_pool(s);
  }
};

// The quotient is rounded half away from zero; no zero point is taken off, as TFLite's
// reference kernels do.
struct AverageRule {
#if defined(__ARM_FEATURE_MVE)
  using Int8Pool = Int8AveragePool;
#else
  using Int8Pool = Int8PlainPool<AverageRule>;
#endif
  static constexpr int32_t kStart = 0;
  static int32_t add(int32_t sum, int32_t value) { return sum + value; }
  static int32_t finish(int32_t sum, int32_t taps) {
    return sum > 0 ? (sum + taps / 2) / taps : (sum - taps / 2) / taps;
  }
  // int32 sums hold any window an int8 or int16 average may have.
  template <typename T>
  static bool takes(const WindowShape& s) {
    const int64_t height = s.kernel_h < s.in_h ? s.kernel_h : s.in_h;
    const int64_t width = s.kernel_w < s.in_w ? s.kernel_w : s.in_w;
    return height * width <= (sizeof(T) == 1 ? 1 << 23 : 1 << 15) && MaxRule::takes<T>(s);
  }
};

// REQUIRES: Rule::takes and no size is 0.
template <typename Rule, typename T>
void pool(const WindowShape& s, const T* in, Range range, T* out) {
  if constexpr (sizeof(T) == 1 && kBuildIsa != Isa::kHost) {
    pool_int8<typename Rule::Int8Pool>(s, in, range.low, range.high, out);
    return;
  }
  int32_t sums[kPoolBlock];
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t y = 0; y < s.out_h; ++y) {
      const int64_t y0 = y * s.stride_h - s.pad_h;
      const int64_t top = y0 < 0 ? 0 : y0;
      const int64_t bottom = y0 + s.kernel_h < s.in_h ? y0 + s.kernel_h : s.in_h;
      for (int64_t x = 0; x < s.out_w; ++x) {
        const int64_t x0 = x * s.stride_w - s.pad_w;
        const int64_t left = x0 < 0 ? 0 : x0;
        const int64_t right = x0 + s.kernel_w < s.in_w ? x0 + s.kernel_w : s.in_w;
        const int32_t taps = static_cast<int32_t>((bottom - top) * (right - left));
        T* pixel_out = out + ((n * s.out_h + y) * s.out_w + x) * s.out_c;
        for (int64_t first = 0; first < s.out_c; first += kPoolBlock) {
          const int count =
              static_cast<int>(s.out_c - first < kPoolBlock ? s.out_c - first : kPoolBlock);
          const T* line = in + ((n * s.in_h + top) * s.in_w + left) * s.in_c + first;
          for (int i = 0; i < count; ++i) sums[i] = Rule::kStart;
          for (int64_t iy = top; iy < bottom; ++iy, line += s.in_w * s.in_c) {
            const T* tap = line;
            for (int64_t ix = left; ix < right; ++ix, tap += s.in_c) {
              for (int i = 0; i < count; ++i) sums[i] = Rule::add(sums[i], tap[i]);
            }
          }
          for (int i = 0; i < count; ++i) {
            pixel_out[first + i] =
                static_cast<T>(clamp_to(Rule::finish(sums[i], taps), range.low, range.high));
          }
        }
      }
    }
  }
}

// berth::quantized_avg_pool2d and max_pool2d: int8 and int16, a range behind the padding.
template <typename Rule>
Status run_ranged_pool(const Args& args) {
  enum : uint32_t { kLow = kPoolPadding + 1, kHigh, kOut };
  const Tensor& in = args.tensor(kPoolIn);
  const Tensor& out = args.tensor(kOut);
  WindowShape shape;
  KERNEL_TRY(read_pool(args, in, out, &shape));
  return dispatch_dtype<int8_t, int16_t>(in.dtype, [&](auto zero) {
    using T = decltype(zero);
    Range range;
    KERNEL_TRY(read_range<T>(args, kLow, kHigh, &range));
    if (out.numel() == 0) return Status::kOk;
    KERNEL_REQUIRE(Rule::template takes<T>(shape), kUnsupported);
    pool<Rule>(shape, in.as<T>(), range, out.as_mutable<T>());
    return Status::kOk;
  });
}

}  // namespace berth::runtime
