// Comparisons, logic, copies, casts, fills and the executor's own operators.
#include "runtime/kernels/portable/copy_kernels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contract/half_floats.h"
#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/comparison_kernels.h"
#include "runtime/kernels/portable/prim_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
using Flags = std::vector<bool>;
constexpr float kNan = NAN;

TEST(ComparisonKernels, OnlyNotEqualIsTrueOfNan) {
  TestTensor a(ScalarType::kFloat, {4}), b(ScalarType::kFloat, {4}), out(ScalarType::kBool, {4});
  a.set<float>({1, 2, 3, kNan}), b.set<float>({2, 2, 2, kNan});
  const std::pair<Kernel, Flags> cases[] = {{kEqTensorKernel, {false, true, false, false}},
                                            {kNeTensorKernel, {true, false, true, true}},
                                            {kLtTensorKernel, {true, false, false, false}},
                                            {kLeTensorKernel, {true, true, false, false}},
                                            {kGtTensorKernel, {false, false, true, false}},
                                            {kGeTensorKernel, {false, true, true, false}}};
  for (const auto& [kernel, expected] : cases) {
    Call call;
    ASSERT_EQ((call << a << b << out).run(kernel), Status::kOk);
    EXPECT_EQ(out.elements<bool>(), expected) << kernel.schema->name;
  }
}

TEST(ComparisonKernels, ANumberIsRoundedToTheTensorsType) {
  TestTensor a(ScalarType::kFloat, {2}), out(ScalarType::kBool, {2});
  a.set<float>({0.3f, 0.4f});  // 0.3f is more than 0.3
  Call call, integers;
  ASSERT_EQ((call << a << 0.3 << out).run(kGtScalarKernel), Status::kOk);
  EXPECT_EQ(out.elements<bool>(), (Flags{false, true}));
  TestTensor i(ScalarType::kLong, {2}), answer(ScalarType::kLong, {2});
  i.set<int64_t>({INT64_MAX, INT64_MAX - 1});
  ASSERT_EQ((integers << i << INT64_MAX << answer).run(kEqScalarKernel), Status::kOk);
  EXPECT_EQ(answer.elements<int64_t>(), (Ints{1, 0}));
}

TEST(ComparisonKernels, LogicAndBits) {
  TestTensor a(ScalarType::kFloat, {4}), b(ScalarType::kInt, {4}), out(ScalarType::kBool, {4});
  a.set<float>({0, 0, 2, kNan}), b.set<int32_t>({0, 5, 0, 1});
  const auto logic = [&](const Kernel& kernel) {
    Call call;
    EXPECT_EQ((call << a << b << out).run(kernel), Status::kOk);
    return out.elements<bool>();
  };
  EXPECT_EQ(logic(kLogicalAndKernel), (Flags{false, false, false, true}));
  EXPECT_EQ(logic(kLogicalOrKernel), (Flags{false, true, true, true}));
  EXPECT_EQ(logic(kLogicalXorKernel), (Flags{false, true, true, false}));
  TestTensor bytes(ScalarType::kByte, {2}), narrow(ScalarType::kChar, {3}),
      shifts(ScalarType::kChar, {3});
  bytes.set<uint8_t>({0x0f, 0xff});
  Call complement, mask, left, right, floats;
  ASSERT_EQ((complement << bytes << bytes).run(kBitwiseNotKernel), Status::kOk);
  EXPECT_EQ(bytes.elements<uint8_t>(), (std::vector<uint8_t>{0xf0, 0}));
  ASSERT_EQ((mask << bytes << 0x31 << bytes).run(kBitwiseAndScalarKernel), Status::kOk);
  EXPECT_EQ(bytes.elements<uint8_t>(), (std::vector<uint8_t>{0x30, 0}));
  narrow.set<int8_t>({-100, 3, -1}), shifts.set<int8_t>({9, 6, 1});
  TestTensor shifted(ScalarType::kChar, {3});
  ASSERT_EQ((left << narrow << shifts << shifted).run(kBitwiseLeftShiftTensorKernel), Status::kOk);
  EXPECT_EQ(shifted.elements<int8_t>(), (std::vector<int8_t>{0, -64, -2}));
  ASSERT_EQ((right << narrow << shifts << shifted).run(kBitwiseRightShiftTensorKernel),
            Status::kOk);
  EXPECT_EQ(shifted.elements<int8_t>(), (std::vector<int8_t>{-1, 0, -1}));
  EXPECT_EQ((floats << a << a << a).run(kBitwiseOrTensorKernel), Status::kBadArguments);
  // The complement of a bool is a bool.
  TestTensor flags(ScalarType::kBool, {2});
  flags.data<bool>()[0] = true;
  Call flip;
  ASSERT_EQ((flip << flags << flags).run(kBitwiseNotKernel), Status::kOk);
  EXPECT_EQ(flags.elements<bool>(), (Flags{false, true}));
}

TEST(CopyKernels, CastsRoundOnce) {
  TestTensor f(ScalarType::kFloat, {5}), i(ScalarType::kInt, {5}), b(ScalarType::kBool, {5}),
      h(ScalarType::kHalf, {5});
  f.set<float>({1.9f, -1.9f, 0, 300.5f, 1e-30f});
  const auto cast = [&](TestTensor& from, TestTensor& to) {
    Call call;
    EXPECT_EQ(((call << from << false).none() << to).run(kToDimOrderCopyKernel), Status::kOk);
  };
  cast(f, i);
  EXPECT_EQ(i.elements<int32_t>(), (std::vector<int32_t>{1, -1, 0, 300, 0}));
  cast(f, b);
  EXPECT_EQ(b.elements<bool>(), (Flags{true, true, false, true, true}));
  cast(f, h);
  EXPECT_EQ(static_cast<float>(reinterpret_cast<Half*>(h.tensor().data)[3]), 300.5f);
  cast(h, f);
  EXPECT_EQ(f.data<float>()[3], 300.5f);
  // 2^53 + 1 lies between two doubles, and must not pass through one on its way to an int64.
  TestTensor l(ScalarType::kLong, {1}), m(ScalarType::kLong, {1}), d(ScalarType::kDouble, {1});
  l.set<int64_t>({(int64_t{1} << 53) + 1});
  Call clone, same;
  ASSERT_EQ(((clone << l).none() << m).run(kCloneKernel), Status::kOk);
  EXPECT_EQ(m.data<int64_t>()[0], l.data<int64_t>()[0]);
  cast(l, d);
  EXPECT_EQ(d.data<double>()[0], 9007199254740992.0);
  // NaN and what no integer holds become some integer.
  TestTensor wild(ScalarType::kFloat, {3}), any(ScalarType::kChar, {3});
  wild.set<float>({kNan, INFINITY, -1e30f});
  cast(wild, any);
}

TEST(CopyKernels, CopiesBetweenDimOrders) {
  TestTensor plain(ScalarType::kFloat, {1, 3, 4, 5}),
      image(ScalarType::kFloat, {1, 3, 4, 5}, nhwc());
  for (size_t i = 0; i < plain.numel(); ++i) plain.data<float>()[i] = static_cast<float>(i);
  Call call, wrong;
  ASSERT_EQ((call << plain << false << Ints{0, 2, 3, 1} << image).run(kCloneDimOrderKernel),
            Status::kOk);
  EXPECT_EQ((at<float>(image, {0, 2, 1, 3})), (at<float>(plain, {0, 2, 1, 3})));
  EXPECT_EQ(image.data<float>()[1], 20);
  EXPECT_EQ((wrong << plain << false << Ints{0, 1, 2, 3} << image).run(kCloneDimOrderKernel),
            Status::kBadArguments);
}

TEST(CopyKernels, CopyBroadcastsAndConverts) {
  TestTensor self(ScalarType::kInt, {2, 3}), src(ScalarType::kFloat, {3});
  src.set<float>({1.5f, -2.5f, 3});
  Call call;
  ASSERT_EQ((call << self << src << false).run(kCopyKernel), Status::kOk);
  EXPECT_EQ(self.elements<int32_t>(), (std::vector<int32_t>{1, -2, 3, 1, -2, 3}));
  TestTensor two(ScalarType::kFloat, {2});
  Call bad;
  EXPECT_EQ((bad << self << two << false).run(kCopyKernel), Status::kBadShape);
}

TEST(CopyKernels, FillsAnyDtype) {
  TestTensor f(ScalarType::kFloat, {2, 3}), i(ScalarType::kLong, {5}), h(ScalarType::kHalf, {3});
  Call full, exact, half, wrong;
  ASSERT_EQ((full << Ints{2, 3} << 0.1 << f).run(kFullKernel), Status::kOk);
  EXPECT_EQ(f.elements<float>(), std::vector<float>(6, 0.1f));
  ASSERT_EQ(((exact << i << (INT64_MAX - 1)).none() << i).run(kFullLikeKernel), Status::kOk);
  EXPECT_EQ(i.elements<int64_t>(), Ints(5, INT64_MAX - 1));
  ASSERT_EQ((half << Ints{3} << h).run(kOnesKernel), Status::kOk);
  EXPECT_EQ(reinterpret_cast<Half*>(h.tensor().data)[2].bits, 0x3c00);
  EXPECT_EQ((wrong << Ints{3, 2} << 0 << f).run(kFullKernel), Status::kBadShape);
  TestTensor scalar(ScalarType::kFloat, {}), empty(ScalarType::kFloat, {0});
  Call number, nothing;
  ASSERT_EQ((number << -10000.0 << scalar).run(kScalarTensorKernel), Status::kOk);
  EXPECT_EQ(scalar.data<float>()[0], -10000.0f);
  EXPECT_EQ((nothing << Ints{0} << empty).run(kZerosKernel), Status::kOk);
}

TEST(CopyKernels, ArangeCountsUpAndDown) {
  TestTensor i(ScalarType::kLong, {4}), f(ScalarType::kFloat, {4});
  Call up, down, fractions, nowhere, still, too_long;
  ASSERT_EQ((up << -2 << 6 << 2 << i).run(kArangeStartKernel), Status::kOk);
  EXPECT_EQ(i.elements<int64_t>(), (Ints{-2, 0, 2, 4}));
  ASSERT_EQ((down << 7 << 0 << -2 << i).run(kArangeStartKernel), Status::kOk);
  EXPECT_EQ(i.elements<int64_t>(), (Ints{7, 5, 3, 1}));
  ASSERT_EQ((fractions << 0 << 0.31 << 0.1 << f).run(kArangeStartKernel), Status::kOk);
  EXPECT_EQ(f.elements<float>(), (std::vector<float>{0, 0.1f, 0.2f, 0.3f}));
  EXPECT_EQ((nowhere << 0 << 4 << -1 << i).run(kArangeStartKernel), Status::kBadArguments);
  EXPECT_EQ((still << 0 << 4 << 0 << i).run(kArangeStartKernel), Status::kBadArguments);
  EXPECT_EQ((too_long << 5 << i).run(kArangeKernel), Status::kBadShape);
}

TEST(PrimKernels, NumbersAsTheRuntimeOfTheFormatComputesThem) {
  const auto of_ints = [](const Kernel& kernel, int64_t a, int64_t b) {
    Call call;
    (call << a << b).cell(Tag::kInt);
    EXPECT_EQ(call.run(kernel), Status::kOk) << kernel.schema->name;
    return call.integer(2);
  };
  EXPECT_EQ(of_ints(kPrimAddScalarKernel, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(of_ints(kPrimSubScalarKernel, 3, 5), -2);
  EXPECT_EQ(of_ints(kPrimMulScalarKernel, -3, 5), -15);
  EXPECT_EQ(of_ints(kPrimFloordivScalarKernel, -7, 2), -4);
  EXPECT_EQ(of_ints(kPrimFloordivIntKernel, -7, 2), -3);
  EXPECT_EQ(of_ints(kPrimModScalarKernel, -7, 2), -1);
  EXPECT_EQ(of_ints(kPrimModIntKernel, -7, 2), -1);
  EXPECT_EQ(of_ints(kPrimFloordivIntKernel, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(of_ints(kPrimSymMaxScalarKernel, -7, 2), 2);
  EXPECT_EQ(of_ints(kPrimSymMinScalarKernel, -7, 2), -7);
  const auto compare = [](const Kernel& kernel, double a, int64_t b) {
    Call call;
    (call << a << b).cell(Tag::kBool);
    EXPECT_EQ(call.run(kernel), Status::kOk) << kernel.schema->name;
    return call.value(2).boolean;
  };
  EXPECT_TRUE(compare(kPrimEqScalarKernel, 2.0, 2));
  EXPECT_TRUE(compare(kPrimNeScalarKernel, 2.5, 2));
  EXPECT_TRUE(compare(kPrimLtScalarKernel, 1.5, 2));
  EXPECT_TRUE(compare(kPrimLeScalarKernel, 2.0, 2));
  EXPECT_FALSE(compare(kPrimGtScalarKernel, 2.0, 2));
  EXPECT_TRUE(compare(kPrimGeScalarKernel, 2.0, 2));
  Call division, rounding, negation, choice, inverse, into_double;
  (division << 7 << 2).cell(Tag::kDouble);
  ASSERT_EQ(division.run(kPrimTruedivScalarKernel), Status::kOk);
  EXPECT_EQ(division.value(2).number, 3.5);
  (rounding << 2.5).cell(Tag::kInt);
  ASSERT_EQ(rounding.run(kPrimRoundScalarKernel), Status::kOk);
  EXPECT_EQ(rounding.integer(1), 2);
  ASSERT_EQ(rounding.run(kPrimCeilScalarKernel), Status::kOk);
  EXPECT_EQ(rounding.integer(1), 3);
  (negation << -4).cell(Tag::kInt);
  ASSERT_EQ(negation.run(kPrimNegScalarKernel), Status::kOk);
  EXPECT_EQ(negation.integer(1), 4);
  (choice << true << 8 << 9).cell(Tag::kInt);
  ASSERT_EQ(choice.run(kPrimSymIteScalarKernel), Status::kOk);
  EXPECT_EQ(choice.integer(3), 8);
  (inverse << true).cell(Tag::kBool);
  ASSERT_EQ(inverse.run(kPrimSymNotScalarKernel), Status::kOk);
  EXPECT_FALSE(inverse.value(1).boolean);
  (into_double << 3).cell(Tag::kDouble);
  ASSERT_EQ(into_double.run(kPrimSymFloatScalarKernel), Status::kOk);
  EXPECT_EQ(into_double.value(1).number, 3.0);
}

TEST(PrimKernels, ACellKeepsItsKind) {
  Call double_into_int, bool_into_int, by_zero, too_large;
  (double_into_int << 0.5 << 1).cell(Tag::kInt);
  EXPECT_EQ(double_into_int.run(kPrimAddScalarKernel), Status::kBadArguments);
  (bool_into_int << 1 << 1).cell(Tag::kInt);
  EXPECT_EQ(bool_into_int.run(kPrimEqScalarKernel), Status::kBadArguments);
  (by_zero << 1 << 0).cell(Tag::kInt);
  EXPECT_EQ(by_zero.run(kPrimFloordivScalarKernel), Status::kBadArguments);
  EXPECT_EQ(by_zero.run(kPrimModIntKernel), Status::kBadArguments);
  (too_large << 1e30).cell(Tag::kInt);
  EXPECT_EQ(too_large.run(kPrimSymIntScalarKernel), Status::kBadArguments);
}

TEST(PrimKernels, SizesAndElementsOfTensors) {
  TestTensor tensor(ScalarType::kFloat, {3, 4}), flag(ScalarType::kBool, {});
  tensor.data<float>()[0] = 2.5f, flag.data<bool>()[0] = true;
  Call size, bad, count, first, truth;
  (size << tensor << -1).cell(Tag::kInt);
  ASSERT_EQ(size.run(kSymSizeIntKernel), Status::kOk);
  EXPECT_EQ(size.integer(2), 4);
  (bad << tensor << 2).cell(Tag::kInt);
  EXPECT_EQ(bad.run(kSymSizeIntKernel), Status::kBadArguments);
  (count << tensor).cell(Tag::kInt);
  ASSERT_EQ(count.run(kSymNumelKernel), Status::kOk);
  EXPECT_EQ(count.integer(1), 12);
  (first << tensor).cell(Tag::kDouble);
  ASSERT_EQ(first.run(kLocalScalarDenseKernel), Status::kOk);
  EXPECT_EQ(first.value(1).number, 2.5);
  (truth << flag).cell(Tag::kBool);
  ASSERT_EQ(truth.run(kLocalScalarDenseKernel), Status::kOk);
  EXPECT_TRUE(truth.value(1).boolean);
}

TEST(PrimKernels, CopyIndexGrowsItsTarget) {
  TestTensor dst(ScalarType::kFloat, {3, 2}), src(ScalarType::kFloat, {2});
  dst.tensor().dynamic = true;
  for (int64_t i = 0; i < 3; ++i) {
    src.set<float>({static_cast<float>(i), static_cast<float>(i) + 0.5f});
    Call call;
    ASSERT_EQ((call << dst << src << i).run(kEtCopyIndexKernel), Status::kOk);
    EXPECT_EQ(dst.tensor().size(0), i + 1);
  }
  EXPECT_EQ(dst.elements<float>(), (std::vector<float>{0, 0.5f, 1, 1.5f, 2, 2.5f}));
  Call beyond, negative;
  EXPECT_EQ((beyond << dst << src << 3).run(kEtCopyIndexKernel), Status::kBadShape);
  EXPECT_EQ((negative << dst << src << -1).run(kEtCopyIndexKernel), Status::kBadShape);
}

}  // namespace
}  // namespace berth::runtime
