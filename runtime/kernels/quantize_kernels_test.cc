// Operators between float32 and quantised elements, and between widths of the latter.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

TEST(QuantizeKernels, QuantizeRoundsHalfToEvenAndBerthsHalfAwayFromZero) {
  TestTensor in(ScalarType::kFloat, {10}), out(ScalarType::kChar, {10});
  const float inf = std::numeric_limits<float>::infinity();
  in.set<float>({0.5f, 1.5f, -0.5f, -1.5f, 2.5f, 1e30f, -1e30f, inf, -inf, std::nanf("")});
  Call even;
  even << in << 1.0 << 3 << -128 << 127 << static_cast<int>(ScalarType::kChar) << out;
  ASSERT_EQ(even.run(kQuantizePerTensorKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{3, 5, 3, 1, 5, 127, -128, 127, -128, 3}));
  Call away;
  away << in << 1.0 << 3 << -100 << 100 << out;
  ASSERT_EQ(away.run(kBerthQuantizeKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{4, 5, 2, 1, 6, 100, -100, 100, -100, 3}));
  for (double bad : {0.0, -1.0, std::nan("")}) {
    Call call;
    call << in << bad << 3 << -100 << 100 << out;
    EXPECT_EQ(call.run(kBerthQuantizeKernel), Status::kBadArguments);
  }
  Call wrong_dtype;
  wrong_dtype << in << 1.0 << 3 << -128 << 127 << static_cast<int>(ScalarType::kShort) << out;
  EXPECT_EQ(wrong_dtype.run(kQuantizePerTensorKernel), Status::kBadArguments);
}

TEST(QuantizeKernels, QuantizeDividesWhereTheVendorMultipliesByTheInverse) {
  Random random(12);
  TestTensor in(ScalarType::kFloat, {1000}), a(ScalarType::kChar, {1000}),
      b(ScalarType::kChar, {1000});
  for (int i = 0; i < 1000; ++i)
    in.data<float>()[i] = static_cast<float>(random.between(-1000, 1000)) / 333.0f;
  const float scale = 0.0235f;
  Call divide, inverse;
  divide << in << static_cast<double>(scale) << -5 << -128 << 127 << a;
  inverse << in << static_cast<double>(scale) << -5 << -128 << 127
          << static_cast<int>(ScalarType::kChar) << b;
  ASSERT_EQ(divide.run(kBerthQuantizeKernel), Status::kOk);
  ASSERT_EQ(inverse.run(kQuantizePerTensorKernel), Status::kOk);
  for (int i = 0; i < 1000; ++i) {
    const float x = in.data<float>()[i];
    ASSERT_EQ(a.data<int8_t>()[i],
              reference_clamp<int8_t>(static_cast<int64_t>(std::round(x / scale)) - 5));
    ASSERT_EQ(
        b.data<int8_t>()[i],
        reference_clamp<int8_t>(static_cast<int64_t>(std::nearbyint(x * (1.0f / scale))) - 5));
  }
}

TEST(QuantizeKernels, DequantizeIsOneProductInFloat) {
  TestTensor in(ScalarType::kChar, {3}), wide(ScalarType::kShort, {3}),
      out(ScalarType::kFloat, {3});
  in.set<int8_t>({-128, 0, 127});
  wide.set<int16_t>({-32768, 0, 32767});
  const double scale = 0.0078125123;
  const float single = static_cast<float>(scale);
  const std::vector<float> expected = {-135.0f * single, -7.0f * single, 120.0f * single};
  Call vendor, ours, of_16_bits, refused;
  vendor << in << scale << 7 << -128 << 127 << static_cast<int>(ScalarType::kChar) << out;
  ASSERT_EQ(vendor.run(kDequantizePerTensorKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(), expected);
  out.set<float>({0, 0, 0});
  ours << in << scale << 7 << out;
  ASSERT_EQ(ours.run(kBerthDequantizeKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(), expected);
  of_16_bits << wide << scale << 0 << out;
  ASSERT_EQ(of_16_bits.run(kBerthDequantizeKernel), Status::kOk);
  EXPECT_EQ(out.elements<float>(),
            (std::vector<float>{-32768.0f * single, 0.0f, 32767.0f * single}));
  refused << wide << scale << 0 << -32768 << 32767 << static_cast<int>(ScalarType::kShort) << out;
  EXPECT_EQ(refused.run(kDequantizePerTensorKernel), Status::kBadArguments);
}

template <typename Out, typename In>
void check_requantize(Random& random) {
  TestTensor in(DtypeOf<In>::kType, {300}), out(DtypeOf<Out>::kType, {300});
  random.fill<In>(in);
  const int64_t in_zero = std::is_same<In, uint8_t>::value ? 128 : 5, out_zero = 3;
  const int32_t multiplier = random.multiplier();
  const int shift = static_cast<int>(random.between(-8, 3));
  Call call;
  call << in << in_zero << out_zero << multiplier << shift << out;
  ASSERT_EQ(call.run(kBerthRequantizeKernel), Status::kOk);
  for (int i = 0; i < 300; ++i) {
    const int64_t value = static_cast<int32_t>(static_cast<uint32_t>(in.data<In>()[i]) -
                                               static_cast<uint32_t>(in_zero));
    ASSERT_EQ(out.data<Out>()[i],
              reference_clamp<Out>(int64_t{reference_scale(value, multiplier, shift)} + out_zero));
  }
  if (sizeof(In) != sizeof(Out)) return;
  const std::vector<Out> apart = out.elements<Out>();
  out.share(in);
  ASSERT_EQ(call.run(kBerthRequantizeKernel), Status::kOk);
  EXPECT_EQ(memcmp(in.tensor().data, apart.data(), apart.size() * sizeof(Out)), 0);
}

TEST(QuantizeKernels, RequantizeConvertsBetweenAllWidths) {
  Random random(13);
  check_requantize<int8_t, int8_t>(random);
  check_requantize<int8_t, uint8_t>(random);
  check_requantize<uint8_t, int8_t>(random);
  check_requantize<int16_t, int8_t>(random);
  check_requantize<int8_t, int16_t>(random);
  check_requantize<int16_t, int16_t>(random);
  check_requantize<int32_t, int8_t>(random);
  check_requantize<int32_t, int16_t>(random);
  check_requantize<int8_t, int32_t>(random);
  check_requantize<int32_t, int32_t>(random);
}

}  // namespace
}  // namespace berth::runtime
