// Operators whose masks tell the length of their outputs, and the rarer layers.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/quantized_decomposed_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;

TEST(MaskedKernels, NonzeroTellsIndicesInTheOrderOfDims) {
  TestTensor in(ScalarType::kFloat, {2, 3}, {1, 0}), out(ScalarType::kLong, {6, 2});
  out.tensor().dynamic = true;
  at<float>(in, {0, 2}) = NAN, at<float>(in, {1, 0}) = 5;
  Call call;
  ASSERT_EQ((call << in << out).run(kNonzeroKernel), Status::kOk);
  EXPECT_EQ(out.tensor().size(0), 2);
  EXPECT_EQ(out.elements<int64_t>(), (Ints{0, 2, 1, 0}));
  // More than the bytes that were planned.
  TestTensor small(ScalarType::kLong, {1, 2});
  small.tensor().dynamic = true;
  Call refused;
  EXPECT_EQ((refused << in << small).run(kNonzeroKernel), Status::kBadShape);
}

TEST(MaskedKernels, SelectAndScatterFollowABroadcastMask) {
  TestTensor self(ScalarType::kInt, {2, 3}), mask(ScalarType::kBool, {3}),
      out(ScalarType::kInt, {6}), source(ScalarType::kInt, {5}),
      scattered(ScalarType::kInt, {2, 3}), few(ScalarType::kInt, {3});
  self.set<int32_t>({1, 2, 3, 4, 5, 6});
  mask.data<bool>()[0] = mask.data<bool>()[2] = true;
  out.tensor().dynamic = true;
  Call select, scatter, refused;
  ASSERT_EQ((select << self << mask << out).run(kMaskedSelectKernel), Status::kOk);
  EXPECT_EQ(out.elements<int32_t>(), (std::vector<int32_t>{1, 3, 4, 6}));
  source.set<int32_t>({10, 20, 30, 40, 50});
  ASSERT_EQ((scatter << self << mask << source << scattered).run(kMaskedScatterKernel),
            Status::kOk);
  EXPECT_EQ(scattered.elements<int32_t>(), (std::vector<int32_t>{10, 2, 20, 30, 5, 40}));
  EXPECT_EQ((refused << self << mask << few << scattered).run(kMaskedScatterKernel),
            Status::kBadShape);
}

// An output over its own mask changes what was counted; nothing is written past the end.
TEST(MaskedKernels, AnOutputOverItsMaskReachesNothing) {
  TestTensor self(ScalarType::kByte, {8}), mask(ScalarType::kByte, {8}),
      out(ScalarType::kByte, {8});
  self.set<uint8_t>({1, 1, 1, 1, 1, 1, 1, 1});
  mask.set<uint8_t>({1, 0, 0, 0, 0, 0, 0, 0});
  out.tensor().dynamic = true;
  out.tensor().capacity = 1;
  out.tensor().data = mask.data<uint8_t>() + 1;
  Call call;
  ASSERT_EQ((call << self << mask << out).run(kMaskedSelectKernel), Status::kOk);
  EXPECT_EQ(mask.elements<uint8_t>(), (std::vector<uint8_t>{1, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(MaskedKernels, RepeatInterleaveRepeatsIndices) {
  TestTensor repeats(ScalarType::kLong, {4}), out(ScalarType::kLong, {5});
  repeats.set<int64_t>({2, 0, 1, 2});
  Call call, wrong_size;
  ASSERT_EQ((call << repeats << 5 << out).run(kRepeatInterleaveKernel), Status::kOk);
  EXPECT_EQ(out.elements<int64_t>(), (Ints{0, 0, 2, 3, 3}));
  EXPECT_EQ((wrong_size << repeats << 4 << out).run(kRepeatInterleaveKernel),
            Status::kBadArguments);
  repeats.set<int64_t>({2, -1, 1, 2});
  Call negative;
  EXPECT_EQ(((negative << repeats).none() << out).run(kRepeatInterleaveKernel),
            Status::kBadArguments);
}

TEST(LayerKernels, GluGatesOneHalfByTheOther) {
  TestTensor in(ScalarType::kFloat, {2, 4}), out(ScalarType::kFloat, {2, 2});
  in.set<float>({1, 2, 0, 100, 3, 4, -100, 1});
  Call call, odd;
  ASSERT_EQ((call << in << -1 << out).run(kGluKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[0], 0.5f);
  EXPECT_FLOAT_EQ(out.data<float>()[1], 2);
  EXPECT_NEAR(out.data<float>()[2], 0, 1e-30f);
  EXPECT_FLOAT_EQ(out.data<float>()[3], 4 / (1 + std::exp(-1.0f)));
  TestTensor three(ScalarType::kFloat, {2, 3});
  EXPECT_EQ((odd << three << 1 << out).run(kGluKernel), Status::kBadShape);
}

TEST(LayerKernels, DropoutOutsideTrainingDropsNothing) {
  TestTensor in(ScalarType::kFloat, {3}), out(ScalarType::kFloat, {3}),
      mask(ScalarType::kBool, {3});
  in.set<float>({1, -2, NAN});
  Call call, training;
  ASSERT_EQ((call << in << 0.5 << false << out << mask).run(kNativeDropoutKernel), Status::kOk);
  EXPECT_EQ(out.data<float>()[1], -2);
  EXPECT_EQ(mask.elements<bool>(), (std::vector<bool>{true, true, true}));
  EXPECT_EQ((training << in << 0.5 << true << out << mask).run(kNativeDropoutKernel),
            Status::kBadArguments);
}

TEST(LayerKernels, BatchNormWithoutStatisticsUsesTheBatchs) {
  for (const std::vector<uint8_t>& order : {std::vector<uint8_t>{0, 1, 2, 3}, nhwc()}) {
    TestTensor in(ScalarType::kFloat, {2, 3, 2, 2}, order), out(ScalarType::kFloat, {2, 3, 2, 2}),
        weight(ScalarType::kFloat, {3}), means(ScalarType::kFloat, {3}),
        inverses(ScalarType::kFloat, {3});
    for (size_t i = 0; i < in.numel(); ++i) in.data<float>()[i] = static_cast<float>(i * i % 17);
    weight.set<float>({1, 2, -1});
    Call call;
    ASSERT_EQ(((call << in << weight).none() << true << 0.1 << 1e-5 << out << means << inverses)
                  .run(kNativeBatchNormNoStatsKernel),
              Status::kOk);
    for (int64_t c = 0; c < 3; ++c) {
      double mean = 0, variance = 0;
      const auto each = [&](auto visit) {
        for (int64_t n = 0; n < 2; ++n) {
          for (int64_t p = 0; p < 4; ++p) visit(n, p / 2, p % 2);
        }
      };
      each([&](int64_t n, int64_t y, int64_t x) {
        mean += static_cast<double>(at<float>(in, {n, c, y, x})) / 8;
      });
      each([&](int64_t n, int64_t y, int64_t x) {
        const double d = static_cast<double>(at<float>(in, {n, c, y, x})) - mean;
        variance += d * d / 8;
      });
      const double scale =
          static_cast<double>(weight.data<float>()[c]) / std::sqrt(variance + 1e-5);
      EXPECT_NEAR(static_cast<double>(means.data<float>()[c]), mean, 1e-5);
      each([&](int64_t n, int64_t y, int64_t x) {
        const double expected = (static_cast<double>(at<float>(in, {n, c, y, x})) - mean) * scale;
        EXPECT_NEAR(static_cast<double>(at<float>(out, {n, c, y, x})), expected, 1e-5);
      });
    }
  }
}

TEST(LayerKernels, QuantisedSumsAndProducts) {
  TestTensor a(ScalarType::kChar, {3}), b(ScalarType::kChar, {3}), out(ScalarType::kChar, {3});
  a.set<int8_t>({10, -128, 127}), b.set<int8_t>({4, 0, 127});
  Call sum;
  sum << a << 0.5 << 0 << -128 << 127 << b << 0.25 << 2 << -128 << 127 << 0.5 << -1 << -128 << 127
      << out;
  ASSERT_EQ(sum.run(kDecomposedAddKernel), Status::kOk);
  // 5 + 0.5, -64 - 0.5, 63.5 + 31.25; ties to even
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{10, -128, 127}));
  TestTensor in(ScalarType::kFloat, {1, 2}), weight(ScalarType::kChar, {2, 2}),
      scales(ScalarType::kFloat, {2}), product(ScalarType::kFloat, {1, 2});
  in.set<float>({2, -1}), weight.set<int8_t>({1, 2, 3, 4}), scales.set<float>({0.5f, 2});
  Call call;
  ASSERT_EQ(((call << in << weight << scales).none() << product).run(kDecomposedMixedMmKernel),
            Status::kOk);
  EXPECT_EQ(product.elements<float>(), (std::vector<float>{-5, -6}));
}

}  // namespace
}  // namespace berth::runtime
