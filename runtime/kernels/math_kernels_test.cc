// Operators on elements: arithmetic in every dtype, promotion, broadcasting, NaN, whole numbers.
#include "runtime/kernels/portable/math_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "contract/half_floats.h"
#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/type_promotion.h"

namespace berth::runtime {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;
constexpr float kNan = NAN, kInf = INFINITY;

template <typename T>
void fill(TestTensor& tensor, const std::vector<T>& values) {
  tensor.set(values);
}

// a op b, both of dtype T and one dim, for kernels (self, other, out).
template <typename T>
std::vector<T> apply(const Kernel& kernel, const std::vector<T>& a, const std::vector<T>& b) {
  const int32_t size = static_cast<int32_t>(a.size());
  TestTensor x(DtypeOf<T>::kType, {size}), y(DtypeOf<T>::kType, {size}),
      out(DtypeOf<T>::kType, {size});
  fill(x, a), fill(y, b);
  Call call;
  call << x << y;
  EXPECT_EQ((call << out).run(kernel), Status::kOk);
  return out.elements<T>();
}

// f(a) for kernels (self, out).
template <typename T>
std::vector<T> apply(const Kernel& kernel, const std::vector<T>& a) {
  const int32_t size = static_cast<int32_t>(a.size());
  TestTensor x(DtypeOf<T>::kType, {size}), out(DtypeOf<T>::kType, {size});
  fill(x, a);
  Call call;
  EXPECT_EQ((call << x << out).run(kernel), Status::kOk);
  return out.elements<T>();
}

void expect_same(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
        << "element " << i << ": " << got[i] << " for " << expected[i];
  }
}

TEST(MathKernels, AddAndSubScaleTheirSecondOperand) {
  TestTensor a(ScalarType::kFloat, {70}), b(ScalarType::kFloat, {70}),
      out(ScalarType::kFloat, {70});
  for (int i = 0; i < 70; ++i) {
    a.data<float>()[i] = static_cast<float>(i);
    b.data<float>()[i] = static_cast<float>(i % 7) - 3;
  }
  for (const double alpha : {1.0, -2.5}) {
    Call sum, difference, reverse;
    ASSERT_EQ((sum << a << b << alpha << out).run(kAddKernel), Status::kOk);
    for (int i = 0; i < 70; ++i) {
      EXPECT_EQ(out.data<float>()[i],
                a.data<float>()[i] + static_cast<float>(alpha) * b.data<float>()[i]);
    }
    ASSERT_EQ((difference << a << b << alpha << out).run(kSubKernel), Status::kOk);
    EXPECT_EQ(out.data<float>()[8], 8 - static_cast<float>(alpha) * -2);
    ASSERT_EQ((reverse << a << 100 << alpha << out).run(kRsubScalarKernel), Status::kOk);
    EXPECT_EQ(out.data<float>()[8], 100 - static_cast<float>(alpha) * 8);
  }
  // In place.
  Call in_place;
  ASSERT_EQ((in_place << a << b << 1 << a).run(kAddKernel), Status::kOk);
  EXPECT_EQ(a.data<float>()[8], 6.0f);
}

TEST(MathKernels, IntegersWrapAtTheirOwnWidth) {
  EXPECT_EQ(apply<int8_t>(kMulKernel, {100, -128}, {2, -1}), (std::vector<int8_t>{-56, -128}));
  EXPECT_EQ(apply<int64_t>(kMulKernel, {INT64_MAX}, {2}), (std::vector<int64_t>{-2}));
  EXPECT_EQ(apply<int32_t>(kNegKernel, {INT32_MIN, 5}), (std::vector<int32_t>{INT32_MIN, -5}));
  EXPECT_EQ(apply<int64_t>(kAbsKernel, {INT64_MIN, -5}), (std::vector<int64_t>{INT64_MIN, 5}));
  EXPECT_EQ(apply<uint8_t>(kMulKernel, {200}, {2}), (std::vector<uint8_t>{144}));
}

TEST(MathKernels, BroadcastsTensorsOfDifferentOrders) {
  TestTensor a(ScalarType::kFloat, {2, 3, 4, 5}, nhwc()), b(ScalarType::kFloat, {3, 1, 5}),
      out(ScalarType::kFloat, {2, 3, 4, 5});
  for (size_t i = 0; i < a.numel(); ++i) a.data<float>()[i] = static_cast<float>(i);
  for (size_t i = 0; i < b.numel(); ++i) b.data<float>()[i] = static_cast<float>(i) * 1000;
  Call call;
  ASSERT_EQ((call << a << b << 1 << out).run(kAddKernel), Status::kOk);
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t c = 0; c < 3; ++c) {
      for (int64_t y = 0; y < 4; ++y) {
        for (int64_t x = 0; x < 5; ++x) {
          ASSERT_EQ((at<float>(out, {n, c, y, x})),
                    (at<float>(a, {n, c, y, x}) + at<float>(b, {c, 0, x})));
        }
      }
    }
  }
  // The same through blocks: integers narrower than int64.
  TestTensor i(ScalarType::kInt, {2, 3, 4, 5}, nhwc()), j(ScalarType::kShort, {3, 1, 5}),
      k(ScalarType::kInt, {2, 3, 4, 5});
  for (size_t e = 0; e < i.numel(); ++e) i.data<int32_t>()[e] = static_cast<int32_t>(e);
  for (size_t e = 0; e < j.numel(); ++e) j.data<int16_t>()[e] = static_cast<int16_t>(e * 1000);
  Call integers;
  ASSERT_EQ((integers << i << j << 1 << k).run(kAddKernel), Status::kOk);
  EXPECT_EQ((at<int32_t>(k, {1, 2, 3, 4})), (at<int32_t>(i, {1, 2, 3, 4}) + 14000));
  EXPECT_EQ((at<int32_t>(k, {1, 0, 3, 2})), (at<int32_t>(i, {1, 0, 3, 2}) + 2000));
}

TEST(MathKernels, RefusesShapesThatDoNotBroadcastAndOutputsThatCannotGrow) {
  TestTensor a(ScalarType::kFloat, {2, 3}), b(ScalarType::kFloat, {2}),
      out(ScalarType::kFloat, {2, 3}), small(ScalarType::kFloat, {2, 2}),
      flat(ScalarType::kFloat, {6});
  Call bad, lower, other_rank;
  EXPECT_EQ((bad << a << b << out).run(kMulKernel), Status::kBadShape);
  EXPECT_EQ((lower << a << a << small).run(kMulKernel), Status::kBadShape);
  EXPECT_EQ((other_rank << a << a << flat).run(kMulKernel), Status::kBadShape);
  // A dynamic output takes the shape, as far as its bytes go.
  TestTensor dynamic(ScalarType::kFloat, {5, 4});
  dynamic.tensor().dynamic = true;
  Call fits;
  EXPECT_EQ((fits << a << a << dynamic).run(kMulKernel), Status::kOk);
  EXPECT_EQ(dynamic.tensor().size(0), 2);
  EXPECT_EQ(dynamic.tensor().size(1), 3);
}

TEST(MathKernels, EmptyTensorsAndRankZeroAreTensorsToo) {
  TestTensor empty(ScalarType::kFloat, {0, 3}), row(ScalarType::kFloat, {3}),
      out(ScalarType::kFloat, {0, 3});
  Call call;
  EXPECT_EQ((call << empty << row << 1 << out).run(kAddKernel), Status::kOk);
  TestTensor one(ScalarType::kFloat, {}), two(ScalarType::kFloat, {1, 1}),
      sum(ScalarType::kFloat, {1, 1});
  one.data<float>()[0] = 2, two.data<float>()[0] = 40;
  Call scalars;
  ASSERT_EQ((scalars << one << two << 1 << sum).run(kAddKernel), Status::kOk);
  EXPECT_EQ(sum.data<float>()[0], 42);
}

TEST(TypePromotion, IsTorchs) {
  using S = ScalarType;
  const auto dims = [](S a, S b) {
    TestTensor x(a, {2}), y(b, {2});
    Promotion promotion;
    promotion.add(x.tensor()), promotion.add(y.tensor());
    return promotion.result();
  };
  EXPECT_EQ(dims(S::kByte, S::kChar), S::kShort);
  EXPECT_EQ(dims(S::kByte, S::kInt), S::kInt);
  EXPECT_EQ(dims(S::kLong, S::kHalf), S::kHalf);
  EXPECT_EQ(dims(S::kHalf, S::kBFloat16), S::kFloat);
  EXPECT_EQ(dims(S::kFloat, S::kDouble), S::kDouble);
  EXPECT_EQ(dims(S::kBool, S::kByte), S::kByte);
  EXPECT_EQ(dims(S::kBool, S::kBool), S::kBool);
  const auto with_scalar = [](S a, S zero, bool number) {
    TestTensor x(a, {2}), y(zero, {});
    Promotion promotion;
    promotion.add(x.tensor());
    if (number) {
      promotion.add_number(zero);
    } else {
      promotion.add(y.tensor());
    }
    return promotion.result();
  };
  EXPECT_EQ(with_scalar(S::kFloat, S::kDouble, false), S::kFloat);
  EXPECT_EQ(with_scalar(S::kInt, S::kDouble, false), S::kDouble);
  EXPECT_EQ(with_scalar(S::kInt, S::kDouble, true), S::kFloat);
  EXPECT_EQ(with_scalar(S::kByte, S::kLong, true), S::kByte);
  EXPECT_EQ(with_scalar(S::kBool, S::kLong, true), S::kLong);
  EXPECT_EQ(with_scalar(S::kHalf, S::kDouble, true), S::kHalf);
}

TEST(MathKernels, ResultsOfAHigherKindAreNotStoredInALowerOne) {
  TestTensor f(ScalarType::kFloat, {2}), i(ScalarType::kInt, {2}), b(ScalarType::kBool, {2});
  Call to_int, to_bool, true_division, half_alpha;
  EXPECT_EQ((to_int << f << i << i).run(kMulKernel), Status::kBadArguments);
  EXPECT_EQ((to_bool << i << i << b).run(kMulKernel), Status::kBadArguments);
  EXPECT_EQ((true_division << i << i << i).run(kDivKernel), Status::kBadArguments);
  EXPECT_EQ((half_alpha << i << i << 0.5 << i).run(kAddKernel), Status::kBadArguments);
  TestTensor complex(ScalarType::kComplexFloat, {2});
  Call no_arithmetic;
  EXPECT_EQ((no_arithmetic << complex << complex << complex).run(kMulKernel),
            Status::kBadArguments);
}

TEST(MathKernels, HalvesAreComputedInFloatAndRoundedOnce) {
  TestTensor a(ScalarType::kHalf, {3}), b(ScalarType::kBFloat16, {3}), out(ScalarType::kFloat, {3});
  Half* halves = reinterpret_cast<Half*>(a.tensor().data);
  BFloat16* others = reinterpret_cast<BFloat16*>(b.tensor().data);
  for (int i = 0; i < 3; ++i) {
    halves[i] = Half::from(static_cast<float>(i) + 0.5f);
    others[i] = BFloat16::from(256);
  }
  Call call;
  ASSERT_EQ((call << a << b << 1 << out).run(kAddKernel), Status::kOk);
  expect_same(out.elements<float>(), {256.5f, 257.5f, 258.5f});
}

TEST(MathKernels, DivisionRoundsAsTheModeSays) {
  TestTensor a(ScalarType::kInt, {4}), b(ScalarType::kInt, {4}), out(ScalarType::kInt, {4}),
      quotient(ScalarType::kFloat, {4});
  fill<int32_t>(a, {7, -7, 7, -7}), fill<int32_t>(b, {2, 2, -2, -2});
  Call truly, none, floor, trunc, unknown;
  ASSERT_EQ((truly << a << b << quotient).run(kDivKernel), Status::kOk);
  expect_same(quotient.elements<float>(), {3.5f, -3.5f, -3.5f, 3.5f});
  ASSERT_EQ(((none << a << b).none() << quotient).run(kDivModeKernel), Status::kOk);
  expect_same(quotient.elements<float>(), {3.5f, -3.5f, -3.5f, 3.5f});
  ASSERT_EQ((floor << a << b << "floor" << out).run(kDivModeKernel), Status::kOk);
  EXPECT_EQ(out.elements<int32_t>(), (std::vector<int32_t>{3, -4, -4, 3}));
  ASSERT_EQ((trunc << a << b << "trunc" << out).run(kDivModeKernel), Status::kOk);
  EXPECT_EQ(out.elements<int32_t>(), (std::vector<int32_t>{3, -3, -3, 3}));
  EXPECT_EQ((unknown << a << b << "ceil" << out).run(kDivModeKernel), Status::kBadArguments);
  // Dividing integers by 0 leaves the output alone.
  b.data<int32_t>()[3] = 0;
  Call by_zero, rest_of_zero;
  EXPECT_EQ((by_zero << a << b << "floor" << out).run(kDivModeKernel), Status::kBadArguments);
  EXPECT_EQ((rest_of_zero << a << b << out).run(kRemainderTensorKernel), Status::kBadArguments);
  EXPECT_EQ(out.elements<int32_t>(), (std::vector<int32_t>{3, -3, -3, 3}));
}

TEST(MathKernels, FloatsDividedByZeroAreInfiniteOrNan) {
  expect_same(apply<float>(kDivKernel, {1, -1, 0}, {0, 0, 0}), {kInf, -kInf, kNan});
  expect_same(apply<float>(kFloorDivideKernel, {1, -1, 0, 7, -7}, {0, 0, 0, 2, 2}),
              {kInf, -kInf, kNan, 3, -4});
  // 1 / 0.1f is 9.99..., though the nearest float of it is 10.
  expect_same(apply<float>(kFloorDivideKernel, {1.0f}, {0.1f}), {9.0f});
}

TEST(MathKernels, RemaindersHaveTheSignOfOneOrTheOther) {
  expect_same(apply<float>(kFmodTensorKernel, {5.5f, -5.5f, 5.5f, -5.5f}, {2, 2, -2, -2}),
              {1.5f, -1.5f, 1.5f, -1.5f});
  expect_same(apply<float>(kRemainderTensorKernel, {5.5f, -5.5f, 5.5f, -5.5f}, {2, 2, -2, -2}),
              {1.5f, 0.5f, -0.5f, -1.5f});
  EXPECT_EQ(apply<int64_t>(kFmodTensorKernel, {7, -7, INT64_MIN}, {3, 3, -1}), (Ints{1, -1, 0}));
  EXPECT_EQ(apply<int64_t>(kRemainderTensorKernel, {7, -7, 7, -7}, {3, 3, -3, -3}),
            (Ints{1, 2, -2, -1}));
}

TEST(MathKernels, PowersOfIntegersAreExact) {
  EXPECT_EQ(
      apply<int64_t>(kPowTensorTensorKernel, {3, -2, 2, 1, -1, -1, 0}, {20, 3, -1, -5, -3, -4, 0}),
      (Ints{3486784401, -8, 0, 1, -1, 1, 1}));
  expect_same(apply<float>(kPowTensorTensorKernel, {2, -8, 4, 0}, {10, 2, 0.5f, 0}),
              {1024, 64, 2, 1});
  TestTensor exponent(ScalarType::kFloat, {2}), out(ScalarType::kFloat, {2});
  fill<float>(exponent, {3, -1});
  Call call;
  ASSERT_EQ((call << 2 << exponent << out).run(kPowScalarKernel), Status::kOk);
  expect_same(out.elements<float>(), {8, 0.5f});
}

TEST(MathKernels, NanWinsInMaximumAndLosesInFmax) {
  const Floats a = {1, kNan, 3, kNan}, b = {2, 2, kNan, kNan};
  expect_same(apply<float>(kAtenMaximumKernel, a, b), {2, kNan, kNan, kNan});
  expect_same(apply<float>(kAtenMinimumKernel, a, b), {1, kNan, kNan, kNan});
  expect_same(apply<float>(kFmaxKernel, a, b), {2, 2, 3, kNan});
  expect_same(apply<float>(kFminKernel, a, b), {1, 2, 3, kNan});
}

TEST(MathKernels, ActivationsKeepNan) {
  for (const Kernel& kernel : {kReluKernel, kSiluKernel, kMishKernel, kHardsigmoidKernel,
                               kHardswishKernel, kSignKernel, kSigmoidKernel, kTanhKernel}) {
    EXPECT_TRUE(std::isnan(apply<float>(kernel, {kNan})[0])) << kernel.schema->name;
  }
  TestTensor in(ScalarType::kFloat, {1}), out(ScalarType::kFloat, {1});
  fill<float>(in, {kNan});
  Call hardtanh, elu, gelu;
  ASSERT_EQ((hardtanh << in << 0 << 6 << out).run(kHardtanhKernel), Status::kOk);
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
  ASSERT_EQ((elu << in << 1 << 1 << 1 << out).run(kEluKernel), Status::kOk);
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
  ASSERT_EQ((gelu << in << "tanh" << out).run(kGeluKernel), Status::kOk);
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
}

// Every function of one float beside its formula in double.
TEST(MathKernels, FunctionsOfOneFloat) {
  struct Case {
    Kernel kernel;
    std::function<double(double)> formula;
    double low, high;
  };
  using D = double;
  const auto six = [](D x) { return std::fmin(std::fmax(x + 3, 0), 6); };
  const std::vector<Case> cases = {
      {kAcosKernel, [](D x) { return std::acos(x); }, -1, 1},
      {kAcoshKernel, [](D x) { return std::acosh(x); }, 1, 9},
      {kAsinKernel, [](D x) { return std::asin(x); }, -1, 1},
      {kAsinhKernel, [](D x) { return std::asinh(x); }, -9, 9},
      {kAtanKernel, [](D x) { return std::atan(x); }, -9, 9},
      {kAtanhKernel, [](D x) { return std::atanh(x); }, -0.9, 0.9},
      {kCosKernel, [](D x) { return std::cos(x); }, -9, 9},
      {kCoshKernel, [](D x) { return std::cosh(x); }, -5, 5},
      {kErfKernel, [](D x) { return std::erf(x); }, -3, 3},
      {kExpKernel, [](D x) { return std::exp(x); }, -5, 5},
      {kExp2Kernel, [](D x) { return std::exp2(x); }, -5, 5},
      {kExpm1Kernel, [](D x) { return std::expm1(x); }, -2, 2},
      {kLogKernel, [](D x) { return std::log(x); }, 0.1, 9},
      {kLog10Kernel, [](D x) { return std::log10(x); }, 0.1, 9},
      {kLog1pKernel, [](D x) { return std::log1p(x); }, -0.9, 9},
      {kLog2Kernel, [](D x) { return std::log2(x); }, 0.1, 9},
      {kReciprocalKernel, [](D x) { return 1 / x; }, 0.1, 9},
      {kRsqrtKernel, [](D x) { return 1 / std::sqrt(x); }, 0.1, 9},
      {kSigmoidKernel, [](D x) { return 1 / (1 + std::exp(-x)); }, -9, 9},
      {kSinKernel, [](D x) { return std::sin(x); }, -9, 9},
      {kSinhKernel, [](D x) { return std::sinh(x); }, -5, 5},
      {kSqrtKernel, [](D x) { return std::sqrt(x); }, 0, 9},
      {kTanKernel, [](D x) { return std::tan(x); }, -1, 1},
      {kTanhKernel, [](D x) { return std::tanh(x); }, -5, 5},
      {kReluKernel, [](D x) { return std::fmax(x, 0); }, -5, 5},
      {kSiluKernel, [](D x) { return x / (1 + std::exp(-x)); }, -9, 9},
      {kMishKernel, [](D x) { return x * std::tanh(std::log1p(std::exp(x))); }, -9, 9},
      {kHardsigmoidKernel, [&](D x) { return six(x) / 6; }, -5, 5},
      {kHardswishKernel, [&](D x) { return x * six(x) / 6; }, -5, 5},
  };
  for (const Case& c : cases) {
    Floats in;
    for (int i = 0; i <= 100; ++i)
      in.push_back(static_cast<float>(c.low + (c.high - c.low) * i / 100));
    const Floats got = apply<float>(c.kernel, in);
    for (size_t i = 0; i < in.size(); ++i) {
      const double expected = c.formula(static_cast<double>(in[i]));
      ASSERT_NEAR(static_cast<double>(got[i]), expected, 1e-6 + 1e-6 * std::fabs(expected))
          << c.kernel.schema->name << "(" << in[i] << ")";
    }
  }
  // Integers answer in float, doubles in double.
  TestTensor i(ScalarType::kInt, {2}), f(ScalarType::kFloat, {2}), d(ScalarType::kDouble, {1});
  fill<int32_t>(i, {0, 1}), fill<double>(d, {2.0});
  Call integers, doubles;
  ASSERT_EQ((integers << i << f).run(kExpKernel), Status::kOk);
  EXPECT_NEAR(f.data<float>()[1], 2.7182818f, 1e-6f);
  ASSERT_EQ((doubles << d << d).run(kSqrtKernel), Status::kOk);
  EXPECT_EQ(d.data<double>()[0], std::sqrt(2.0));
}

TEST(MathKernels, ActivationsWithNumbers) {
  TestTensor in(ScalarType::kFloat, {5}), out(ScalarType::kFloat, {5});
  fill<float>(in, {-4, -1, 0, 1, 4});
  Call leaky, elu, hardtanh, softplus, threshold, gelu, tanh_gelu, logit;
  ASSERT_EQ((leaky << in << 0.25 << out).run(kLeakyReluKernel), Status::kOk);
  expect_same(out.elements<float>(), {-1, -0.25f, 0, 1, 4});
  ASSERT_EQ((elu << in << 2 << 3 << 0.5 << out).run(kEluKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[0], 6 * std::expm1(-2.0f));
  EXPECT_FLOAT_EQ(out.data<float>()[4], 12);
  ASSERT_EQ((hardtanh << in << -1 << 2.5 << out).run(kHardtanhKernel), Status::kOk);
  expect_same(out.elements<float>(), {-1, -1, 0, 1, 2.5f});
  ASSERT_EQ((softplus << in << 2 << 5 << out).run(kSoftplusKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[1], std::log1p(std::exp(-2.0f)) / 2);
  EXPECT_EQ(out.data<float>()[4], 4);
  ASSERT_EQ((threshold << in << 0 << 7 << out).run(kThresholdKernel), Status::kOk);
  expect_same(out.elements<float>(), {7, 7, 7, 1, 4});
  ASSERT_EQ((gelu << in << "none" << out).run(kGeluKernel), Status::kOk);
  EXPECT_NEAR(out.data<float>()[3], 0.8413447f, 1e-6f);
  ASSERT_EQ((tanh_gelu << in << "tanh" << out).run(kGeluKernel), Status::kOk);
  EXPECT_NEAR(out.data<float>()[3], 0.8411920f, 1e-6f);
  fill<float>(in, {-0.5f, 0, 0.5f, 0.75f, 1});
  ASSERT_EQ(((logit << in).none() << out).run(kLogitKernel), Status::kOk);
  expect_same(out.elements<float>(), {kNan, -kInf, 0, std::log(3.0f), kInf});
}

TEST(MathKernels, RoundingGoesToEvenAndKeepsIntegers) {
  expect_same(apply<float>(kRoundKernel, {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, kInf}),
              {0, 2, 2, 0, -2, kInf});
  expect_same(apply<float>(kTruncKernel, {1.7f, -1.7f}), {1, -1});
  expect_same(apply<float>(kFloorKernel, {1.7f, -1.2f}), {1, -2});
  expect_same(apply<float>(kCeilKernel, {1.2f, -1.7f}), {2, -1});
  EXPECT_EQ(apply<int64_t>(kFloorKernel, {INT64_MAX}), Ints{INT64_MAX});
  TestTensor in(ScalarType::kFloat, {2}), out(ScalarType::kFloat, {2});
  fill<float>(in, {123.456f, -0.056f});
  Call two, minus_two;
  ASSERT_EQ((two << in << 2 << out).run(kRoundDecimalsKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[0], 123.46f);
  EXPECT_FLOAT_EQ(out.data<float>()[1], -0.06f);
  ASSERT_EQ((minus_two << in << -2 << out).run(kRoundDecimalsKernel), Status::kOk);
  EXPECT_EQ(out.data<float>()[0], 100);
}

TEST(MathKernels, ClampTakesAnyBoundsThatFitItsDtype) {
  TestTensor in(ScalarType::kFloat, {4}), out(ScalarType::kFloat, {4});
  fill<float>(in, {-2, 0.5f, 3, kNan});
  Call both, low, crossed, nan;
  ASSERT_EQ((both << in << -1 << 1.5 << out).run(kClampKernel), Status::kOk);
  expect_same(out.elements<float>(), {-1, 0.5f, 1.5f, kNan});
  ASSERT_EQ(((low << in << 0).none() << out).run(kClampKernel), Status::kOk);
  expect_same(out.elements<float>(), {0, 0.5f, 3, kNan});
  ASSERT_EQ((crossed << in << 2 << 1 << out).run(kClampKernel), Status::kOk);
  expect_same(out.elements<float>(), {1, 1, 1, kNan});
  ASSERT_EQ((nan << in << static_cast<double>(kNan) << 1 << out).run(kClampKernel), Status::kOk);
  expect_same(out.elements<float>(), {kNan, kNan, kNan, kNan});
  TestTensor bytes(ScalarType::kByte, {3}), floats(ScalarType::kFloat, {3}),
      longs(ScalarType::kLong, {2});
  fill<uint8_t>(bytes, {0, 100, 255});
  Call narrow, promoted;
  ASSERT_EQ((narrow << bytes << -5 << 200 << bytes).run(kClampKernel), Status::kOk);
  EXPECT_EQ(bytes.elements<uint8_t>(), (std::vector<uint8_t>{0, 100, 200}));
  ASSERT_EQ((promoted << bytes << 0.5 << 99.5 << floats).run(kClampKernel), Status::kOk);
  expect_same(floats.elements<float>(), {0.5f, 99.5f, 99.5f});
  fill<int64_t>(longs, {INT64_MIN, INT64_MAX});
  Call exact;
  ASSERT_EQ(((exact << longs).none() << (INT64_MAX - 1) << longs).run(kClampKernel), Status::kOk);
  EXPECT_EQ(longs.elements<int64_t>(), (Ints{INT64_MIN, INT64_MAX - 1}));
}

TEST(MathKernels, ClampToTensorsBroadcasts) {
  TestTensor in(ScalarType::kFloat, {2, 2}), low(ScalarType::kFloat, {2}),
      high(ScalarType::kFloat, {2, 1}), out(ScalarType::kFloat, {2, 2});
  fill<float>(in, {-5, 5, -5, 5}), fill<float>(low, {-1, -2}), fill<float>(high, {1, 2});
  Call both, upper, neither;
  ASSERT_EQ((both << in << low << high << out).run(kClampTensorKernel), Status::kOk);
  expect_same(out.elements<float>(), {-1, 1, -1, 2});
  ASSERT_EQ(((upper << in).none() << high << out).run(kClampTensorKernel), Status::kOk);
  expect_same(out.elements<float>(), {-5, 1, -5, 2});
  EXPECT_EQ((neither << in).none().none().operator<<(out).run(kClampTensorKernel),
            Status::kBadArguments);
}

TEST(MathKernels, WhereChoosesByAMask) {
  TestTensor mask(ScalarType::kBool, {2, 1}), a(ScalarType::kFloat, {2, 2}),
      b(ScalarType::kFloat, {}), out(ScalarType::kFloat, {2, 2});
  mask.data<bool>()[1] = true;
  fill<float>(a, {1, 2, 3, kNan}), fill<float>(b, {-9});
  Call where, filled;
  ASSERT_EQ((where << mask << a << b << out).run(kWhereSelfKernel), Status::kOk);
  expect_same(out.elements<float>(), {-9, -9, 3, kNan});
  ASSERT_EQ((filled << a << mask << 0.5 << out).run(kMaskedFillScalarKernel), Status::kOk);
  expect_same(out.elements<float>(), {1, 2, 0.5f, 0.5f});
  TestTensor no_mask(ScalarType::kFloat, {2, 1});
  Call refused;
  EXPECT_EQ((refused << no_mask << a << b << out).run(kWhereSelfKernel), Status::kBadArguments);
}

TEST(MathKernels, AddsProductsAndQuotients) {
  TestTensor self(ScalarType::kFloat, {2}), a(ScalarType::kFloat, {2}), b(ScalarType::kFloat, {2}),
      out(ScalarType::kFloat, {2});
  fill<float>(self, {1, 2}), fill<float>(a, {6, 8}), fill<float>(b, {2, -4});
  Call product, quotient;
  ASSERT_EQ((product << self << a << b << 0.5 << out).run(kAddcmulKernel), Status::kOk);
  expect_same(out.elements<float>(), {7, -14});
  ASSERT_EQ((quotient << self << a << b << 2 << out).run(kAddcdivKernel), Status::kOk);
  expect_same(out.elements<float>(), {7, -2});
}

// Every float16: exact both ways, and floats between two of them go to the nearer, ties to even.
TEST(HalfFloats, RoundToTheNearest) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const float value = half;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Half::from(value))));
      continue;
    }
    ASSERT_EQ(Half::from(value).bits, bits);
    if ((bits & 0x7fff) >= 0x7bff) continue;
    const Half next{static_cast<uint16_t>(bits + 1)};
    const float middle = (value + static_cast<float>(next)) / 2;
    ASSERT_EQ(Half::from(middle).bits, (bits & 1) == 0 ? bits : bits + 1);
    ASSERT_EQ(Half::from(std::nextafter(middle, value)).bits, bits);
    ASSERT_EQ(Half::from(std::nextafter(middle, static_cast<float>(next))).bits, bits + 1);
  }
  EXPECT_EQ(Half::from(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Half::from(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half::from(-1e30f).bits, 0xfc00);
  EXPECT_EQ(Half::from(1e-30f).bits, 0);
  EXPECT_EQ(BFloat16::from(1.00390625f).bits, 0x3f80);  // a tie, to even
  EXPECT_EQ(BFloat16::from(1.01171875f).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16::from(kNan))));
}

}  // namespace
}  // namespace berth::runtime
