// Elementwise operators: against the formula, with broadcasting, in place, with hostile arguments.
#include <gtest/gtest.h>

#include <type_traits>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/sigmoid_table.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {
namespace {

struct Quantization {
  int64_t zero_points[2], multipliers[3], shifts[3], out_zero_point, low, high;
};

template <typename T>
Quantization random_quantization(Random& random, int round) {
  Quantization q{};
  const int64_t least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  for (int i = 0; i < 2; ++i) q.zero_points[i] = sizeof(T) == 1 ? random.between(least, most) : 0;
  for (int i = 0; i < 3; ++i) {
    q.multipliers[i] = random.multiplier();
    // Real layers shift to the right; every seventh round also to the left.
    q.shifts[i] = random.between(i == 2 ? -20 : -4, round % 7 == 0 ? 2 : 0);
  }
  q.out_zero_point = random.between(-50, 50);
  q.low = random.between(least, 0), q.high = random.between(0, most);
  return q;
}

template <typename T>
T expected_sum(const Quantization& q, T a, T b, int sign) {
  const int left_shift = sizeof(T) == 1 ? 20 : 15;
  const auto operand = [&](T value, int i) {
    return reference_scale((value - q.zero_points[i]) * (1 << left_shift),
                           static_cast<int32_t>(q.multipliers[i]), static_cast<int>(q.shifts[i]));
  };
  const int32_t sum =
      static_cast<int32_t>(static_cast<uint32_t>(operand(a, 0)) +
                           static_cast<uint32_t>(sign) * static_cast<uint32_t>(operand(b, 1)));
  const int64_t scaled =
      reference_scale(sum, static_cast<int32_t>(q.multipliers[2]), static_cast<int>(q.shifts[2]));
  return reference_clamp<T>(scaled + q.out_zero_point, q.low, q.high);
}

Call sum_call(const Quantization& q, TestTensor& a, TestTensor& b, TestTensor& out) {
  Call call;
  call << a << q.zero_points[0] << q.multipliers[0] << q.shifts[0] << b << q.zero_points[1]
       << q.multipliers[1] << q.shifts[1] << q.out_zero_point << q.multipliers[2] << q.shifts[2]
       << q.low << q.high << out;
  return call;
}

template <typename T>
void check_sums(const Kernel& kernel, int sign, uint32_t seed) {
  Random random(seed);
  for (int round = 0; round < 60; ++round) {
    const int32_t count = static_cast<int32_t>(random.between(1, 200));
    TestTensor a(DtypeOf<T>::kType, {count}), b(DtypeOf<T>::kType, {count}),
        out(DtypeOf<T>::kType, {count});
    random.fill<T>(a);
    random.fill<T>(b);
    const Quantization q = random_quantization<T>(random, round);
    const std::vector<T> left = a.elements<T>(), right = b.elements<T>();
    ASSERT_EQ(sum_call(q, a, b, out).run(kernel), Status::kOk);
    for (int32_t i = 0; i < count; ++i) {
      ASSERT_EQ(out.data<T>()[i], expected_sum<T>(q, left[i], right[i], sign)) << round;
    }
    // The output over either operand's bytes.
    const std::vector<T> apart = out.elements<T>();
    TestTensor over_a(DtypeOf<T>::kType, {count}), over_b(DtypeOf<T>::kType, {count});
    over_b.share(b);
    ASSERT_EQ(sum_call(q, a, b, over_b).run(kernel), Status::kOk);
    ASSERT_EQ(b.elements<T>(), apart);
    b.set(right);
    over_a.share(a);
    ASSERT_EQ(sum_call(q, a, b, over_a).run(kernel), Status::kOk);
    ASSERT_EQ(a.elements<T>(), apart);
  }
}

TEST(ElementwiseKernels, SumsAndDifferencesFollowTheFormulaAlsoInPlace) {
  check_sums<int8_t>(kQuantizedAddKernel, 1, 1);
  check_sums<int8_t>(kBerthAddKernel, 1, 2);
  check_sums<int16_t>(kBerthAddKernel, 1, 3);
  check_sums<int8_t>(kBerthSubKernel, -1, 4);
  check_sums<int16_t>(kBerthSubKernel, -1, 5);
}

TEST(ElementwiseKernels, BroadcastingIsNumpysInAnyDimOrder) {
  Random random(6);
  struct Case {
    std::vector<int32_t> a, b, out;
    std::vector<uint8_t> a_order, b_order, out_order;
  };
  const Case cases[] = {
      {{2, 3, 4}, {4}, {2, 3, 4}, {}, {}, {}},
      {{3, 1}, {1, 5}, {3, 5}, {}, {}, {}},
      {{1}, {2, 3}, {2, 3}, {}, {}, {}},
      {{}, {2, 3}, {2, 3}, {}, {}, {}},
      {{}, {}, {}, {}, {}, {}},
      {{2, 3, 4, 5}, {1, 3, 1, 1}, {2, 3, 4, 5}, nhwc(), nhwc(), nhwc()},
      {{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}, nhwc(), {}, {}},
      {{2, 1, 4, 1}, {3, 1, 5}, {2, 3, 4, 5}, {}, {}, nhwc()},
  };
  for (const Case& c : cases) {
    TestTensor a(ScalarType::kChar, c.a, c.a_order), b(ScalarType::kChar, c.b, c.b_order);
    TestTensor out(ScalarType::kChar, c.out, c.out_order);
    random.fill<int8_t>(a);
    random.fill<int8_t>(b);
    const Quantization q = random_quantization<int8_t>(random, 1);
    ASSERT_EQ(sum_call(q, a, b, out).run(kBerthSubKernel), Status::kOk);
    // By logical index, slowly.
    size_t strides[3][kMaxRank];
    compute_strides(a.tensor(), strides[0]);
    compute_strides(b.tensor(), strides[1]);
    compute_strides(out.tensor(), strides[2]);
    std::vector<int32_t> index(c.out.size(), 0);
    for (size_t n = 0; n < out.numel(); ++n) {
      size_t rest = n, at[3] = {};
      for (int d = static_cast<int>(c.out.size()) - 1; d >= 0; --d) {
        index[d] = static_cast<int32_t>(rest % c.out[d]);
        rest /= c.out[d];
        at[2] += index[d] * strides[2][d];
        const auto own = [&](const std::vector<int32_t>& sizes, int operand) {
          const int dim = d - static_cast<int>(c.out.size() - sizes.size());
          if (dim >= 0 && sizes[dim] != 1) at[operand] += index[d] * strides[operand][dim];
        };
        own(c.a, 0);
        own(c.b, 1);
      }
      ASSERT_EQ(out.data<int8_t>()[at[2]],
                expected_sum<int8_t>(q, a.data<int8_t>()[at[0]], b.data<int8_t>()[at[1]], -1));
    }
  }
}

TEST(ElementwiseKernels, ShapesThatDoNotBroadcastAreRefused) {
  Random random(7);
  const Quantization q = random_quantization<int8_t>(random, 1);
  const std::vector<std::vector<int32_t>> cases[] = {
      {{3}, {4}, {4}},          {{1}, {1}, {4}}, {{2, 3}, {2, 3}, {3}},
      {{2, 3}, {3}, {1, 2, 3}}, {{0}, {3}, {3}}, {{4}, {4}, {1}}};
  for (const auto& sizes : cases) {
    TestTensor a(ScalarType::kChar, sizes[0]), b(ScalarType::kChar, sizes[1]),
        out(ScalarType::kChar, sizes[2]);
    EXPECT_EQ(sum_call(q, a, b, out).run(kQuantizedAddKernel), Status::kBadShape);
    Call call;
    call << a << b << out;
    EXPECT_EQ(call.run(kMaximumKernel), Status::kBadShape);
  }
}

TEST(ElementwiseKernels, HostileQuantisationIsRefused) {
  Random random(8);
  TestTensor a(ScalarType::kChar, {3}), b(ScalarType::kChar, {3}), out(ScalarType::kChar, {3});
  for (size_t argument : {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12}) {
    for (int64_t bad : {INT64_MIN, INT64_MAX, int64_t{1} << 32, -(int64_t{1} << 32)}) {
      Call call = sum_call(random_quantization<int8_t>(random, 1), a, b, out);
      call.replace(argument, bad);
      EXPECT_EQ(call.run(kQuantizedAddKernel), Status::kBadArguments) << argument;
    }
  }
  for (size_t shift : {3, 7, 10}) {
    for (int64_t bad : {-32, 32}) {
      Call call = sum_call(random_quantization<int8_t>(random, 1), a, b, out);
      call.replace(shift, bad);
      EXPECT_EQ(call.run(kQuantizedAddKernel), Status::kBadArguments);
    }
    Call call = sum_call(random_quantization<int8_t>(random, 1), a, b, out);
    call.replace(shift - 1, INT32_MIN);  // a multiplier
    EXPECT_EQ(call.run(kBerthSubKernel), Status::kBadArguments);
  }
  // Extremes that are legal compute something, without overflow (UBSan watches).
  random.fill<int8_t>(a);
  for (int64_t multiplier : {int64_t{INT32_MIN} + 1, int64_t{INT32_MAX}, int64_t{-1}}) {
    for (int64_t shift : {-31, 31}) {
      Call call = sum_call(random_quantization<int8_t>(random, 1), a, b, out);
      for (size_t i : {2, 6, 9}) call.replace(i, multiplier);
      for (size_t i : {3, 7, 10}) call.replace(i, shift);
      EXPECT_EQ(call.run(kBerthSubKernel), Status::kOk);
    }
  }
}

template <typename T>
void check_products(uint32_t seed) {
  Random random(seed);
  for (int round = 0; round < 40; ++round) {
    const int32_t count = static_cast<int32_t>(random.between(1, 100));
    TestTensor a(DtypeOf<T>::kType, {count}), b(DtypeOf<T>::kType, {count}),
        out(DtypeOf<T>::kType, {count});
    random.fill<T>(a);
    random.fill<T>(b);
    const Quantization q = random_quantization<T>(random, round);
    Call call;
    call << a << q.zero_points[0] << b << q.zero_points[1] << q.out_zero_point << q.multipliers[2]
         << q.shifts[2] << q.low << q.high << out;
    ASSERT_EQ(call.run(kBerthMulKernel), Status::kOk);
    for (int32_t i = 0; i < count; ++i) {
      const int64_t product =
          (a.data<T>()[i] - q.zero_points[0]) * (b.data<T>()[i] - q.zero_points[1]);
      const int64_t scaled = reference_scale(product, static_cast<int32_t>(q.multipliers[2]),
                                             static_cast<int>(q.shifts[2]));
      ASSERT_EQ(out.data<T>()[i], reference_clamp<T>(scaled + q.out_zero_point, q.low, q.high));
    }
    if (sizeof(T) > 1) continue;
    TestTensor vendor(DtypeOf<T>::kType, {count}), full(DtypeOf<T>::kType, {count});
    Call plain;
    plain << a << q.zero_points[0] << b << q.zero_points[1] << q.out_zero_point << q.multipliers[2]
          << q.shifts[2] << vendor;
    ASSERT_EQ(plain.run(kQuantizedMulKernel), Status::kOk);
    Call wide;
    wide << a << q.zero_points[0] << b << q.zero_points[1] << q.out_zero_point << q.multipliers[2]
         << q.shifts[2] << -128 << 127 << full;
    ASSERT_EQ(wide.run(kBerthMulKernel), Status::kOk);
    ASSERT_EQ(vendor.elements<int8_t>(), full.elements<int8_t>());
    vendor.share(a);
    ASSERT_EQ(plain.run(kQuantizedMulKernel), Status::kOk);
    ASSERT_EQ(a.elements<int8_t>(), full.elements<int8_t>());
  }
}

TEST(ElementwiseKernels, ProductsFollowTheFormulaAlsoInPlace) {
  check_products<int8_t>(9);
  check_products<int16_t>(10);
}

template <typename T>
void check_extremes(const Kernel& minimum, const Kernel& maximum) {
  constexpr T kLow = std::numeric_limits<T>::min();
  TestTensor a(DtypeOf<T>::kType, {2, 2}), b(DtypeOf<T>::kType, {2});
  TestTensor out(DtypeOf<T>::kType, {2, 2});
  a.set<T>({5, -7, kLow, 9});
  b.set<T>({1, 2});
  Call call;
  call << a << b << out;
  ASSERT_EQ(call.run(minimum), Status::kOk);
  EXPECT_EQ(out.elements<T>(), (std::vector<T>{1, -7, kLow, 2}));
  out.share(a);
  ASSERT_EQ(call.run(maximum), Status::kOk);
  EXPECT_EQ(a.elements<T>(), (std::vector<T>{5, 2, 1, 9}));
  TestTensor other(ScalarType::kByte, {2, 2});
  Call mixed;
  mixed << other << b << out;
  EXPECT_EQ(mixed.run(maximum), Status::kBadArguments);
}

TEST(ElementwiseKernels, MinimumAndMaximumCompareRawValues) {
  check_extremes<int8_t>(kMinimumKernel, kMaximumKernel);
  check_extremes<int8_t>(kBerthMinimumKernel, kBerthMaximumKernel);
  check_extremes<int16_t>(kBerthMinimumKernel, kBerthMaximumKernel);
  check_extremes<int32_t>(kBerthMinimumKernel, kBerthMaximumKernel);
}

TEST(ElementwiseKernels, ActivationReadsEntryValuePlus128) {
  TestTensor in(ScalarType::kChar, {256}), table(ScalarType::kChar, {256}),
      out(ScalarType::kChar, {256});
  Random random(11);
  random.fill<int8_t>(table);
  for (int i = 0; i < 256; ++i) in.data<int8_t>()[i] = static_cast<int8_t>(i - 128);
  Call call;
  call << in << table << out;
  ASSERT_EQ(call.run(kQuantizedActivationKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), table.elements<int8_t>());
  out.share(in);
  ASSERT_EQ(call.run(kQuantizedActivationKernel), Status::kOk);
  EXPECT_EQ(in.elements<int8_t>(), table.elements<int8_t>());
  TestTensor short_table(ScalarType::kChar, {255});
  Call bad;
  bad << in << short_table << out;
  EXPECT_EQ(bad.run(kQuantizedActivationKernel), Status::kBadShape);
}

TEST(ElementwiseKernels, LeakyReluScalesEachSideByItsOwnFactor) {
  Random random(14);
  TestTensor in(ScalarType::kShort, {400}), out(ScalarType::kShort, {400});
  random.fill<int16_t>(in);
  const int32_t positive = random.multiplier(), negative = -random.multiplier();
  Call call;
  call << in << 4 << -9 << positive << 1 << negative << -3 << out;
  ASSERT_EQ(call.run(kBerthLeakyReluKernel), Status::kOk);
  for (int i = 0; i < 400; ++i) {
    const int64_t x = in.data<int16_t>()[i] - 4;
    const int64_t scaled =
        x >= 0 ? reference_scale(x, positive, 1) : reference_scale(x, negative, -3);
    ASSERT_EQ(out.data<int16_t>()[i], reference_clamp<int16_t>(scaled - 9));
  }
}

TEST(ElementwiseKernels, SigmoidTableIsTheFunctionRaisedByHalfOfWhatChordsMiss) {
  const double step = 1.0 / 24;
  for (int i = 0; i < 255; ++i) {
    const double s = 1 / (1 + std::exp(-i * step));
    const double bend = s * (1 - s) * (2 * s - 1);  // minus the second derivative
    EXPECT_EQ(kSigmoidTable[i], std::lround(65536 * (s + bend * step * step / 16))) << i;
  }
  EXPECT_EQ(kSigmoidTable[255], 65535);
}

TEST(ElementwiseKernels, TanhAndLogisticOf16BitsFollowTheFunctions) {
  TestTensor in(ScalarType::kShort, {65536}), out(ScalarType::kShort, {65536});
  for (int i = 0; i < 65536; ++i) in.data<int16_t>()[i] = static_cast<int16_t>(i - 32768);
  Call tanh_call, logistic_call;
  tanh_call << in << 3 << 0 << out;  // scale 2^-12
  logistic_call << in << 3 << 0 << out;
  ASSERT_EQ(tanh_call.run(kBerthTanhKernel), Status::kOk);
  for (int i = 0; i < 65536; ++i) {
    ASSERT_NEAR(out.data<int16_t>()[i], 32768 * std::tanh((i - 32768) / 4096.0), 3) << i;
  }
  ASSERT_EQ(logistic_call.run(kBerthLogisticKernel), Status::kOk);
  for (int i = 0; i < 65536; ++i) {
    ASSERT_NEAR(out.data<int16_t>()[i], 32768 / (1 + std::exp(-(i - 32768) / 4096.0)), 3) << i;
  }
  for (int64_t multiplier : {int64_t{INT32_MAX}, int64_t{INT32_MIN} + 1}) {
    for (int64_t shift : {0, 31}) {
      tanh_call.replace(1, multiplier), tanh_call.replace(2, shift);
      logistic_call.replace(1, multiplier), logistic_call.replace(2, shift);
      EXPECT_EQ(tanh_call.run(kBerthTanhKernel), Status::kOk);
      EXPECT_EQ(logistic_call.run(kBerthLogisticKernel), Status::kOk);
    }
  }
  tanh_call.replace(2, -1);
  EXPECT_EQ(tanh_call.run(kBerthTanhKernel), Status::kBadArguments);
}

// Known answers of TensorFlow Lite Micro's kernels for a ramp (input scale 2^-12), made with its
// Python package.
TEST(ElementwiseKernels, TanhAndLogisticOf16BitsHitKnownAnswers) {
  const std::vector<int16_t> ramp = {-32768, -20000, -9001, -4096, -667,  -1,   0,
                                     1,      667,    1609,  4605,  12345, 32767};
  TestTensor in(ScalarType::kShort, {13}), out(ScalarType::kShort, {13});
  in.set(ramp);
  Call tanh_call, logistic_call;
  tanh_call << in << 3 << 0 << out;
  logistic_call << in << 3 << 0 << out;
  ASSERT_EQ(tanh_call.run(kBerthTanhKernel), Status::kOk);
  EXPECT_EQ(out.elements<int16_t>(),
            (std::vector<int16_t>{-32767, -32764, -31969, -24956, -5290, -8, 0, 8, 5290, 12249,
                                  26512, 32611, 32767}));
  ASSERT_EQ(logistic_call.run(kBerthLogisticKernel), Status::kOk);
  EXPECT_EQ(out.elements<int16_t>(),
            (std::vector<int16_t>{11, 247, 3276, 8812, 15053, 16382, 16384, 16386, 17715, 19561,
                                  24733, 31234, 32757}));
}

TEST(ElementwiseKernels, ClampBoundsEveryType) {
  TestTensor bytes(ScalarType::kChar, {4}), out(ScalarType::kChar, {4});
  bytes.set<int8_t>({-128, -3, 4, 127});
  Call call;
  call << bytes << -5 << 6.0 << out;
  ASSERT_EQ(call.run(kClampKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{-5, -3, 4, 6}));
  Call upper;
  upper << bytes;
  upper.none() << 0 << out;
  out.share(bytes);
  ASSERT_EQ(upper.run(kClampKernel), Status::kOk);
  EXPECT_EQ(bytes.elements<int8_t>(), (std::vector<int8_t>{-128, -3, 0, 0}));

  TestTensor floats(ScalarType::kFloat, {3}), floats_out(ScalarType::kFloat, {3});
  floats.set<float>({-1.5f, 2.5f, std::nanf("")});
  Call single;
  single << floats << -1 << 2.25 << floats_out;
  ASSERT_EQ(single.run(kClampKernel), Status::kOk);
  EXPECT_EQ(floats_out.data<float>()[0], -1.0f);
  EXPECT_EQ(floats_out.data<float>()[1], 2.25f);
  EXPECT_TRUE(std::isnan(floats_out.data<float>()[2]));

  TestTensor ints(ScalarType::kInt, {2}), ints_out(ScalarType::kInt, {2});
  ints.set<int32_t>({INT32_MIN, INT32_MAX});
  Call far_bounds;
  far_bounds << ints << INT64_MIN << 1e300 << ints_out;
  ASSERT_EQ(far_bounds.run(kClampKernel), Status::kOk);
  EXPECT_EQ(ints_out.elements<int32_t>(), ints.elements<int32_t>());
  for (double bad : {0.5, std::nan("")}) {
    Call refused;
    refused << ints << bad << 7 << ints_out;
    EXPECT_EQ(refused.run(kClampKernel), Status::kBadArguments);
  }
}

TEST(ElementwiseKernels, UnaryOperatorsFollowTensorsOfOtherDimOrders) {
  Random random(15);
  TestTensor in(ScalarType::kChar, {1, 3, 2, 2}, nhwc()), out(ScalarType::kChar, {1, 3, 2, 2});
  random.fill<int8_t>(in);
  Call call;
  call << in << -128 << 127 << out;
  ASSERT_EQ(call.run(kClampKernel), Status::kOk);
  for (int c = 0; c < 3; ++c) {
    for (int p = 0; p < 4; ++p)
      EXPECT_EQ(out.data<int8_t>()[c * 4 + p], in.data<int8_t>()[p * 3 + c]);
  }
}

}  // namespace
}  // namespace berth::runtime
