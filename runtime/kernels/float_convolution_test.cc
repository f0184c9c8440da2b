// Convolution of floats against loops over the definition, in every way the kernel has of doing it:
// pixelwise, depthwise along rows and along channels, windows, transposed; all orders of memory.
#include <gtest/gtest.h>

#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/network_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
constexpr ScalarType kF32 = ScalarType::kFloat;

struct ConvCase {
  int64_t n, in_c, h, w;
  int64_t out_c, kh, kw, groups;
  Ints stride, pad, dilation;
  bool transposed = false;
  Ints extra = {0, 0};
};

int64_t out_extent(const ConvCase& c, int axis) {
  const int64_t in = axis == 0 ? c.h : c.w, k = axis == 0 ? c.kh : c.kw;
  if (c.transposed) {
    return (in - 1) * c.stride[axis] - 2 * c.pad[axis] + c.dilation[axis] * (k - 1) +
           c.extra[axis] + 1;
  }
  const int64_t room = in + 2 * c.pad[axis] - c.dilation[axis] * (k - 1) - 1;
  return room < 0 ? 0 : room / c.stride[axis] + 1;
}

void fill_halves(TestTensor& tensor, Random& random) {
  float* data = tensor.data<float>();
  for (size_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(random.between(-8, 8)) * 0.5f;
}

// The sum at (n, channel, y, x) in double, straight from the definition. Products of halves are
// exact, so the kernel must agree to the last bit.
double expect_at(const ConvCase& c, TestTensor& in, TestTensor& weights, TestTensor* bias,
                 int64_t n, int64_t channel, int64_t y, int64_t x) {
  const int64_t in_c = c.in_c / c.groups, out_c = c.out_c / c.groups, group = channel / out_c;
  double sum = bias == nullptr ? 0 : bias->data<float>()[channel];
  for (int64_t ic = 0; ic < in_c; ++ic) {
    for (int64_t ky = 0; ky < c.kh; ++ky) {
      for (int64_t kx = 0; kx < c.kw; ++kx) {
        int64_t iy = y * c.stride[0] - c.pad[0] + ky * c.dilation[0];
        int64_t ix = x * c.stride[1] - c.pad[1] + kx * c.dilation[1];
        if (c.transposed) {
          iy = y + c.pad[0] - ky * c.dilation[0];
          ix = x + c.pad[1] - kx * c.dilation[1];
          if (iy < 0 || ix < 0 || iy % c.stride[0] != 0 || ix % c.stride[1] != 0) continue;
          iy /= c.stride[0];
          ix /= c.stride[1];
        }
        if (iy < 0 || ix < 0 || iy >= c.h || ix >= c.w) continue;
        const Ints tap = c.transposed ? Ints{group * in_c + ic, channel % out_c, ky, kx}
                                      : Ints{channel, ic, ky, kx};
        sum += double{at<float>(in, {n, group * in_c + ic, iy, ix})} * at<float>(weights, tap);
      }
    }
  }
  return sum;
}

std::vector<int32_t> narrow(const Ints& sizes) { return {sizes.begin(), sizes.end()}; }

void check(const ConvCase& c, const std::vector<uint8_t>& in_order,
           const std::vector<uint8_t>& weight_order, const std::vector<uint8_t>& out_order,
           bool with_bias, Random& random) {
  const Ints weight_sizes = c.transposed ? Ints{c.in_c, c.out_c / c.groups, c.kh, c.kw}
                                         : Ints{c.out_c, c.in_c / c.groups, c.kh, c.kw};
  const int64_t out_h = out_extent(c, 0), out_w = out_extent(c, 1);
  TestTensor in(kF32, narrow({c.n, c.in_c, c.h, c.w}), in_order);
  TestTensor weights(kF32, narrow(weight_sizes), weight_order);
  TestTensor bias(kF32, narrow({c.out_c}));
  TestTensor out(kF32, narrow({c.n, c.out_c, out_h, out_w}), out_order);
  for (TestTensor* tensor : {&in, &weights, &bias}) fill_halves(*tensor, random);
  TestTensor* given = with_bias ? &bias : nullptr;
  Call call;
  call << in << weights << given << c.stride << c.pad << c.dilation << c.transposed << c.extra
       << c.groups << out;
  ASSERT_EQ(call.run(kConvolutionKernel), Status::kOk);
  for (int64_t n = 0; n < c.n; ++n) {
    for (int64_t channel = 0; channel < c.out_c; ++channel) {
      for (int64_t y = 0; y < out_h; ++y) {
        for (int64_t x = 0; x < out_w; ++x) {
          ASSERT_EQ((at<float>(out, {n, channel, y, x})),
                    static_cast<float>(expect_at(c, in, weights, given, n, channel, y, x)))
              << channel << " " << y << " " << x;
        }
      }
    }
  }
}

TEST(FloatConvolution, FollowsTheDefinitionInEveryOrderOfMemory) {
  const ConvCase cases[] = {
      {1, 3, 9, 11, 8, 3, 3, 1, {2, 2}, {1, 1}, {1, 1}},  // windows, several outputs
      {2, 5, 7, 6, 3, 3, 2, 1, {1, 2}, {2, 0}, {1, 2}},   // odd everything
      {1, 4, 5, 7, 6, 1, 1, 1, {1, 1}, {0, 0}, {1, 1}},   // pixelwise
      {2, 6, 5, 3, 9, 1, 1, 3, {1, 1}, {0, 0}, {1, 1}},   // pixelwise in groups
      {1, 4, 5, 7, 6, 1, 1, 1, {2, 3}, {1, 1}, {1, 1}},   // 1x1 with padding and stride
      {1, 5, 9, 21, 5, 3, 3, 5, {1, 1}, {1, 1}, {1, 1}},  // depthwise
      {2, 6, 8, 30, 6, 3, 3, 6, {2, 2}, {1, 1}, {1, 1}},  // depthwise, stride 2
      {1, 3, 6, 40, 3, 2, 5, 3, {1, 3}, {0, 4}, {3, 2}},  // depthwise, stride 3, dilated
      {1, 3, 6, 5, 9, 3, 3, 3, {1, 1}, {1, 1}, {1, 1}},   // a multiplier of 3
      {1, 1, 8, 9, 6, 3, 3, 1, {1, 1}, {1, 1}, {1, 1}},   // one channel, many filters
      {1, 6, 4, 4, 4, 3, 3, 2, {1, 1}, {1, 1}, {1, 1}},   // groups
      {1, 70, 3, 3, 5, 3, 3, 1, {1, 1}, {1, 1}, {1, 1}},  // longer than a panel
      {1, 2, 3, 20, 3, 1, 9, 1, {1, 1}, {0, 8}, {1, 4}},  // the window is wider than the image
      {1, 1, 2, 2, 1, 3, 3, 1, {1, 1}, {2, 2}, {1, 1}},   // more padding than image
  };
  const std::vector<uint8_t> row_major = {0, 1, 2, 3};
  Random random(1);
  for (const ConvCase& c : cases) {
    for (const auto& in_order : {row_major, nhwc()}) {
      for (const auto& weight_order : {row_major, nhwc()}) {
        for (const auto& out_order : {row_major, nhwc()}) {
          check(c, in_order, weight_order, out_order, random.between(0, 1) == 1, random);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  // Rows of the output that do not follow each other.
  check(cases[1], {2, 0, 1, 3}, row_major, {2, 0, 1, 3}, true, random);
  check(cases[2], {2, 0, 1, 3}, row_major, {2, 0, 1, 3}, true, random);
}

TEST(FloatConvolution, TransposedGathersWhatEachInputScatters) {
  const ConvCase cases[] = {
      {2, 6, 1, 6, 3, 2, 2, 1, {2, 2}, {0, 0}, {1, 1}, true},
      {1, 3, 4, 5, 4, 3, 3, 1, {2, 3}, {1, 1}, {1, 1}, true, {1, 2}},
      {1, 4, 3, 9, 6, 3, 2, 2, {1, 1}, {0, 1}, {2, 1}, true},
      {1, 2, 3, 3, 2, 2, 2, 1, {3, 4}, {0, 0}, {1, 1}, true, {2, 3}},  // outputs nothing reaches
      {1, 130, 2, 2, 3, 2, 2, 1, {1, 1}, {0, 0}, {1, 1}, true},        // longer than a panel
      {1, 2, 4, 30, 3, 3, 3, 1, {1, 2}, {2, 2}, {1, 1}, true},
  };
  Random random(2);
  for (const ConvCase& c : cases) {
    for (const auto& order : {std::vector<uint8_t>{0, 1, 2, 3}, nhwc()}) {
      check(c, order, {0, 1, 2, 3}, order, true, random);
      check(c, {0, 1, 2, 3}, {1, 0, 3, 2}, order, false, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(FloatConvolution, RandomShapesAgreeWithTheDefinition) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    ConvCase c;
    c.groups = random.between(1, 3);
    c.n = random.between(1, 2);
    c.in_c = c.groups * random.between(1, 4);
    c.out_c = c.groups * random.between(1, 6);
    c.h = random.between(1, 9), c.w = random.between(1, 19);
    c.kh = random.between(1, 4), c.kw = random.between(1, 4);
    c.stride = {random.between(1, 3), random.between(1, 3)};
    c.pad = {random.between(0, 3), random.between(0, 3)};
    c.dilation = {random.between(1, 2), random.between(1, 3)};
    c.transposed = random.between(0, 3) == 0;
    if (out_extent(c, 0) < 1 || out_extent(c, 1) < 1) continue;
    const bool last = random.between(0, 1) == 1;
    check(c, last ? nhwc() : std::vector<uint8_t>{0, 1, 2, 3}, {0, 1, 2, 3},
          random.between(0, 1) == 1 ? nhwc() : std::vector<uint8_t>{0, 1, 2, 3},
          random.between(0, 1) == 1, random);
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
  }
}

TEST(FloatConvolution, OneDimensionIsAnImageOfOneRow) {
  Random random(4);
  TestTensor in(kF32, {2, 4, 11}), weights(kF32, {6, 2, 3}), bias(kF32, {6}), out(kF32, {2, 6, 6});
  for (TestTensor* tensor : {&in, &weights, &bias}) fill_halves(*tensor, random);
  Call call;
  call << in << weights << bias << Ints{2} << Ints{1} << Ints{1} << false << Ints{0} << 2 << out;
  ASSERT_EQ(call.run(kConvolutionKernel), Status::kOk);
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t c = 0; c < 6; ++c) {
      for (int64_t x = 0; x < 6; ++x) {
        float sum = bias.data<float>()[c];
        for (int64_t ic = 0; ic < 2; ++ic) {
          for (int64_t k = 0; k < 3; ++k) {
            const int64_t ix = 2 * x - 1 + k;
            if (ix < 0 || ix >= 11) continue;
            sum += at<float>(in, {n, c / 3 * 2 + ic, ix}) * at<float>(weights, {c, ic, k});
          }
        }
        ASSERT_EQ((at<float>(out, {n, c, x})), sum);
      }
    }
  }
}

// A call that fails at nothing but what a test spoils.
struct SmallConv {
  TestTensor in{kF32, {1, 4, 5, 6}}, weights{kF32, {6, 2, 3, 3}}, bias{kF32, {6}},
      out{kF32, {1, 6, 5, 6}};
  Ints stride = {1, 1}, pad = {1, 1}, dilation = {1, 1}, extra = {0, 0};
  bool transposed = false;
  int64_t groups = 2;

  Status run(TestTensor& to) {
    Call call;
    call << in << weights << bias << stride << pad << dilation << transposed << extra << groups
         << to;
    return call.run(kConvolutionKernel);
  }
  Status run() { return run(out); }
};

TEST(FloatConvolution, RefusesWhatDoesNotFit) {
  ASSERT_EQ(SmallConv().run(), Status::kOk);
  const auto refused = [](void (*spoil)(SmallConv&), Status expected) {
    SmallConv conv;
    spoil(conv);
    EXPECT_EQ(conv.run(), expected);
  };
  refused([](SmallConv& c) { c.groups = 0; }, Status::kBadArguments);
  refused([](SmallConv& c) { c.groups = 3; }, Status::kBadShape);
  refused([](SmallConv& c) { c.groups = 1; }, Status::kBadShape);
  refused([](SmallConv& c) { c.stride = {0, 1}; }, Status::kBadArguments);
  refused([](SmallConv& c) { c.pad = {1, -1}; }, Status::kBadArguments);
  refused([](SmallConv& c) { c.pad = {1, INT32_MAX}; }, Status::kBadShape);
  refused([](SmallConv& c) { c.dilation = {INT64_MAX, 1}; }, Status::kBadArguments);
  refused([](SmallConv& c) { c.dilation = {INT32_MAX, 1}; }, Status::kBadShape);
  refused([](SmallConv& c) { c.stride = {1, 1, 1}; }, Status::kBadArguments);
  refused([](SmallConv& c) { c.transposed = true; }, Status::kBadShape);
  SmallConv conv;
  TestTensor narrow(kF32, {1, 6, 5, 5}), integers(ScalarType::kInt, {1, 6, 5, 6});
  EXPECT_EQ(conv.run(narrow), Status::kBadShape);
  EXPECT_EQ(conv.run(integers), Status::kBadArguments);
  // A list of one stands for both dims, an empty one for what does nothing.
  conv.pad = {1};
  conv.stride = conv.dilation = {};
  EXPECT_EQ(conv.run(), Status::kOk);
}

TEST(FloatConvolution, TakesTheShapeItsInputGives) {
  SmallConv conv;
  TestTensor out(kF32, {3, 6, 9, 9});
  out.tensor().dynamic = true;
  ASSERT_EQ(conv.run(out), Status::kOk);
  EXPECT_EQ(out.tensor().size(0), 1);
  EXPECT_EQ(out.tensor().size(2), 5);
  EXPECT_EQ(out.tensor().size(3), 6);
}

}  // namespace
}  // namespace berth::runtime
