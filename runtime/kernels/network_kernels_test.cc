// Layers of float networks against loops over their definitions in double: products, pooling,
// normalising, softmax, resizing.
#include "runtime/kernels/portable/network_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>

#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
using Order = std::vector<uint8_t>;
constexpr ScalarType kF32 = ScalarType::kFloat, kI64 = ScalarType::kLong;

void fill_halves(TestTensor& tensor, Random& random) {
  float* data = tensor.data<float>();
  for (size_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(random.between(-8, 8)) * 0.5f;
}

std::vector<int32_t> sizes_of(std::initializer_list<int64_t> sizes) {
  std::vector<int32_t> narrow;
  for (int64_t size : sizes) narrow.push_back(static_cast<int32_t>(size));
  return narrow;
}

// Products of halves are exact: equal to the last bit.
TEST(NetworkKernels, MatrixProductsOfAllSizesAndOrdersAreExact) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const int64_t rows = random.between(0, 12),
                  depth = random.between(0, 40) * (round % 7 == 0 ? 9 : 1),
                  columns = random.between(0, 20);
    const Order orders[] = {{0, 1}, {1, 0}};
    TestTensor a(kF32, sizes_of({rows, depth}), orders[round % 2]);
    TestTensor b(kF32, sizes_of({depth, columns}), orders[round / 2 % 2]);
    TestTensor out(kF32, sizes_of({rows, columns}), orders[round / 4 % 2]);
    TestTensor addend(kF32, round % 3 == 0 ? sizes_of({rows, 1}) : sizes_of({columns}));
    TestTensor sum(kF32, sizes_of({rows, columns}), orders[round / 4 % 2]);
    for (TestTensor* tensor : {&a, &b, &addend}) fill_halves(*tensor, random);
    Call mm, addmm;
    mm << a << b << out;
    ASSERT_EQ(mm.run(kMmKernel), Status::kOk);
    addmm << addend << a << b << 2 << 0.5 << sum;
    ASSERT_EQ(addmm.run(kAddmmKernel), Status::kOk);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        float total = 0;
        for (int64_t k = 0; k < depth; ++k) total += at<float>(a, {r, k}) * at<float>(b, {k, c});
        ASSERT_EQ((at<float>(out, {r, c})), total) << rows << " " << depth << " " << columns;
        const float added = round % 3 == 0 ? at<float>(addend, {r, 0}) : at<float>(addend, {c});
        ASSERT_EQ((at<float>(sum, {r, c})), 0.5f * total + 2.0f * added);
      }
    }
  }
}

TEST(NetworkKernels, BatchesAndLinearLayersAreProducts) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    const int64_t n = random.between(1, 3), rows = random.between(1, 6),
                  depth = random.between(1, 150), columns = random.between(1, 11);
    TestTensor a(kF32, sizes_of({n, rows, depth}),
                 round % 2 == 0 ? Order{0, 1, 2} : Order{1, 0, 2});
    TestTensor b(kF32, sizes_of({n, depth, columns}),
                 round % 3 == 0 ? Order{2, 0, 1} : Order{0, 1, 2});
    TestTensor out(kF32, sizes_of({n, rows, columns})), sum(kF32, sizes_of({n, rows, columns}));
    TestTensor addend(kF32, sizes_of({n, 1, columns}));
    TestTensor dense(kF32, sizes_of({n, rows, depth})), weight(kF32, sizes_of({columns, depth})),
        bias(kF32, sizes_of({columns})), line(kF32, sizes_of({n, rows, columns}));
    for (TestTensor* tensor : {&a, &b, &addend, &dense, &weight, &bias})
      fill_halves(*tensor, random);
    Call bmm, baddbmm, linear;
    bmm << a << b << out;
    ASSERT_EQ(bmm.run(kBmmKernel), Status::kOk);
    baddbmm << addend << a << b << 1 << 2 << sum;
    ASSERT_EQ(baddbmm.run(kBaddbmmKernel), Status::kOk);
    linear << dense << weight << (round % 4 == 0 ? nullptr : &bias) << line;
    ASSERT_EQ(linear.run(kLinearKernel), Status::kOk);
    for (int64_t i = 0; i < n * rows * columns; ++i) {
      const int64_t m = i / columns / rows, r = i / columns % rows, c = i % columns;
      float total = 0, layer = round % 4 == 0 ? 0 : bias.data<float>()[c];
      for (int64_t k = 0; k < depth; ++k) {
        total += at<float>(a, {m, r, k}) * at<float>(b, {m, k, c});
        layer += at<float>(dense, {m, r, k}) * at<float>(weight, {c, k});
      }
      ASSERT_EQ((at<float>(out, {m, r, c})), total);
      ASSERT_EQ((at<float>(sum, {m, r, c})), 2 * total + at<float>(addend, {m, 0, c}));
      ASSERT_EQ((at<float>(line, {m, r, c})), layer);
    }
  }
}

TEST(NetworkKernels, ABetaOfZeroDoesNotReadWhatIsAdded) {
  TestTensor self(kF32, {1}), a(kF32, {1, 2}), b(kF32, {2, 1}), out(kF32, {1, 1});
  self.set<float>({NAN});
  a.set<float>({1, 2});
  b.set<float>({3, 4});
  Call call, wrong;
  call << self << a << b << 0 << 3 << out;
  ASSERT_EQ(call.run(kAddmmKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>()[0], 33.0f);
  TestTensor deep(kF32, {3, 1});
  wrong << a << deep << out;
  EXPECT_EQ(wrong.run(kMmKernel), Status::kBadShape);
}

// What pooling windows are, once more: begin and end of one along a dim of `size`, cut or not.
struct PoolCase {
  Ints kernel, stride, pad, dilation;
  bool ceil;
};

int64_t pooled(const PoolCase& c, size_t axis, int64_t size) {
  const int64_t stride = c.stride.empty() ? c.kernel[axis] : c.stride[axis];
  const double room =
      static_cast<double>(size + 2 * c.pad[axis] - c.dilation[axis] * (c.kernel[axis] - 1) - 1);
  const double steps = room / static_cast<double>(stride);
  int64_t out = static_cast<int64_t>(c.ceil ? std::ceil(steps) : std::floor(steps)) + 1;
  if (c.ceil && (out - 1) * stride >= size + c.pad[axis]) --out;
  return out;
}

TEST(NetworkKernels, PoolsLookAtTheirWindows) {
  Random random(3);
  const PoolCase cases[] = {{{2, 2}, {}, {0, 0}, {1, 1}, false},
                            {{3, 3}, {2, 2}, {1, 1}, {1, 1}, false},
                            {{3, 2}, {2, 3}, {1, 1}, {1, 1}, true},
                            {{2, 2}, {2, 2}, {0, 0}, {1, 1}, true},
                            {{3, 3}, {1, 2}, {1, 0}, {2, 3}, false}};
  for (const PoolCase& c : cases) {
    for (const Order& order : {Order{0, 1, 2, 3}, nhwc()}) {
      const int64_t h = 7, w = 9, out_h = pooled(c, 0, h), out_w = pooled(c, 1, w);
      TestTensor in(kF32, sizes_of({2, 3, h, w}), order),
          best(kF32, sizes_of({2, 3, out_h, out_w}), order),
          where(kI64, sizes_of({2, 3, out_h, out_w})),
          mean(kF32, sizes_of({2, 3, out_h, out_w}), order);
      fill_halves(in, random);
      in.data<float>()[20] = NAN;
      Call max_pool;
      max_pool << in << c.kernel << c.stride << c.pad << c.dilation << c.ceil << best << where;
      ASSERT_EQ(max_pool.run(kMaxPool2dWithIndicesKernel), Status::kOk);
      const bool averages = c.dilation[0] == 1;
      const bool count_pad = random.between(0, 1) == 1, divided = random.between(0, 1) == 1;
      if (averages) {
        Call avg_pool;
        avg_pool << in << c.kernel << c.stride << c.pad << c.ceil << count_pad;
        (divided ? avg_pool << 5 : avg_pool.none()) << mean;
        ASSERT_EQ(avg_pool.run(kAvgPool2dKernel), Status::kOk);
      }
      for (int64_t i = 0; i < 6 * out_h * out_w; ++i) {
        const int64_t n = i / (3 * out_h * out_w), ch = i / (out_h * out_w) % 3,
                      y = i / out_w % out_h, x = i % out_w;
        const int64_t sy = c.stride.empty() ? c.kernel[0] : c.stride[0];
        const int64_t sx = c.stride.empty() ? c.kernel[1] : c.stride[1];
        double sum = 0;
        int64_t inside = 0, padded = 0, found = -1;
        float highest = 0;
        for (int64_t ky = 0; ky < c.kernel[0]; ++ky) {
          for (int64_t kx = 0; kx < c.kernel[1]; ++kx) {
            const int64_t iy = y * sy - c.pad[0] + ky * c.dilation[0];
            const int64_t ix = x * sx - c.pad[1] + kx * c.dilation[1];
            if (iy < h + c.pad[0] && ix < w + c.pad[1]) ++padded;
            if (iy < 0 || iy >= h || ix < 0 || ix >= w) continue;
            const float value = at<float>(in, {n, ch, iy, ix});
            sum += value;
            ++inside;
            if (found < 0 || value > highest) {
              highest = value;
              found = iy * w + ix;
            }
          }
        }
        ASSERT_EQ((at<int64_t>(where, {n, ch, y, x})), found);
        const float got = at<float>(best, {n, ch, y, x});
        ASSERT_TRUE(got == highest || (std::isnan(got) && std::isnan(highest)));
        if (!averages || std::isnan(sum)) continue;
        const double count = static_cast<double>(divided ? 5 : count_pad ? padded : inside);
        ASSERT_NEAR((at<float>(mean, {n, ch, y, x})), sum / count, 1e-5);
      }
    }
  }
}

TEST(NetworkKernels, AdaptivePoolingCoversTheImage) {
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    const int64_t h = random.between(1, 9), w = random.between(1, 9), oh = random.between(1, 10),
                  ow = random.between(1, 10);
    TestTensor in(kF32, sizes_of({3, h, w})), out(kF32, sizes_of({3, oh, ow}), {1, 2, 0});
    fill_halves(in, random);
    Call call;
    call << in << Ints{oh, ow} << out;
    ASSERT_EQ(call.run(kAdaptiveAvgPool2dKernel), Status::kOk);
    for (int64_t i = 0; i < 3 * oh * ow; ++i) {
      const int64_t c = i / oh / ow, y = i / ow % oh, x = i % ow;
      double sum = 0, count = 0;
      for (int64_t iy = 0; iy < h; ++iy) {
        for (int64_t ix = 0; ix < w; ++ix) {
          // Input cell iy covers [iy, iy + 1) of h; output cell y covers [y, y + 1) * h / oh.
          if ((iy + 1) * oh <= y * h || iy * oh >= (y + 1) * h) continue;
          if ((ix + 1) * ow <= x * w || ix * ow >= (x + 1) * w) continue;
          sum += at<float>(in, {c, iy, ix});
          count += 1;
        }
      }
      ASSERT_NEAR((at<float>(out, {c, y, x})), sum / count, 1e-5);
    }
  }
}

TEST(NetworkKernels, BatchNormUsesTheRunningMoments) {
  Random random(5);
  for (const Order& order : {Order{0, 1, 2, 3}, nhwc()}) {
    for (const bool affine : {false, true}) {
      const int64_t channels = 70;
      TestTensor in(kF32, sizes_of({2, channels, 3, 2}), order),
          out(kF32, sizes_of({2, channels, 3, 2}), order);
      TestTensor weight(kF32, sizes_of({channels})), bias(kF32, sizes_of({channels})),
          mean(kF32, sizes_of({channels})), variance(kF32, sizes_of({channels})), a(kF32, {0}),
          b(kF32, {0});
      for (TestTensor* tensor : {&in, &weight, &bias, &mean}) fill_halves(*tensor, random);
      for (int64_t c = 0; c < channels; ++c)
        variance.data<float>()[c] = static_cast<float>(random.between(0, 9));
      Call call;
      call << in << (affine ? &weight : nullptr) << (affine ? &bias : nullptr) << mean << variance
           << 0.1 << 1e-3 << out << a << b;
      ASSERT_EQ(call.run(kNativeBatchNormLegitNoTrainingKernel), Status::kOk);
      for (int64_t i = 0; i < 2 * channels * 6; ++i) {
        const Ints index = {i / 6 / channels, i / 6 % channels, i / 2 % 3, i % 2};
        const size_t c = static_cast<size_t>(index[1]);
        double expected = (at<float>(in, index) - mean.data<float>()[c]) /
                          std::sqrt(variance.data<float>()[c] + 1e-3);
        if (affine) expected = expected * weight.data<float>()[c] + bias.data<float>()[c];
        ASSERT_NEAR(at<float>(out, index), expected, 1e-5 + 1e-5 * std::abs(expected));
      }
    }
  }
}

TEST(NetworkKernels, LayerAndGroupNormUseTheirOwnMoments) {
  Random random(6);
  TestTensor in(kF32, {4, 6, 37}), out(kF32, {4, 6, 37}), weight(kF32, {37}), bias(kF32, {37}),
      mean(kF32, {4, 6, 1}), deviation(kF32, {4, 6, 1});
  TestTensor grouped(kF32, {4, 6, 37}), scale(kF32, {6}), shift(kF32, {6}),
      group_mean(kF32, {4, 2}), group_deviation(kF32, {4, 2});
  for (TestTensor* tensor : {&in, &weight, &bias, &scale, &shift}) fill_halves(*tensor, random);
  // A mean far from 0 must not cancel the variance.
  for (size_t i = 0; i < 37; ++i) in.data<float>()[i] += 4096.0f;
  Call layer, group;
  layer << in << Ints{37} << weight << bias << 1e-5 << out << mean << deviation;
  ASSERT_EQ(layer.run(kNativeLayerNormKernel), Status::kOk);
  group << in << scale << shift << 4 << 6 << 37 << 2 << 1e-5 << grouped << group_mean
        << group_deviation;
  ASSERT_EQ(group.run(kNativeGroupNormKernel), Status::kOk);
  const auto check = [&](size_t begin, size_t count, float got_mean, float got_deviation,
                         const std::function<void(double, double)>& each) {
    double sum = 0, squares = 0;
    for (size_t i = begin; i < begin + count; ++i) sum += in.data<float>()[i];
    const double middle = sum / static_cast<double>(count);
    for (size_t i = begin; i < begin + count; ++i)
      squares += std::pow(in.data<float>()[i] - middle, 2);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(count) + 1e-5);
    EXPECT_NEAR(got_mean, middle, 1e-6 * std::abs(middle) + 1e-6);
    EXPECT_NEAR(got_deviation, inverse, 1e-4 * inverse);
    each(middle, inverse);
  };
  for (size_t row = 0; row < 24; ++row) {
    check(row * 37, 37, mean.data<float>()[row], deviation.data<float>()[row],
          [&](double middle, double inverse) {
            for (size_t i = 0; i < 37; ++i) {
              const double expected =
                  (in.data<float>()[row * 37 + i] - middle) * inverse * weight.data<float>()[i] +
                  bias.data<float>()[i];
              ASSERT_NEAR(out.data<float>()[row * 37 + i], expected, 2e-3);
            }
          });
  }
  for (size_t g = 0; g < 8; ++g) {
    check(g * 111, 111, group_mean.data<float>()[g], group_deviation.data<float>()[g],
          [&](double middle, double inverse) {
            for (size_t i = 0; i < 111; ++i) {
              const size_t channel = g % 2 * 3 + i / 37;
              const double expected = (in.data<float>()[g * 111 + i] - middle) * inverse *
                                          scale.data<float>()[channel] +
                                      shift.data<float>()[channel];
              ASSERT_NEAR(grouped.data<float>()[g * 111 + i], expected, 2e-3);
            }
          });
  }
}

TEST(NetworkKernels, SoftmaxSumsToOneAlongAnyDim) {
  Random random(7);
  for (int64_t dim = -3; dim < 3; ++dim) {
    for (const Order& order : {Order{0, 1, 2}, Order{2, 0, 1}}) {
      TestTensor in(kF32, {3, 4, 5}), out(kF32, {3, 4, 5}, order), logs(kF32, {3, 4, 5}, order);
      fill_halves(in, random);
      in.data<float>()[7] = 200.0f;  // its exponential is no float
      Call soft, log_soft;
      soft << in << dim << false << out;
      ASSERT_EQ(soft.run(kAtenSoftmaxKernel), Status::kOk);
      log_soft << in << dim << false << logs;
      ASSERT_EQ(log_soft.run(kLogSoftmaxKernel), Status::kOk);
      const size_t axis = static_cast<size_t>(dim < 0 ? dim + 3 : dim);
      for (int64_t i = 0; i < 60; ++i) {
        Ints index = {i / 20, i / 5 % 4, i % 5}, other = index;
        double sum = 0;
        for (other[axis] = 0; other[axis] < in.tensor().size(static_cast<int>(axis)); ++other[axis])
          sum += std::exp(double{at<float>(in, other)} - at<float>(in, index));
        ASSERT_NEAR(at<float>(out, index), 1 / sum, 1e-6);
        ASSERT_NEAR(at<float>(logs, index), -std::log(sum), 1e-4);
      }
    }
  }
  TestTensor scalar(kF32, {}), one(kF32, {});
  scalar.set<float>({-3});
  Call call;
  call << scalar << -1 << false << one;
  ASSERT_EQ(call.run(kAtenSoftmaxKernel), Status::kOk);
  EXPECT_EQ(one.elements<float>()[0], 1.0f);
}

TEST(NetworkKernels, ResizingIsNearestOrLinear) {
  TestTensor in(kF32, {1, 1, 2, 3}), out(kF32, {1, 1, 4, 6}), line(kF32, {1, 1, 2, 5});
  in.set<float>({0, 2, 4, 10, 12, 14});
  Call nearest, sized, aligned, half, both;
  (nearest << in).none() << std::vector<double>{2, 2} << out;
  ASSERT_EQ(nearest.run(kUpsampleNearest2dVecKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(),
            (std::vector<float>{0,  0,  2,  2,  4,  4,  0,  0,  2,  2,  4,  4,
                                10, 10, 12, 12, 14, 14, 10, 10, 12, 12, 14, 14}));
  (sized << in << Ints{2, 5}).none() << line;
  ASSERT_EQ(sized.run(kUpsampleNearest2dVecKernel), Status::kOk);
  EXPECT_EQ(line.elements<float>(), (std::vector<float>{0, 0, 2, 2, 4, 10, 10, 12, 12, 14}));
  (aligned << in << Ints{2, 5} << true).none() << line;
  ASSERT_EQ(aligned.run(kUpsampleBilinear2dVecKernel), Status::kOk);
  EXPECT_EQ(line.elements<float>(), (std::vector<float>{0, 1, 2, 3, 4, 10, 11, 12, 13, 14}));
  (half << in).none() << false << std::vector<double>{2, 2} << out;
  ASSERT_EQ(half.run(kUpsampleBilinear2dVecKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(),
            (std::vector<float>{0,   0.5, 1.5, 2.5, 3.5, 4,    2.5, 3,    4,    5,    6,    6.5,
                                7.5, 8,   9,   10,  11,  11.5, 10,  10.5, 11.5, 12.5, 13.5, 14}));
  both << in << Ints{4, 6} << std::vector<double>{2, 2} << out;
  EXPECT_EQ(both.run(kUpsampleNearest2dVecKernel), Status::kBadArguments);
}

TEST(NetworkKernels, ResizingNeverLeavesTheImage) {
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    const int64_t w = random.between(1, 40);
    const double factor = static_cast<double>(random.between(1, 4000)) / 1000.0;
    const int64_t out_w = static_cast<int64_t>(static_cast<double>(w) * factor);
    if (out_w < 1) continue;
    TestTensor in(kF32, sizes_of({1, 1, 1, w})), out(kF32, sizes_of({1, 1, 1, out_w}));
    for (int64_t i = 0; i < w; ++i) in.data<float>()[i] = 3.0f;
    Call nearest, linear;
    (nearest << in).none() << std::vector<double>{1, factor} << out;
    ASSERT_EQ(nearest.run(kUpsampleNearest2dVecKernel), Status::kOk);
    for (float value : out.elements<float>()) ASSERT_EQ(value, 3.0f);
    (linear << in).none() << (round % 2 == 0) << std::vector<double>{1, factor} << out;
    ASSERT_EQ(linear.run(kUpsampleBilinear2dVecKernel), Status::kOk);
    for (float value : out.elements<float>()) ASSERT_NEAR(value, 3.0f, 1e-6);
  }
}

}  // namespace
}  // namespace berth::runtime
