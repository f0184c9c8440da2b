// Random layers through the int8 kernels for Cortex-M and through the reference kernels, byte by
// byte, with guards around what may be written. Needs no heap: the host's test runs it for the
// plain kernels, an image on an emulated board (firmware/int8_layers_test.cc) for the others.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/kernels/convolution.h"
#include "runtime/kernels/cortex_m/int8_depthwise.h"
#include "runtime/kernels/cortex_m/int8_rows.h"
#include "runtime/kernels/cortex_m/int8_transpose.h"
#include "runtime/kernels/cortex_m/softmax_row.h"
#include "runtime/kernels/depthwise.h"
#include "runtime/kernels/pooling.h"
#include "runtime/kernels/quantized_product.h"
#include "runtime/kernels/quantized_sum.h"

namespace berth::runtime {

class Int8Properties {
 public:
  explicit Int8Properties(uint32_t seed) : state_(seed) {}

  // Null, or what went wrong; shape() is the layer's then.
  const char* check_convolution() {
    make_shape();
    const int32_t groups = chance(3) ? between(2, 9) : 1;
    shape_.kernel_c = between(1, groups == 1 ? 20 : 60 / groups > 20 ? 20 : 60 / groups);
    shape_.in_c = shape_.kernel_c * groups;
    shape_.out_c =
        (chance(8) ? between(60, 70) / groups : between(1, groups == 1 ? 9 : 6)) * groups;
    if (chance(3)) make_pointwise();
    if (chance(4)) make_row();
    if (!set_output_size()) return nullptr;
    const size_t depth = static_cast<size_t>(shape_.kernel_h * shape_.kernel_w * shape_.kernel_c);
    make_data(depth * static_cast<size_t>(shape_.out_c));
    const size_t scratch_bytes = static_cast<size_t>(
        conv2d_scratch_bytes(shape_, kBuildIsa == Isa::kHost ? Isa::kScalar : kBuildIsa));
    if (scratch_bytes > sizeof(scratch_) - kGuard) return "scratch of the test is too small";
    const Span<int8_t> scratch(scratch_, scratch_bytes);
    if (!takes_int8_convolution(shape_, scratch)) return nullptr;
    ++count_;
    memset(scratch_, kMark, sizeof(scratch_));
    convolve<uint32_t>(shape_, in_, offset_, weights_, stage_, wanted_);
    convolve_int8(shape_, in_, offset_, weights_, stage_, scratch, out_ + kGuard);
    return compare(scratch_bytes);
  }

  const char* check_depthwise() {
    make_shape();
    const int32_t multiplier = chance(3) ? between(1, 9) : 1;
    shape_.in_c = multiplier == 1 ? between(1, 40) : between(1, 4);
    if (multiplier > 1 && chance(2)) shape_.in_c = 1;
    shape_.out_c = shape_.in_c * (multiplier > 1 && chance(2) ? 8 : multiplier);
    if (!set_output_size()) return nullptr;
    make_data(static_cast<size_t>(shape_.kernel_h * shape_.kernel_w * shape_.out_c));
    if (!takes_int8_depthwise(shape_)) return nullptr;
    ++count_;
    memset(scratch_, kMark, sizeof(scratch_));
    convolve_depthwise<uint32_t>(shape_, in_, offset_, weights_, stage_, wanted_);
    convolve_depthwise_int8(shape_, in_, offset_, weights_, stage_, out_ + kGuard);
    return compare(0);
  }

  // Linear layers and products of matrices.
  const char* check_rows() {
    shape_ = WindowShape();
    shape_.in_c = shape_.kernel_c = between(1, 200);
    shape_.out_c = between(1, 40);
    shape_.out_h = between(1, 4);
    const size_t depth = static_cast<size_t>(shape_.in_c);
    const size_t rows = static_cast<size_t>(shape_.out_h);
    const size_t outputs = static_cast<size_t>(shape_.out_c);
    make_data(depth * outputs);
    if (chance(3)) offset_ = 0;
    const int32_t filter_offset = chance(2) ? between(-127, 128) : 0;
    const bool one_scale = chance(2);
    stage_.scaling.step = one_scale ? 0 : 1;
    ++count_;
    memset(scratch_, kMark, sizeof(scratch_));
    multiply<uint32_t>(MatrixSource<int8_t>{in_, depth, offset_}, rows, depth, weights_, outputs,
                       filter_offset, RowSink<OutputStage, int8_t>{stage_, wanted_, outputs});
    multiply_rows({in_, rows, filter_offset},
                  {weights_,
                   depth,
                   static_cast<int>(shape_.out_c),
                   {stage_.bias, multipliers_, shifts_, one_scale},
                   {stage_.zero_point, stage_.range.low, stage_.range.high},
                   offset_},
                  out_ + kGuard, outputs);
    return compare(0);
  }

  const char* check_transpose() {
    make_shape();
    shape_.dilation_h = shape_.dilation_w = 1;
    shape_.in_c = shape_.kernel_c = between(1, 20);
    shape_.out_c = between(1, 9);
    shape_.in_h = between(1, 4), shape_.in_w = between(1, 9);
    if (chance(2)) shape_.stride_h = shape_.kernel_h, shape_.stride_w = shape_.kernel_w;
    if (chance(9)) {  // more channels than a block has
      shape_.batch = shape_.in_h = 1;
      shape_.kernel_h = shape_.kernel_w = shape_.stride_w = 2;
      shape_.out_c = between(65, 70);
    }
    // A little more than the input reaches, now and then.
    shape_.out_h = (shape_.in_h - 1) * shape_.stride_h + shape_.kernel_h - shape_.pad_h;
    shape_.out_w = (shape_.in_w - 1) * shape_.stride_w + shape_.kernel_w - between(0, 1);
    shape_.out_h += chance(3) ? 2 : 0, shape_.out_w += chance(3) ? 2 : 0;
    if (shape_.out_h < 1 || shape_.out_w < 1) return nullptr;
    const size_t channels = static_cast<size_t>(shape_.out_c);
    const size_t depth = static_cast<size_t>(shape_.kernel_h * shape_.kernel_w * shape_.in_c);
    make_data(depth * channels);
    const size_t bytes = static_cast<size_t>(transpose_shares(shape_) * sizeof(int32_t));
    if (bytes > sizeof(scratch_) - kGuard) return "scratch of the test is too small";
    if (!takes_int8_transpose(shape_)) return nullptr;
    ++count_;
    memset(scratch_, kMark, sizeof(scratch_));
    multiply<uint32_t>(TransposeConvSource{in_, shape_, offset_},
                       static_cast<size_t>(shape_.batch * shape_.out_h * shape_.out_w), depth,
                       weights_, channels, 0,
                       RowSink<OutputStage, int8_t>{stage_, wanted_, channels});
    convolve_transpose_int8(shape_, in_, offset_, weights_, stage_,
                            reinterpret_cast<int32_t*>(scratch_), out_ + kGuard);
    return compare(bytes);
  }

  const char* check_pooling() { return chance(2) ? pool_one<MaxRule>() : pool_one<AverageRule>(); }

  // A run of elements, or one operand repeated.
  const char* check_addition() {
    const LoopNest<3> nest = make_run();
    SumRule<int8_t> rule;
    rule.zero_points[0] = between(-128, 127), rule.zero_points[1] = between(-128, 127);
    rule.scalings[0] = {multipliers_[0], chance(3) ? 0 : shifts_[0]};
    rule.scalings[1] = {multipliers_[1], chance(3) ? 0 : shifts_[1]};
    rule.out_scaling = {multipliers_[2], shifts_[2]};
    rule.out_zero_point = stage_.zero_point;
    rule.range = stage_.range;
    if (!add_int8(nest, rule, in_, weights_, out_ + kGuard)) return nullptr;
    ++count_;
    add_elements<Scaling>(nest, rule, +1, in_, weights_, wanted_);
    return compare(0);
  }

  const char* check_product() {
    const LoopNest<3> nest = make_run();
    const ProductRule rule{between(-128, 127),
                           between(-128, 127),
                           stage_.zero_point,
                           {multipliers_[0], shifts_[0]},
                           stage_.range};
    if (!multiply_int8(nest, rule, in_, weights_, out_ + kGuard)) return nullptr;
    ++count_;
    multiply_elements<Scaling>(nest, rule, in_, weights_, wanted_);
    return compare(0);
  }

  // Rows that may stand in columns.
  const char* check_softmax() {
    shape_ = WindowShape();
    shape_.out_w = between(1, 60);
    shape_.out_c = chance(2) ? 1 : between(1, 9);
    make_data(0);
    const auto count = static_cast<size_t>(shape_.out_w), step = static_cast<size_t>(shape_.out_c);
    if (chance(4)) memset(in_, between(-128, 127), count * step);
    SoftmaxRule rule;
    rule.scaling = {static_cast<int32_t>(draw() * 128), between(0, chance(3) ? 31 : 24)};
    rule.diff_min = chance(4) ? -static_cast<int32_t>(draw()) : between(-255, 0);
    ++count_;
    memset(scratch_, kMark, sizeof(scratch_));
    for (size_t s = 0; s < step; ++s) {
      softmax_row(in_ + s, wanted_ + s, count, step, rule);
      softmax_int8_row(in_ + s, out_ + kGuard + s, count, step, rule.scaling, rule.diff_min);
    }
    return compare(0);
  }

  const WindowShape& shape() const { return shape_; }
  int count() const { return count_; }  // layers compared

 private:
  static constexpr size_t kGuard = 16, kChannels = 80;
  static constexpr int8_t kMark = 0x5A;

  uint32_t draw() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  bool chance(uint32_t one_in) { return draw() % one_in == 0; }
  int32_t between(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(draw() % static_cast<uint32_t>(high - low + 1));
  }

  // Elements of in_ and weights_, or a repeated one of either.
  LoopNest<3> make_run() {
    shape_ = WindowShape();
    shape_.out_c = between(2, 90);
    make_data(90);
    memset(scratch_, kMark, sizeof(scratch_));
    LoopNest<3> nest;
    const size_t self_step = chance(4) ? 0 : 1, other_step = self_step == 1 && chance(4) ? 0 : 1;
    nest.append(static_cast<size_t>(shape_.out_c), {1, self_step, other_step});
    return nest;
  }

  template <typename Rule>
  const char* pool_one() {
    make_shape();
    shape_.pad_h = shape_.pad_w = 0;
    shape_.dilation_h = shape_.dilation_w = 1;
    shape_.in_c = shape_.out_c = between(1, 40);
    if (!set_output_size()) return nullptr;
    shape_.out_w = (shape_.in_w - shape_.kernel_w) / shape_.stride_w + 1;
    make_data(0);
    ++count_;
    memset(scratch_, kMark, sizeof(scratch_));
    const auto taps = static_cast<int32_t>(shape_.kernel_h * shape_.kernel_w);
    int8_t* wanted = wanted_;
    const auto position = [&](int64_t n, int64_t y, int64_t x) {
      for (int64_t c = 0; c < shape_.in_c; ++c) {
        int32_t sum = Rule::kStart;
        for (int64_t ky = 0; ky < shape_.kernel_h; ++ky) {
          for (int64_t kx = 0; kx < shape_.kernel_w; ++kx) {
            const int64_t line = n * shape_.in_h + y * shape_.stride_h + ky;
            const int64_t pixel = line * shape_.in_w + x * shape_.stride_w + kx;
            sum = Rule::add(sum, static_cast<int32_t>(in_[pixel * shape_.in_c + c]));
          }
        }
        *wanted++ = static_cast<int8_t>(
            clamp_to(Rule::finish(sum, taps), stage_.range.low, stage_.range.high));
      }
    };
    for (int64_t n = 0; n < shape_.batch; ++n) {
      for (int64_t y = 0; y < shape_.out_h; ++y) {
        for (int64_t x = 0; x < shape_.out_w; ++x) position(n, y, x);
      }
    }
    pool_int8<typename Rule::Int8Pool>(shape_, in_, stage_.range.low, stage_.range.high,
                                       out_ + kGuard);
    return compare(0);
  }

  void make_shape() {
    shape_ = WindowShape();
    shape_.batch = chance(4) ? 2 : 1;
    shape_.in_h = between(1, 8), shape_.in_w = between(1, 8);
    shape_.kernel_h = between(1, 4), shape_.kernel_w = between(1, 4);
    shape_.stride_h = between(1, 3), shape_.stride_w = between(1, 3);
    shape_.dilation_h = chance(3) ? 2 : 1, shape_.dilation_w = chance(3) ? 2 : 1;
    shape_.pad_h = between(0, 2), shape_.pad_w = between(0, 2);
  }
  void make_pointwise() {
    shape_.kernel_h = shape_.kernel_w = 1;
    shape_.pad_h = shape_.pad_w = 0;
    shape_.dilation_h = shape_.dilation_w = 1;
    if (chance(2)) shape_.stride_h = shape_.stride_w = 1;
  }
  void make_row() {
    shape_.in_h = shape_.kernel_h = 1;
    shape_.pad_h = 0;
    shape_.dilation_w = 1;
    if (shape_.in_c % 4 != 0) shape_.stride_w = 1;
  }
  // Windows that begin inside the padded image, and now and then one behind it.
  bool set_output_size() {
    const int64_t high = shape_.in_h + 2 * shape_.pad_h - shape_.dilation_h * (shape_.kernel_h - 1);
    const int64_t wide = shape_.in_w + 2 * shape_.pad_w - shape_.dilation_w * (shape_.kernel_w - 1);
    if (high < 1 || wide < 1) return false;
    shape_.out_h = (high - 1) / shape_.stride_h + 1;
    shape_.out_w = (wide - 1) / shape_.stride_w + 1 + (chance(9) ? 1 : 0);
    return true;
  }

  void make_data(size_t weights) {
    for (int8_t& element : in_) element = static_cast<int8_t>(draw());
    for (size_t i = 0; i < weights; ++i) weights_[i] = static_cast<int8_t>(draw());
    const bool wild = chance(4);  // multipliers below 0, shifts to the left, any bias
    for (size_t i = 0; i < kChannels; ++i) {
      bias_[i] = wild ? static_cast<int32_t>(draw() << 8) : between(-2000, 2000);
      multipliers_[i] = static_cast<int32_t>(0x40000000u + draw() * 64);
      if (wild && chance(3)) multipliers_[i] = static_cast<int32_t>(draw() * 256 | 1);
      shifts_[i] = wild ? between(-31, 6) : between(-12, 0);
    }
    offset_ = between(-127, 128);
    stage_ = OutputStage();
    stage_.scaling = {multipliers_, shifts_, 1};
    stage_.bias = chance(5) ? nullptr : bias_;
    stage_.zero_point = between(-128, 127);
    stage_.range.low = chance(2) ? -128 : between(-128, 0);
    stage_.range.high = chance(2) ? 127 : between(0, 127);
    memset(out_, kMark, sizeof(out_));
  }

  const char* compare(size_t scratch_bytes) const {
    const size_t bytes =
        static_cast<size_t>(shape_.batch * shape_.out_h * shape_.out_w * shape_.out_c);
    if (memcmp(out_ + kGuard, wanted_, bytes) != 0) return "wrong bytes";
    for (size_t i = 0; i < kGuard; ++i) {
      if (out_[i] != kMark || out_[kGuard + bytes + i] != kMark) return "a write beside the output";
      if (scratch_[scratch_bytes + i] != kMark) return "a write beside the scratch";
    }
    return nullptr;
  }

  uint32_t state_;
  int count_ = 0;
  WindowShape shape_;
  OutputStage stage_;
  int32_t offset_ = 0;
  int32_t bias_[kChannels], multipliers_[kChannels], shifts_[kChannels];
  int8_t in_[2 * 8 * 8 * 60];
  int8_t weights_[72 * 4 * 4 * 20];
  int8_t wanted_[2 * 15 * 15 * 72];
  int8_t out_[2 * 15 * 15 * 72 + 2 * kGuard];
  alignas(16) int8_t scratch_[4 * 4 * 4 * 60 + 64 + kGuard];
};

}  // namespace berth::runtime
