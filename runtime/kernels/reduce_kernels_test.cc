// Operators that make one element of many: pools, mean, softmax.
#include <gtest/gtest.h>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;

struct Pool {
  int64_t n, c, h, w, k_h, k_w, s_h, s_w, p_h, p_w, out_h, out_w;
};

Pool random_pool(Random& random) {
  Pool p{};
  p.n = random.between(1, 2), p.c = random.between(1, 100), p.h = random.between(1, 9),
  p.w = random.between(1, 9);
  p.k_h = random.between(1, 5), p.k_w = random.between(1, 5), p.s_h = random.between(1, 3),
  p.s_w = random.between(1, 3);
  p.p_h = random.between(0, p.k_h - 1), p.p_w = random.between(0, p.k_w - 1);
  p.out_h = (p.h + p.p_h - 1) / p.s_h + 1, p.out_w = (p.w + p.p_w - 1) / p.s_w + 1;
  return p;
}

template <typename T>
void check_pools(uint32_t seed) {
  Random random(seed);
  for (int round = 0; round < 100; ++round) {
    const Pool p = random_pool(random);
    TestTensor in(DtypeOf<T>::kType, {int32_t(p.n), int32_t(p.c), int32_t(p.h), int32_t(p.w)},
                  nhwc());
    TestTensor out(DtypeOf<T>::kType,
                   {int32_t(p.n), int32_t(p.c), int32_t(p.out_h), int32_t(p.out_w)}, nhwc());
    TestTensor vendor(DtypeOf<T>::kType,
                      {int32_t(p.n), int32_t(p.c), int32_t(p.out_h), int32_t(p.out_w)}, nhwc());
    TestTensor scratch(ScalarType::kByte, {0});
    random.fill<T>(in);
    const int64_t low = random.between(-128, 0), high = random.between(low, 127);
    for (bool average : {false, true}) {
      Call call;
      call << in << Ints{p.k_h, p.k_w} << Ints{p.s_h, p.s_w} << Ints{p.p_h, p.p_w} << low << high
           << out;
      ASSERT_EQ(call.run(average ? kBerthAvgPool2dKernel : kBerthMaxPool2dKernel), Status::kOk);
      const bool has_vendor = sizeof(T) == 1;
      if (has_vendor && average) {
        Call other;
        other << in << Ints{p.k_h, p.k_w} << Ints{p.s_h, p.s_w} << Ints{p.p_h, p.p_w} << false << 0
              << 0 << 0 << scratch << vendor;
        ASSERT_EQ(other.run(kQuantizedAvgPool2dKernel), Status::kOk);
      } else if (has_vendor) {
        Call other;
        other << in << Ints{p.k_h, p.k_w} << Ints{p.s_h, p.s_w} << Ints{p.p_h, p.p_w} << Ints{1, 1}
              << false << 4 << 4 << low << high << vendor;
        ASSERT_EQ(other.run(kQuantizedMaxPool2dKernel), Status::kOk);
      }
      for (int64_t n = 0; n < p.n; ++n) {
        for (int64_t c = 0; c < p.c; ++c) {
          for (int64_t y = 0; y < p.out_h; ++y) {
            for (int64_t x = 0; x < p.out_w; ++x) {
              int64_t sum = 0, taps = 0, largest = INT64_MIN;
              for (int64_t iy = y * p.s_h - p.p_h; iy < y * p.s_h - p.p_h + p.k_h; ++iy) {
                for (int64_t ix = x * p.s_w - p.p_w; ix < x * p.s_w - p.p_w + p.k_w; ++ix) {
                  if (iy < 0 || ix < 0 || iy >= p.h || ix >= p.w) continue;
                  const int64_t value = at<T>(in, {n, c, iy, ix});
                  sum += value, ++taps;
                  largest = value > largest ? value : largest;
                }
              }
              const int64_t value =
                  average ? std::lround(static_cast<double>(sum) / static_cast<double>(taps))
                          : largest;
              ASSERT_EQ(at<T>(out, {n, c, y, x}), reference_clamp<T>(value, low, high)) << round;
              if (!has_vendor) continue;
              ASSERT_EQ(at<T>(vendor, {n, c, y, x}),
                        average ? reference_clamp<T>(value) : reference_clamp<T>(value, low, high));
            }
          }
        }
      }
    }
  }
}

TEST(ReduceKernels, PoolsEqualTheLoops) {
  check_pools<int8_t>(1);
  check_pools<int16_t>(2);
}

TEST(ReduceKernels, PoolsRefuseWindowsThatMissTheImage) {
  TestTensor in(ScalarType::kChar, {1, 2, 4, 4}, nhwc()),
      out(ScalarType::kChar, {1, 2, 4, 4}, nhwc());
  const auto run = [&](Ints kernel, Ints stride, Ints padding) {
    Call call;
    call << in << kernel << stride << padding << -128 << 127 << out;
    return call.run(kBerthAvgPool2dKernel);
  };
  EXPECT_EQ(run({2, 2}, {1, 1}, {0, 0}), Status::kOk);
  EXPECT_EQ(run({2, 2}, {1, 1}, {2, 0}), Status::kBadShape);
  EXPECT_EQ(run({2, 2}, {1, 2}, {0, 1}), Status::kBadShape);
  EXPECT_EQ(run({2, 2}, {2, 1}, {0, 0}), Status::kBadShape);
  EXPECT_EQ(run({0, 2}, {1, 1}, {0, 0}), Status::kBadArguments);
  EXPECT_EQ(run({2, 2}, {0, 1}, {0, 0}), Status::kBadArguments);
  EXPECT_EQ(run({2, 2}, {1, 1}, {-1, 0}), Status::kBadArguments);
  EXPECT_EQ(run({2, 2, 2}, {1, 1}, {0, 0}), Status::kBadArguments);
  EXPECT_EQ(run({INT32_MAX, INT32_MAX}, {1, 1}, {INT32_MAX - 1, 0}), Status::kOk);
  EXPECT_EQ(run({INT64_MAX, 1}, {1, 1}, {0, 0}), Status::kBadArguments);
}

TEST(ReduceKernels, MeanIsTheScaledSumOverAnyDims) {
  Random random(3);
  for (int round = 0; round < 120; ++round) {
    const bool keep = round % 2 == 0;
    std::vector<int32_t> sizes(4);
    for (int32_t& size : sizes)
      size = static_cast<int32_t>(random.between(1, round % 5 == 0 ? 80 : 6));
    if (round % 5 == 0) sizes[0] = sizes[2] = 2;
    const std::vector<uint8_t> order = round % 3 == 0 ? nhwc() : std::vector<uint8_t>{0, 1, 2, 3};
    const unsigned mask = static_cast<unsigned>(random.between(1, 15));
    Ints dims;
    std::vector<int32_t> out_sizes;
    int64_t count = 1;
    for (int d = 0; d < 4; ++d) {
      const bool reduce = (mask & (1u << d)) != 0;
      if (reduce) dims.push_back(round % 4 == 0 ? d - 4 : d), count *= sizes[d];
      if (!reduce || keep) out_sizes.push_back(reduce ? 1 : sizes[d]);
    }
    TestTensor in(ScalarType::kChar, sizes, order),
        out(ScalarType::kChar, out_sizes, keep ? order : std::vector<uint8_t>());
    random.fill<int8_t>(in);
    const int64_t zero_point = random.between(-128, 127);
    const int32_t multiplier = random.multiplier();
    const int shift = static_cast<int>(random.between(-10, 0));
    Call call;
    call << in << dims << keep << zero_point << 5 << multiplier << shift << out;
    ASSERT_EQ(call.run(kBerthMeanKernel), Status::kOk);
    std::vector<int64_t> index(4);
    std::vector<int64_t> sums(out.numel(), 0);
    size_t out_strides[kMaxRank];
    compute_strides(out.tensor(), out_strides);
    for (index[0] = 0; index[0] < sizes[0]; ++index[0]) {
      for (index[1] = 0; index[1] < sizes[1]; ++index[1]) {
        for (index[2] = 0; index[2] < sizes[2]; ++index[2]) {
          for (index[3] = 0; index[3] < sizes[3]; ++index[3]) {
            size_t offset = 0, dim = 0;
            for (int d = 0; d < 4; ++d) {
              const bool reduce = (mask & (1u << d)) != 0;
              if (!reduce) offset += static_cast<size_t>(index[d]) * out_strides[dim];
              if (!reduce || keep) ++dim;
            }
            sums[offset] += at<int8_t>(in, index) - zero_point;
          }
        }
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      ASSERT_EQ(out.data<int8_t>()[i],
                reference_clamp<int8_t>(reference_scale(sums[i], multiplier, shift) + 5))
          << round;
    }
  }
}

TEST(ReduceKernels, MeanRefusesDimsItDoesNotHave) {
  TestTensor in(ScalarType::kChar, {2, 3}), out(ScalarType::kChar, {2});
  const auto run = [&](Ints dims, bool keep) {
    Call call;
    call << in << dims << keep << 0 << 0 << (1 << 30) << 0 << out;
    return call.run(kBerthMeanKernel);
  };
  EXPECT_EQ(run({1}, false), Status::kOk);
  EXPECT_EQ(run({-1}, false), Status::kOk);
  EXPECT_EQ(run({2}, false), Status::kBadArguments);
  EXPECT_EQ(run({-3}, false), Status::kBadArguments);
  EXPECT_EQ(run({1, 1}, false), Status::kBadArguments);
  EXPECT_EQ(run({INT64_MIN}, false), Status::kBadArguments);
  EXPECT_EQ(run({}, false), Status::kBadArguments);
  EXPECT_EQ(run({0}, false), Status::kBadShape);
  EXPECT_EQ(run({1}, true), Status::kBadShape);
}

TEST(ReduceKernels, SoftmaxFollowsTheFunctionAlongAnyDimAlsoInPlace) {
  Random random(4);
  // beta * scale = 0.1: 0.1 * 2^26 = 0.8 * 2^23.
  const int32_t multiplier = 1717986918, shift = 23, diff_min = -248;
  for (int dim = -4; dim < 4; ++dim) {
    for (bool channels_last : {false, true}) {
      const std::vector<uint8_t> order = channels_last ? nhwc() : std::vector<uint8_t>();
      TestTensor in(ScalarType::kChar, {2, 3, 4, 5}, order),
          out(ScalarType::kChar, {2, 3, 4, 5}, order);
      random.fill<int8_t>(in);
      Call call;
      call << in << dim << 17 << -128 << multiplier << shift << diff_min << out;
      ASSERT_EQ(call.run(kSoftmaxKernel), Status::kOk);
      const int along = dim < 0 ? dim + 4 : dim;
      const int64_t sizes[] = {2, 3, 4, 5};
      std::vector<int64_t> index(4);
      for (index[0] = 0; index[0] < 2; ++index[0]) {
        for (index[1] = 0; index[1] < 3; ++index[1]) {
          for (index[2] = 0; index[2] < 4; ++index[2]) {
            for (index[3] = 0; index[3] < 5; ++index[3]) {
              double total = 0;
              std::vector<int64_t> other = index;
              for (other[along] = 0; other[along] < sizes[along]; ++other[along]) {
                total += std::exp(0.1 * at<int8_t>(in, other));
              }
              const double p = std::exp(0.1 * at<int8_t>(in, index)) / total;
              ASSERT_NEAR(at<int8_t>(out, index), 256 * p - 128, 1.01);
            }
          }
        }
      }
      const std::vector<int8_t> apart = out.elements<int8_t>();
      out.share(in);
      ASSERT_EQ(call.run(kSoftmaxKernel), Status::kOk);
      EXPECT_EQ(in.elements<int8_t>(), apart);
    }
  }
}

TEST(ReduceKernels, SoftmaxOverVeryLongAndHostileRowsIsDefined) {
  TestTensor in(ScalarType::kChar, {1, 10000}), out(ScalarType::kChar, {1, 10000});
  Call call;
  call << in << 1 << 0 << -128 << 1717986918 << 23 << -248 << out;
  ASSERT_EQ(call.run(kSoftmaxKernel), Status::kOk);
  for (int8_t value : out.elements<int8_t>()) ASSERT_EQ(value, -128);  // 1/10000 of 256
  Random random(5);
  random.fill<int8_t>(in);
  for (int64_t multiplier : {int64_t{0}, int64_t{INT32_MAX}}) {
    for (int64_t shift : {0, 31}) {
      for (int64_t diff_min : {int64_t{0}, int64_t{INT32_MIN}}) {
        call.replace(4, multiplier), call.replace(5, shift), call.replace(6, diff_min);
        EXPECT_EQ(call.run(kSoftmaxKernel), Status::kOk);
      }
    }
  }
  call.replace(6, 1);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
  call.replace(6, -1), call.replace(5, -1);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
  call.replace(5, 1), call.replace(1, 2);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
  call.replace(1, 0), call.replace(3, 0);
  EXPECT_EQ(call.run(kSoftmaxKernel), Status::kBadArguments);
}

}  // namespace
}  // namespace berth::runtime
