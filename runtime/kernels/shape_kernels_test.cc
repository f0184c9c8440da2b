// Operators that move elements: resize, pad, transpose, cat, copy, views.
#include <gtest/gtest.h>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/kernel_test_util.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;

TEST(ShapeKernels, ResizingByTwoCopiesOrInterpolates) {
  TestTensor in(ScalarType::kChar, {1, 1, 2, 2}), out(ScalarType::kChar, {1, 1, 4, 4});
  in.set<int8_t>({0, 100, -100, 40});
  Call nearest, bilinear, aligned;
  nearest << in << false << false << out;
  ASSERT_EQ(nearest.run(kBerthResizeNearestKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{0, 0, 100, 100, 0, 0, 100, 100, -100, -100,
                                                         40, 40, -100, -100, 40, 40}));
  bilinear << in << false << false << out;
  ASSERT_EQ(bilinear.run(kBerthResizeBilinearKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{0, 50, 100, 100, -50, 10, 70, 70, -100,
                                                         -30, 40, 40, -100, -30, 40, 40}));
  aligned << in << true << false << out;
  ASSERT_EQ(aligned.run(kBerthResizeBilinearKernel), Status::kOk);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 0, 0}), 0);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 0, 3}), 100);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 3, 0}), -100);
  EXPECT_EQ(at<int8_t>(out, {0, 0, 3, 3}), 40);
}

TEST(ShapeKernels, ResizingStaysInsideTheImage) {
  // Under ASan: sizes whose rounded scale would run past the edge.
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    const int32_t h = static_cast<int32_t>(random.between(1, 3)),
                  w = static_cast<int32_t>(random.between(1, 3));
    const int32_t out_h = static_cast<int32_t>(random.between(1, 3000)),
                  out_w = static_cast<int32_t>(random.between(1, 4));
    TestTensor in(ScalarType::kChar, {1, 1, h, w}), out(ScalarType::kChar, {1, 1, out_h, out_w});
    random.fill<int8_t>(in, 5, 9);
    const bool align = round % 3 == 1, half = round % 3 == 2;
    for (const Kernel* kernel : {&kBerthResizeNearestKernel, &kBerthResizeBilinearKernel}) {
      Call call;
      call << in << align << half << out;
      ASSERT_EQ(call.run(*kernel), Status::kOk);
      for (int8_t value : out.elements<int8_t>())
        ASSERT_TRUE(value >= 5 && value <= 9) << int{value};
    }
  }
}

TEST(ShapeKernels, PaddingListsFollowMemoryOrder) {
  Random random(7);
  TestTensor in(ScalarType::kChar, {1, 3, 2, 2}, nhwc()),
      out(ScalarType::kChar, {1, 3, 4, 5}, nhwc());
  random.fill<int8_t>(in);
  Call call;
  call << in << Ints{0, 1, 2, 0} << Ints{0, 1, 1, 0} << -7 << out;
  for (const Kernel* kernel : {&kPadKernel, &kBerthPadKernel}) {
    out.set<int8_t>(std::vector<int8_t>(out.numel(), 99));
    ASSERT_EQ(call.run(*kernel), Status::kOk);
    for (int64_t c = 0; c < 3; ++c) {
      for (int64_t y = 0; y < 4; ++y) {
        for (int64_t x = 0; x < 5; ++x) {
          const bool inside = y >= 1 && y < 3 && x >= 2 && x < 4;
          EXPECT_EQ(at<int8_t>(out, {0, c, y, x}),
                    inside ? at<int8_t>(in, {0, c, y - 1, x - 2}) : -7);
        }
      }
    }
  }
  TestTensor row(ScalarType::kShort, {3}), longer(ScalarType::kShort, {6});
  row.set<int16_t>({1, 2, 3});
  Call one_dim;
  one_dim << row << Ints{0, 0, 0, 1} << Ints{0, 0, 0, 2} << 300 << longer;
  ASSERT_EQ(one_dim.run(kBerthPadKernel), Status::kOk);
  EXPECT_EQ(longer.elements<int16_t>(), (std::vector<int16_t>{300, 1, 2, 3, 300, 300}));
  for (size_t entry = 0; entry < 4; ++entry) {
    for (int64_t bad : {int64_t{-1}, INT64_MAX, int64_t{5}}) {
      Call hostile;
      hostile << row << Ints{0, 0, 0, 1} << Ints{0, 0, 0, 2} << 0 << longer;
      hostile.replace_entry(1, entry, bad);
      EXPECT_NE(hostile.run(kBerthPadKernel), Status::kOk);
    }
  }
  one_dim.replace(3, 40000);
  EXPECT_EQ(one_dim.run(kBerthPadKernel), Status::kBadArguments);
}

TEST(ShapeKernels, TransposeFollowsThePermutationInAnyOrderAndWidth) {
  Random random(8);
  for (int round = 0; round < 50; ++round) {
    Ints permutation = {0, 1, 2, 3};
    for (int i = 3; i > 0; --i) std::swap(permutation[i], permutation[random.between(0, i)]);
    std::vector<int32_t> sizes, out_sizes(4);
    for (int d = 0; d < 4; ++d) sizes.push_back(static_cast<int32_t>(random.between(1, 5)));
    for (int d = 0; d < 4; ++d) out_sizes[d] = sizes[permutation[d]];
    TestTensor in(ScalarType::kShort, sizes, round % 2 == 0 ? nhwc() : std::vector<uint8_t>());
    TestTensor out(ScalarType::kShort, out_sizes, round % 3 == 0 ? nhwc() : std::vector<uint8_t>());
    random.fill<int16_t>(in);
    Call call;
    call << in << permutation << out;
    ASSERT_EQ(call.run(kBerthTransposeKernel), Status::kOk);
    std::vector<int64_t> i(4), o(4);
    for (i[0] = 0; i[0] < sizes[0]; ++i[0]) {
      for (i[1] = 0; i[1] < sizes[1]; ++i[1]) {
        for (i[2] = 0; i[2] < sizes[2]; ++i[2]) {
          for (i[3] = 0; i[3] < sizes[3]; ++i[3]) {
            for (int d = 0; d < 4; ++d) o[d] = i[permutation[d]];
            ASSERT_EQ(at<int16_t>(out, o), at<int16_t>(in, i));
          }
        }
      }
    }
  }
  TestTensor in(ScalarType::kChar, {2, 2}), out(ScalarType::kChar, {2, 2});
  for (const Kernel* kernel : {&kTransposeKernel, &kBerthTransposeKernel}) {
    for (const Ints& bad : {Ints{0, 0}, Ints{0, 2}, Ints{-3, 0}, Ints{INT64_MIN, 0}}) {
      Call call;
      call << in << bad << out;
      EXPECT_EQ(call.run(*kernel), Status::kBadArguments);
    }
    Call short_list;
    short_list << in << Ints{0} << out;
    EXPECT_EQ(short_list.run(*kernel), Status::kBadShape);
  }
}

// The vendor's names stand for int8 and four dims; the same call under our name runs.
TEST(ShapeKernels, WhatTheVendorRefusesRunsUnderOurNamesOnly) {
  struct Form {
    ScalarType dtype;
    std::vector<int32_t> sizes;
  };
  for (const Form& form : {Form{ScalarType::kShort, {2, 3}}, Form{ScalarType::kInt, {2, 3}},
                           Form{ScalarType::kChar, {1, 1, 1, 2, 3}}}) {
    const size_t rank = form.sizes.size();
    std::vector<int32_t> turned = form.sizes, padded = form.sizes;
    std::swap(turned[rank - 2], turned[rank - 1]);
    padded[rank - 1] += 1;
    Ints permutation(rank), before(rank < 4 ? 4 : rank, 0), after = before;
    for (size_t d = 0; d < rank; ++d) permutation[d] = static_cast<int64_t>(d);
    std::swap(permutation[rank - 2], permutation[rank - 1]);
    after.back() = 1;
    TestTensor in(form.dtype, form.sizes), same(form.dtype, form.sizes);
    TestTensor turned_out(form.dtype, turned), padded_out(form.dtype, padded);
    Call transpose, pad, extreme;
    transpose << in << permutation << turned_out;
    pad << in << before << after << 7 << padded_out;
    extreme << in << in << same;
    EXPECT_EQ(transpose.run(kTransposeKernel), Status::kBadArguments);
    EXPECT_EQ(transpose.run(kBerthTransposeKernel), Status::kOk);
    EXPECT_EQ(pad.run(kPadKernel), Status::kBadArguments);
    EXPECT_EQ(pad.run(kBerthPadKernel), Status::kOk);
    EXPECT_EQ(extreme.run(kMinimumKernel), Status::kBadArguments);
    EXPECT_EQ(extreme.run(kBerthMinimumKernel), Status::kOk);
    EXPECT_EQ(extreme.run(kMaximumKernel), Status::kBadArguments);
    EXPECT_EQ(extreme.run(kBerthMaximumKernel), Status::kOk);
  }
  TestTensor row(ScalarType::kChar, {3}), longer(ScalarType::kChar, {4});
  Call short_lists;
  short_lists << row << Ints{0} << Ints{1} << 7 << longer;
  EXPECT_EQ(short_lists.run(kPadKernel), Status::kBadArguments);
  EXPECT_EQ(short_lists.run(kBerthPadKernel), Status::kOk);
}

TEST(ShapeKernels, PaddingAndTransposeOfFiveDimsMoveTheRightElements) {
  TestTensor in(ScalarType::kChar, {2, 1, 1, 1, 3}), out(ScalarType::kChar, {3, 1, 1, 1, 2});
  in.set<int8_t>({1, 2, 3, 4, 5, 6});
  Call transpose;
  transpose << in << Ints{4, 1, 2, 3, 0} << out;
  ASSERT_EQ(transpose.run(kBerthTransposeKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{1, 4, 2, 5, 3, 6}));
  TestTensor padded(ScalarType::kChar, {2, 1, 2, 1, 3});
  Call pad;
  pad << in << Ints{0, 0, 1, 0, 0} << Ints{0, 0, 0, 0, 0} << 9 << padded;
  ASSERT_EQ(pad.run(kBerthPadKernel), Status::kOk);
  EXPECT_EQ(padded.elements<int8_t>(), (std::vector<int8_t>{9, 9, 9, 1, 2, 3, 9, 9, 9, 4, 5, 6}));
}

TEST(ShapeKernels, CatPutsOneAfterTheOther) {
  Random random(9);
  for (int dim = -4; dim < 4; ++dim) {
    const int along = dim < 0 ? dim + 4 : dim;
    std::vector<int32_t> sizes[3] = {{2, 3, 4, 5}, {2, 3, 4, 5}, {2, 3, 4, 5}};
    sizes[0][along] = 1, sizes[1][along] = 7;
    std::vector<int32_t> total = sizes[2];
    total[along] += 8;
    TestTensor a(ScalarType::kInt, sizes[0], nhwc()), b(ScalarType::kInt, sizes[1], nhwc()),
        c(ScalarType::kInt, sizes[2]);
    TestTensor nothing(ScalarType::kInt, {0}), out(ScalarType::kInt, total, nhwc());
    TestTensor* parts[] = {&a, &b, &c};
    for (TestTensor* part : parts) random.fill<int32_t>(*part);
    Call call;
    call << std::vector<TestTensor*>{&a, &nothing, &b, &c} << dim << out;
    ASSERT_EQ(call.run(kCatKernel), Status::kOk);
    int64_t start = 0;
    for (int p = 0; p < 3; ++p) {
      std::vector<int64_t> i(4);
      for (i[0] = 0; i[0] < sizes[p][0]; ++i[0]) {
        for (i[1] = 0; i[1] < sizes[p][1]; ++i[1]) {
          for (i[2] = 0; i[2] < sizes[p][2]; ++i[2]) {
            for (i[3] = 0; i[3] < sizes[p][3]; ++i[3]) {
              std::vector<int64_t> o = i;
              o[along] += start;
              ASSERT_EQ(at<int32_t>(out, o), at<int32_t>(*parts[p], i));
            }
          }
        }
      }
      start += sizes[p][along];
    }
  }
}

TEST(ShapeKernels, CatLeavesAloneWhatLiesInPlaceAndRefusesMisfits) {
  TestTensor a(ScalarType::kChar, {2, 2}), b(ScalarType::kChar, {1, 2}),
      out(ScalarType::kChar, {3, 2});
  out.set<int8_t>({1, 2, 3, 4, 9, 9});
  b.set<int8_t>({5, 6});
  a.share(out);
  Call call;
  call << std::vector<TestTensor*>{&a, &b} << 0 << out;
  ASSERT_EQ(call.run(kCatKernel), Status::kOk);
  EXPECT_EQ(out.elements<int8_t>(), (std::vector<int8_t>{1, 2, 3, 4, 5, 6}));
  TestTensor wide(ScalarType::kChar, {1, 3}), other(ScalarType::kFloat, {1, 2}),
      tall(ScalarType::kChar, {2, 2});
  const auto run = [&](std::vector<TestTensor*> list, int dim) {
    Call bad;
    bad << list << dim << out;
    return bad.run(kCatKernel);
  };
  EXPECT_EQ(run({&a, &wide}, 0), Status::kBadShape);
  EXPECT_EQ(run({&a, &tall}, 0), Status::kBadShape);
  EXPECT_EQ(run({&a}, 0), Status::kBadShape);
  EXPECT_EQ(run({}, 0), Status::kBadShape);
  EXPECT_EQ(run({&a, &other}, 0), Status::kBadArguments);
  EXPECT_EQ(run({&a, &b}, 2), Status::kBadArguments);
}

TEST(ShapeKernels, CopyBroadcastsIntoSelf) {
  TestTensor self(ScalarType::kFloat, {2, 3}), src(ScalarType::kFloat, {3});
  src.set<float>({1, 2, 3});
  Call call;
  call << self << src << false;
  // Its schema is MTb: the returned value is self, not the last argument.
  ASSERT_EQ(call.run(kCopyKernel), Status::kOk);
  EXPECT_EQ(self.elements<float>(), (std::vector<float>{1, 2, 3, 1, 2, 3}));
  TestTensor four(ScalarType::kFloat, {4}), complex(ScalarType::kComplexFloat, {3});
  Call misfit, other;
  misfit << self << four << false;
  other << self << complex << false;
  EXPECT_EQ(misfit.run(kCopyKernel), Status::kBadShape);
  EXPECT_EQ(other.run(kCopyKernel), Status::kBadArguments);
}

TEST(ShapeKernels, AViewTakesTheBytesOfItsBase) {
  TestTensor self(ScalarType::kChar, {2, 6}), out(ScalarType::kChar, {3, 4});
  const auto run = [&](TestTensor& base, Ints sizes) {
    Call call;
    call << base << sizes << out;
    return call.run(kEtViewKernel);
  };
  EXPECT_EQ(run(self, {3, 5}), Status::kBadShape);
  EXPECT_EQ(run(self, {4, 3}), Status::kBadShape);
  EXPECT_EQ(run(self, {5, -1}), Status::kBadShape);
  EXPECT_EQ(run(self, {0, -1}), Status::kBadShape);
  EXPECT_EQ(run(self, {3}), Status::kBadShape);
  EXPECT_EQ(run(self, {-1, -1}), Status::kBadArguments);
  EXPECT_EQ(run(self, {-2, 4}), Status::kBadArguments);
  EXPECT_EQ(run(self, {INT64_MAX, 4}), Status::kBadArguments);
  EXPECT_EQ(run(self, {INT32_MAX, INT32_MAX}), Status::kBadShape);
  TestTensor small(ScalarType::kChar, {2, 5}), wide(ScalarType::kShort, {2, 6});
  EXPECT_EQ(run(small, {3, 4}), Status::kBadShape);
  EXPECT_EQ(run(wide, {3, 4}), Status::kBadArguments);
  EXPECT_NE(out.tensor().data, self.tensor().data);
  EXPECT_EQ(run(self, {-1, 4}), Status::kOk);
  EXPECT_EQ(out.tensor().data, self.tensor().data);
  // A view whose shape may change takes the list's.
  out.tensor().dynamic = true;
  EXPECT_EQ(run(self, {6, 2}), Status::kOk);
  EXPECT_EQ(out.tensor().size(0), 6);
  EXPECT_EQ(out.tensor().size(1), 2);
}

TEST(ShapeKernels, EveryOperatorHasOneKernel) {
  size_t found = 0;
  for (const OperatorSchema* schema : ops::kAll) {
    size_t count = 0;
    for (Span<const Kernel> table : {cortex_m_kernels(), berth_kernels(), portable_kernels()}) {
      for (const Kernel& kernel : table) count += kernel.schema == schema ? 1 : 0;
    }
    EXPECT_EQ(count, 1u) << schema->name << "." << schema->overload;
    found += count;
  }
  EXPECT_EQ(found, cortex_m_kernels().size() + berth_kernels().size() + portable_kernels().size());
}

}  // namespace
}  // namespace berth::runtime
