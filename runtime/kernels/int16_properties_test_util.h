// Random layers of int16 through the kernels that all processors share, and through what defines
// them, written out here again: what a processor's compiler makes of 64-bit sums is tested where it
// runs. Needs no heap: the host's test and an image on emulated boards use it.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernels/convolution.h"
#include "runtime/kernels/depthwise.h"
#include "runtime/kernels/quantized_product.h"
#include "runtime/kernels/quantized_sum.h"

namespace berth::runtime {

class Int16Properties {
 public:
  explicit Int16Properties(uint32_t seed) : state_(seed) {}

  // Null, or what went wrong. Groups, 32-bit and 64-bit sums.
  const char* check_convolution() {
    make_shape();
    const int32_t groups = chance(4) ? between(1, 3) : 1;
    shape_.kernel_c = between(1, 9);
    shape_.in_c = shape_.kernel_c * groups;
    shape_.out_c = between(1, 6) * groups;
    if (!set_output_size()) return nullptr;
    make_data();
    const int64_t group_outputs = shape_.out_c / groups;
    sum_windows([&](int64_t o, int64_t tap, const int16_t* pixel, Sums* sums) {
      const int64_t taps = shape_.kernel_h * shape_.kernel_w;
      const int8_t* filter = weights_ + (o * taps + tap) * shape_.kernel_c;
      for (int64_t c = 0; c < shape_.kernel_c; ++c) {
        sums->add(pixel[o / group_outputs * shape_.kernel_c + c], filter[c]);
      }
    });
    if (wide_) {
      convolve<int64_t>(shape_, in_, 0, weights_, wide_stage_, out_);
    } else {
      convolve<uint32_t>(shape_, in_, 0, weights_, stage_, out_);
    }
    return compare();
  }

  const char* check_depthwise() {
    make_shape();
    const int32_t multiplier = chance(3) ? between(2, 4) : 1;
    shape_.in_c = between(1, 9);
    shape_.out_c = shape_.in_c * multiplier;
    if (!set_output_size()) return nullptr;
    make_data();
    sum_windows([&](int64_t o, int64_t tap, const int16_t* pixel, Sums* sums) {
      sums->add(pixel[o / multiplier], weights_[tap * shape_.out_c + o]);
    });
    if (wide_) {
      convolve_depthwise<int64_t>(shape_, in_, 0, weights_, wide_stage_, out_);
    } else {
      convolve_depthwise<uint32_t>(shape_, in_, 0, weights_, stage_, out_);
    }
    return compare();
  }

  // Sums, differences and products of elements, or of elements and one.
  const char* check_elements() {
    shape_ = WindowShape();
    shape_.out_c = between(1, kChannels);
    make_data();
    LoopNest<3> nest;
    const size_t other_step = chance(4) ? 0 : 1;
    nest.append(static_cast<size_t>(shape_.out_c), {1, 1, other_step});
    const int16_t* other = in_ + kChannels;
    const auto scale = [&](int32_t value, int i) {
      return mbqm(value, multipliers_[i], shifts_[i]);
    };
    const auto finish = [&](int32_t value) {
      return static_cast<int16_t>(
          clamp_to(wrapping_add(value, stage_.zero_point), stage_.range.low, stage_.range.high));
    };
    const int kind = static_cast<int>(draw() % 3);
    for (size_t i = 0; i < static_cast<size_t>(shape_.out_c); ++i) {
      const int32_t a = in_[i], b = other[i * other_step];
      const int32_t x = scale(wrapping_shift_left(a, 15), 0),
                    y = scale(wrapping_shift_left(b, 15), 1);
      wanted_[i] = kind == 2
                       ? finish(scale(a * b, 2))
                       : finish(scale(kind == 1 ? wrapping_sub(x, y) : wrapping_add(x, y), 2));
    }
    const Scaling scalings[] = {{multipliers_[0], shifts_[0]},
                                {multipliers_[1], shifts_[1]},
                                {multipliers_[2], shifts_[2]}};
    if (kind == 2) {
      const ProductRule rule{0, 0, stage_.zero_point, scalings[2], stage_.range};
      multiply_elements<Scaling>(nest, rule, in_, other, out_);
    } else {
      const SumRule<int16_t> rule{
          {0, 0}, {scalings[0], scalings[1]}, stage_.zero_point, scalings[2], stage_.range};
      add_elements<Scaling>(nest, rule, kind == 1 ? -1 : 1, in_, other, out_);
    }
    return compare();
  }

 private:
  static constexpr int kChannels = 48;
  static constexpr int16_t kMark = 0x5A5A;

  // Of one output.
  struct Sums {
    int64_t wide = 0;
    uint32_t narrow = 0;
    void add(int32_t a, int32_t b) {
      wide += int64_t{a} * b, narrow += static_cast<uint32_t>(a * b);
    }
  };

  uint32_t draw() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  bool chance(uint32_t one_in) { return draw() % one_in == 0; }
  int32_t between(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(draw() % static_cast<uint32_t>(high - low + 1));
  }

  void make_shape() {
    shape_ = WindowShape();
    shape_.batch = chance(4) ? 2 : 1;
    shape_.in_h = between(1, 6), shape_.in_w = between(1, 6);
    shape_.kernel_h = between(1, 3), shape_.kernel_w = between(1, 3);
    shape_.stride_h = between(1, 3), shape_.stride_w = between(1, 3);
    shape_.dilation_h = chance(3) ? 2 : 1, shape_.dilation_w = chance(3) ? 2 : 1;
    shape_.pad_h = between(0, 2), shape_.pad_w = between(0, 2);
  }
  bool set_output_size() {
    const int64_t high = shape_.in_h + 2 * shape_.pad_h - shape_.dilation_h * (shape_.kernel_h - 1);
    const int64_t wide = shape_.in_w + 2 * shape_.pad_w - shape_.dilation_w * (shape_.kernel_w - 1);
    if (high < 1 || wide < 1) return false;
    shape_.out_h = (high - 1) / shape_.stride_h + 1;
    shape_.out_w = (wide - 1) / shape_.stride_w + 1;
    return true;
  }

  void make_data() {
    for (int16_t& element : in_) element = static_cast<int16_t>(draw());
    for (int8_t& element : weights_) element = static_cast<int8_t>(draw());
    wide_ = chance(2);
    const bool wild = chance(4);  // multipliers below 0, shifts to the left, any bias
    for (int i = 0; i < kChannels; ++i) {
      bias_[i] = wild ? static_cast<int32_t>(draw() << 8) : between(-20000, 20000);
      wide_bias_[i] = int64_t{bias_[i]} * (wild ? 1000 : 1);
      multipliers_[i] = static_cast<int32_t>(0x40000000u + draw() * 64);
      if (wild && chance(3)) multipliers_[i] = static_cast<int32_t>(draw() * 256 | 1);
      shifts_[i] = wild ? between(-31, 6) : between(-14, 0);
    }
    stage_ = OutputStage();
    stage_.scaling = {multipliers_, shifts_, 1};
    stage_.bias = chance(5) ? nullptr : bias_;
    stage_.zero_point = chance(2) ? 0 : between(-32768, 32767);
    stage_.range.low = chance(2) ? -32768 : between(-32768, 0);
    stage_.range.high = chance(2) ? 32767 : between(0, 32767);
    wide_stage_ = WideOutputStage();
    wide_stage_.scaling = stage_.scaling;
    wide_stage_.bias = stage_.bias == nullptr ? nullptr : wide_bias_;
    wide_stage_.zero_point = stage_.zero_point, wide_stage_.range = stage_.range;
    for (int16_t& element : out_) element = kMark;
  }

  // Every output: the sum over the taps inside the image. add(output, tap, pixel, &sums).
  template <typename Add>
  void sum_windows(const Add& add) {
    int16_t* wanted = wanted_;
    const int64_t positions = shape_.batch * shape_.out_h * shape_.out_w;
    for (int64_t p = 0; p < positions; ++p) {
      const int64_t y = p / shape_.out_w % shape_.out_h, x = p % shape_.out_w;
      const int16_t* image =
          in_ + p / (shape_.out_h * shape_.out_w) * shape_.in_h * shape_.in_w * shape_.in_c;
      for (int64_t o = 0; o < shape_.out_c; ++o) {
        Sums sums;
        for (int64_t tap = 0; tap < shape_.kernel_h * shape_.kernel_w; ++tap) {
          const int64_t in_y =
              y * shape_.stride_h - shape_.pad_h + tap / shape_.kernel_w * shape_.dilation_h;
          const int64_t in_x =
              x * shape_.stride_w - shape_.pad_w + tap % shape_.kernel_w * shape_.dilation_w;
          if (in_y < 0 || in_y >= shape_.in_h || in_x < 0 || in_x >= shape_.in_w) continue;
          add(o, tap, image + (in_y * shape_.in_w + in_x) * shape_.in_c, &sums);
        }
        *wanted++ = finish(sums, static_cast<size_t>(o));
      }
    }
  }
  int16_t finish(Sums sums, size_t o) const {
    int32_t scaled = 0;
    if (wide_) {
      const int64_t bias = wide_stage_.bias == nullptr ? 0 : wide_bias_[o];
      scaled = mbqm64(sums.wide + bias, multipliers_[o], shifts_[o]);
    } else {
      const int32_t bias = stage_.bias == nullptr ? 0 : bias_[o];
      const int32_t sum = wrapping_add(static_cast<int32_t>(sums.narrow), bias);
      scaled = mbqm(sum, multipliers_[o], shifts_[o]);
    }
    return static_cast<int16_t>(
        clamp_to(wrapping_add(scaled, stage_.zero_point), stage_.range.low, stage_.range.high));
  }

  const char* compare() const {
    const auto count =
        static_cast<size_t>(shape_.batch * shape_.out_h * shape_.out_w * shape_.out_c);
    if (memcmp(out_, wanted_, count * sizeof(int16_t)) != 0) return "wrong values";
    return out_[count] == kMark ? nullptr : "a write beside the output";
  }

  uint32_t state_;
  WindowShape shape_;
  OutputStage stage_;
  WideOutputStage wide_stage_;
  bool wide_ = false;
  int64_t wide_bias_[kChannels];
  int32_t bias_[kChannels], multipliers_[kChannels], shifts_[kChannels];
  int16_t in_[2 * 6 * 6 * 27];
  int8_t weights_[18 * 9 * 9];
  int16_t wanted_[2 * 10 * 10 * 36];
  int16_t out_[2 * 10 * 10 * 36 + 1];
};

}  // namespace berth::runtime
