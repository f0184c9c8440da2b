// Between floats and integers: the definition in double, bounds, ties, and what a stranger sends.
#include "runtime/kernels/portable/quantized_decomposed_kernels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
constexpr ScalarType kI8 = ScalarType::kChar, kU8 = ScalarType::kByte, kI16 = ScalarType::kShort;
constexpr ScalarType kI32 = ScalarType::kInt, kI64 = ScalarType::kLong, kF32 = ScalarType::kFloat;
constexpr ScalarType kF64 = ScalarType::kDouble;

int code(ScalarType dtype) { return static_cast<int>(dtype); }

TEST(QuantizedDecomposedKernels, TiesGoToTheEvenValueAndBoundsHold) {
  TestTensor in(kF32, {11}), out(kI8, {11});
  in.set<float>(
      {0.25f, 0.75f, 1.25f, -0.25f, -0.75f, 1e9f, -1e9f, INFINITY, -INFINITY, NAN, 31.5f});
  Call call;
  call << in << 0.5 << 1 << -100 << 60 << code(kI8) << out;
  ASSERT_EQ(call.run(kDecomposedQuantizePerTensorKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(),
            (std::vector<int8_t>{1, 3, 3, 1, -1, 60, -100, 60, -100, -100, 60}));
}

template <typename T>
void quantize_there_and_back(int64_t zero_point) {
  Random random(1);
  const double scale = 0.037;
  const int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  TestTensor in(kF32, {500}), out(DtypeOf<T>::kType, {500}), back(kF32, {500});
  for (size_t i = 0; i < 500; ++i)
    in.data<float>()[i] = static_cast<float>(random.between(-4000, 4000)) * 0.01f;
  Call there, again;
  there << in << scale << zero_point << low << high << code(DtypeOf<T>::kType) << out;
  ASSERT_EQ(there.run(kDecomposedQuantizePerTensorKernel), Status::kOk);
  (again << out << scale << zero_point << low << high << code(DtypeOf<T>::kType)).none() << back;
  ASSERT_EQ(again.run(kDecomposedDequantizePerTensorKernel), Status::kOk);
  for (size_t i = 0; i < 500; ++i) {
    const double exact = in.data<float>()[i] / scale + static_cast<double>(zero_point);
    const double bounded =
        std::fmin(std::fmax(exact, static_cast<double>(low)), static_cast<double>(high));
    const T value = out.data<T>()[i];
    ASSERT_NEAR(static_cast<double>(value), bounded, 0.501);
    ASSERT_NEAR(back.data<float>()[i],
                (static_cast<double>(value) - static_cast<double>(zero_point)) * scale, 1e-4);
  }
}

TEST(QuantizedDecomposedKernels, EveryWidthGoesThereAndBack) {
  quantize_there_and_back<int8_t>(-3);
  quantize_there_and_back<uint8_t>(131);
  quantize_there_and_back<int16_t>(1000);
  quantize_there_and_back<int32_t>(-123456);
}

TEST(QuantizedDecomposedKernels, NumbersMayComeAsTensors) {
  TestTensor in(kF32, {3}), out(kU8, {3}), back(kF32, {3});
  in.set<float>({-1, 0, 2});
  for (const ScalarType scale_type : {kF32, kF64}) {
    for (const ScalarType zero_type : {kI32, kI64}) {
      TestTensor scale(scale_type, {1}), zero(zero_type, {1});
      if (scale_type == kF32) {
        scale.set<float>({0.5f});
      } else {
        scale.set<double>({0.5});
      }
      if (zero_type == kI32) {
        zero.set<int32_t>({10});
      } else {
        zero.set<int64_t>({10});
      }
      Call there, again;
      there << in << scale << zero << 0 << 255 << code(kU8) << out;
      ASSERT_EQ(there.run(kDecomposedQuantizePerTensorTensorKernel), Status::kOk);
      EXPECT_EQ(out.elements<uint8_t>(), (std::vector<uint8_t>{8, 10, 14}));
      again << out << scale << zero << 0 << 255 << code(kU8) << code(kF32) << back;
      ASSERT_EQ(again.run(kDecomposedDequantizePerTensorTensorKernel), Status::kOk);
      EXPECT_EQ(back.elements<float>(), (std::vector<float>{-1, 0, 2}));
    }
  }
}

TEST(QuantizedDecomposedKernels, ChannelsHaveTheirOwnScaleInAnyOrder) {
  Random random(2);
  for (const std::vector<uint8_t>& order : {std::vector<uint8_t>{0, 1, 2, 3}, nhwc()}) {
    for (int64_t axis = -4; axis < 4; ++axis) {
      const size_t dim = static_cast<size_t>(axis < 0 ? axis + 4 : axis);
      const std::vector<int32_t> sizes = {2, 3, 4, 5};
      TestTensor in(kI8, sizes, order), out(kF32, sizes, order), again(kI8, sizes, order);
      TestTensor scales(kF32, {sizes[dim]}), zeros(kI64, {sizes[dim]});
      random.fill<int8_t>(in, -100, 100);
      for (int32_t i = 0; i < sizes[dim]; ++i) {
        scales.data<float>()[i] = 0.25f * static_cast<float>(i + 1);
        zeros.data<int64_t>()[i] = i - 1;
      }
      Call back, there;
      (back << in << scales << (axis == 1 ? nullptr : &zeros) << axis << -128 << 127 << code(kI8))
              .none()
          << out;
      ASSERT_EQ(back.run(kDecomposedDequantizePerChannelKernel), Status::kOk);
      for (int64_t i = 0; i < 120; ++i) {
        const Ints index = {i / 60, i / 20 % 3, i / 5 % 4, i % 5};
        const size_t c = static_cast<size_t>(index[dim]);
        const float zero = axis == 1 ? 0.0f : static_cast<float>(zeros.data<int64_t>()[c]);
        ASSERT_EQ(at<float>(out, index), (at<int8_t>(in, index) - zero) * scales.data<float>()[c]);
      }
      if (axis == 1) continue;
      there << out << scales << zeros << axis << -128 << 127 << code(kI8) << again;
      ASSERT_EQ(there.run(kDecomposedQuantizePerChannelKernel), Status::kOk);
      EXPECT_EQ(again.elements<int8_t>(), in.elements<int8_t>());
    }
  }
}

TEST(QuantizedDecomposedKernels, TokensAreRows) {
  TestTensor in(kF32, {2, 1, 3}), scales(kF64, {2, 1, 1}), zeros(kI64, {2, 1, 1}),
      out(kI8, {2, 1, 3}), back(kF32, {2, 1, 3});
  in.set<float>({-1, 0, 1, 0, 10, 25.5f});
  Call choose, there, again;
  choose << in << code(kI8) << scales << zeros;
  ASSERT_EQ(choose.run(kDecomposedChooseQparamsPerTokenAsymmetricKernel), Status::kOk);
  EXPECT_NEAR(scales.data<double>()[0], 2.0 / 255, 1e-9);
  EXPECT_NEAR(scales.data<double>()[1], 0.1, 1e-8);
  EXPECT_EQ(zeros.data<int64_t>()[1], -128);
  there << in << scales << zeros << -128 << 127 << code(kI8) << out;
  ASSERT_EQ(there.run(kDecomposedQuantizePerTokenKernel), Status::kOk);
  again << out << scales << zeros << -128 << 127 << code(kI8) << code(kF32) << back;
  ASSERT_EQ(again.run(kDecomposedDequantizePerTokenKernel), Status::kOk);
  for (size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(back.data<float>()[i], in.data<float>()[i], i < 3 ? 0.004 : 0.051);
}

TEST(QuantizedDecomposedKernels, ParametersCoverTheValuesAndZero) {
  struct Case {
    std::vector<float> values;
    double scale;
    int64_t zero_point;
  };
  const double smallest = 6.1e-5f;
  const Case cases[] = {{{-1, 0.5f, 1}, 2.0 / 255, 0},   {{5, 10.2f, 7}, 10.2 / 255, -128},
                        {{-51, -2, -3}, 0.2, 127},       {{0, 0, 0}, 0.1, 127},
                        {{1e-6f, 0, 0}, smallest, -128}, {{-1e-6f, 0, 1e-6f}, smallest, 0},
                        {{NAN, 1, 0}, 1.0 / 255, -128}};
  for (const Case& c : cases) {
    TestTensor in(kF32, {3}), scale(kF64, {1}), zero(kI64, {1});
    in.set<float>(c.values);
    Call call;
    call << in << -128 << 127 << 1e-7 << code(kI8) << scale << zero;
    ASSERT_EQ(call.run(kDecomposedChooseQparamsKernel), Status::kOk);
    EXPECT_NEAR(scale.data<double>()[0], c.scale, 1e-7 * c.scale + 1e-12);
    EXPECT_NEAR(static_cast<double>(zero.data<int64_t>()[0]), static_cast<double>(c.zero_point), 1);
  }
}

TEST(QuantizedDecomposedKernels, EmbeddingsAreDequantisedByGroups) {
  TestTensor bytes(kI8, {3, 4}), scales(kF32, {3, 2}), zeros(kF32, {3, 2}), indices(kI64, {2}),
      out(kF32, {2, 4});
  bytes.set<int8_t>({1, 2, 3, 4, -5, 6, -7, 8, 9, 10, 11, 12});
  scales.set<float>({1, 2, 3, 4, 5, 6});
  zeros.set<float>({0, 1, 2, 3, 4, 5});
  indices.set<int64_t>({1, 0});
  Call call, typed, past;
  call << bytes << scales << zeros << -128 << 127 << indices << out;
  ASSERT_EQ(call.run(kDecomposedEmbeddingByteKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(), (std::vector<float>{-21, 12, -40, 20, 1, 2, 4, 6}));
  TestTensor nibbles(kU8, {2, 2}), row_scales(kF32, {2}), pick(ScalarType::kInt, {1}),
      row(kF32, {1, 4});
  nibbles.set<uint8_t>({0x00, 0x00, 0x0f, 0x8a});
  row_scales.set<float>({1, 0.5f});
  pick.set<int32_t>({1});
  (typed << nibbles << row_scales).none() << -8 << 7 << pick << code(kF32) << row;
  ASSERT_EQ(typed.run(kDecomposedEmbedding4bitDtypeKernel), Status::kOk);
  EXPECT_EQ(row.elements<float>(), (std::vector<float>{-4, 3.5f, 0, 1}));
  pick.set<int32_t>({2});
  (past << nibbles << row_scales).none() << -8 << 7 << pick << row;
  EXPECT_EQ(past.run(kDecomposedEmbedding4bitKernel), Status::kBadArguments);
}

TEST(QuantizedDecomposedKernels, MixedLinearScalesEachGroupsSum) {
  TestTensor in(kF32, {2, 4}), weight(kI8, {3, 4}), scales(kF32, {3, 2}), out(kF32, {2, 3});
  in.set<float>({1, 2, 3, 4, -1, 0, 1, 0.5f});
  weight.set<int8_t>({1, 1, 1, 1, 2, 0, 0, -2, 100, -100, 50, 0});
  scales.set<float>({1, 10, 0.5f, 2, 1, 1});
  Call call;
  (call << in << weight << scales).none().none() << out;
  ASSERT_EQ(call.run(kDecomposedMixedLinearKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(), (std::vector<float>{73, -15, 50, 14, -3, -50}));
}

TEST(QuantizedDecomposedKernels, RefusesTypesAndBoundsThatDoNotFit) {
  TestTensor in(kF32, {3}), out(kI8, {3}), wide(kI16, {3});
  const auto quantize = [&](double scale, int64_t zero, int64_t low, int64_t high, ScalarType dtype,
                            TestTensor& to) {
    Call call;
    call << in << scale << zero << low << high << code(dtype) << to;
    return call.run(kDecomposedQuantizePerTensorKernel);
  };
  EXPECT_EQ(quantize(1, 0, -128, 127, kI8, out), Status::kOk);
  EXPECT_EQ(quantize(0, 0, -128, 127, kI8, out), Status::kOk);  // infinities, all bounded
  EXPECT_EQ(quantize(1, 0, -129, 127, kI8, out), Status::kBadArguments);
  EXPECT_EQ(quantize(1, 0, 5, 4, kI8, out), Status::kBadArguments);
  EXPECT_EQ(quantize(1, 0, -128, 127, kI8, wide), Status::kBadArguments);
  EXPECT_EQ(quantize(1, INT64_MAX, -128, 127, kI8, out), Status::kBadArguments);
  EXPECT_EQ(quantize(1, int64_t{1} << 30, -128, 127, kI8, out), Status::kBadArguments);
  TestTensor scales(kF32, {2}), zeros(kI64, {3});
  Call few;
  few << in << scales << zeros << 0 << -128 << 127 << code(kI8) << out;
  EXPECT_EQ(few.run(kDecomposedQuantizePerChannelKernel), Status::kBadShape);
}

}  // namespace
}  // namespace berth::runtime
