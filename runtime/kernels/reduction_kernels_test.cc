// Reductions beside plain loops, over every set of dims, in several orders and dtypes.
#include "runtime/kernels/portable/reduction_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;
constexpr float kNan = NAN, kInf = INFINITY;

// What the elements of each output are, in the order of the input's dims.
template <typename T>
std::vector<std::vector<T>> groups_of(TestTensor& in, uint32_t dims) {
  const Tensor& tensor = in.tensor();
  std::vector<std::vector<T>> groups;
  std::vector<int64_t> index(tensor.rank, 0);
  size_t outputs = 1;
  for (int d = 0; d < tensor.rank; ++d) {
    if ((dims >> d & 1) == 0) outputs *= static_cast<size_t>(tensor.sizes[d]);
  }
  groups.resize(outputs);
  for (size_t i = 0; i < tensor.numel(); ++i) {
    size_t rest = i, group = 0;
    for (int d = tensor.rank - 1; d >= 0; --d) {
      index[static_cast<size_t>(d)] =
          static_cast<int64_t>(rest % static_cast<size_t>(tensor.sizes[d]));
      rest /= static_cast<size_t>(tensor.sizes[d]);
    }
    for (int d = 0; d < tensor.rank; ++d) {
      if ((dims >> d & 1) != 0) continue;
      group = group * static_cast<size_t>(tensor.sizes[d]) +
              static_cast<size_t>(index[static_cast<size_t>(d)]);
    }
    groups[group].push_back(at<T>(in, index));
  }
  return groups;
}

std::vector<int32_t> reduced_sizes(const Tensor& in, uint32_t dims, bool keepdim) {
  std::vector<int32_t> sizes;
  for (int d = 0; d < in.rank; ++d) {
    if ((dims >> d & 1) == 0) {
      sizes.push_back(in.sizes[d]);
    } else if (keepdim) {
      sizes.push_back(1);
    }
  }
  return sizes;
}

Ints dim_list(uint32_t dims, int rank) {
  Ints list;
  for (int d = rank - 1; d >= 0; --d) {
    if ((dims >> d & 1) != 0) list.push_back(d % 2 == 0 ? d : d - rank);
  }
  return list;
}

TEST(ReductionKernels, SumMeanAndExtremesOfEverySetOfDims) {
  Random random(7);
  const std::vector<uint8_t> orders[] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {3, 1, 2, 0}};
  for (const std::vector<uint8_t>& order : orders) {
    TestTensor in(ScalarType::kFloat, {2, 9, 5, 11}, order);
    for (size_t i = 0; i < in.numel(); ++i) {
      in.data<float>()[i] = static_cast<float>(random.between(-1000, 1000)) / 64;
    }
    for (uint32_t dims = 1; dims < 16; ++dims) {
      const bool keepdim = dims % 2 == 0;
      const std::vector<std::vector<float>> groups = groups_of<float>(in, dims);
      TestTensor out(ScalarType::kFloat, reduced_sizes(in.tensor(), dims, keepdim));
      const Ints list = dim_list(dims, 4);
      Call sum, mean, amax, amin, norm;
      ASSERT_EQ(((sum << in << list << keepdim).none() << out).run(kSumIntListKernel), Status::kOk);
      for (size_t g = 0; g < groups.size(); ++g) {
        double total = 0;
        for (float x : groups[g]) total += static_cast<double>(x);
        ASSERT_NEAR(static_cast<double>(out.data<float>()[g]), total, 1e-2) << dims;
      }
      ASSERT_EQ(((mean << in << list << keepdim).none() << out).run(kMeanKernel), Status::kOk);
      for (size_t g = 0; g < groups.size(); ++g) {
        double total = 0;
        for (float x : groups[g]) total += static_cast<double>(x);
        ASSERT_NEAR(static_cast<double>(out.data<float>()[g]),
                    total / static_cast<double>(groups[g].size()), 1e-4);
      }
      ASSERT_EQ((amax << in << list << keepdim << out).run(kAmaxKernel), Status::kOk);
      for (size_t g = 0; g < groups.size(); ++g) {
        ASSERT_EQ(out.data<float>()[g], *std::max_element(groups[g].begin(), groups[g].end()));
      }
      ASSERT_EQ((amin << in << list << keepdim << out).run(kAminKernel), Status::kOk);
      for (size_t g = 0; g < groups.size(); ++g) {
        ASSERT_EQ(out.data<float>()[g], *std::min_element(groups[g].begin(), groups[g].end()));
      }
      ASSERT_EQ((norm << in << 2 << list << keepdim << out).run(kNormKernel), Status::kOk);
      for (size_t g = 0; g < groups.size(); ++g) {
        double total = 0;
        for (float x : groups[g]) total += static_cast<double>(x) * static_cast<double>(x);
        ASSERT_NEAR(static_cast<double>(out.data<float>()[g]), std::sqrt(total), 1e-2);
      }
    }
  }
}

TEST(ReductionKernels, IntegersAreSummedExactly) {
  TestTensor in(ScalarType::kInt, {3, 100}), out(ScalarType::kLong, {3}),
      narrow(ScalarType::kChar, {});
  for (size_t i = 0; i < in.numel(); ++i) in.data<int32_t>()[i] = INT32_MAX;
  Call sum;
  ASSERT_EQ(((sum << in << Ints{-1} << false).none() << out).run(kSumIntListKernel), Status::kOk);
  EXPECT_EQ(out.elements<int64_t>(), Ints(3, int64_t{INT32_MAX} * 100));
  TestTensor flags(ScalarType::kBool, {9}), count(ScalarType::kLong, {});
  for (int i = 0; i < 4; ++i) flags.data<bool>()[i * 2] = true;
  Call truths, product, wrong_dtype;
  ASSERT_EQ(((truths << flags).none() << count).run(kSumKernel), Status::kOk);
  EXPECT_EQ(count.data<int64_t>()[0], 4);
  TestTensor few(ScalarType::kChar, {4});
  few.set<int8_t>({2, 3, -5, 100});
  ASSERT_EQ(((product << few << 0 << false).none() << count).run(kProdIntKernel), Status::kOk);
  EXPECT_EQ(count.data<int64_t>()[0], -3000);
  EXPECT_EQ((wrong_dtype << few << 0 << false << 6 << count).run(kProdIntKernel),
            Status::kBadArguments);
}

TEST(ReductionKernels, OfNothingThereIsASumButNoExtreme) {
  TestTensor in(ScalarType::kFloat, {0, 4}), all(ScalarType::kFloat, {}),
      row(ScalarType::kFloat, {4}), empty(ScalarType::kFloat, {0});
  Call sum, mean, amax, column, argmax;
  ASSERT_EQ(((sum << in << Ints{} << false).none() << all).run(kSumIntListKernel), Status::kOk);
  EXPECT_EQ(all.data<float>()[0], 0);
  ASSERT_EQ(((mean << in << Ints{0} << false).none() << row).run(kMeanKernel), Status::kOk);
  EXPECT_TRUE(std::isnan(row.data<float>()[3]));
  EXPECT_EQ((amax << in << Ints{0} << false << row).run(kAmaxKernel), Status::kBadShape);
  EXPECT_EQ((column << in << Ints{1} << false << empty).run(kAmaxKernel), Status::kOk);
  TestTensor place(ScalarType::kLong, {4});
  EXPECT_EQ((argmax << in << 0 << false << place).run(kArgmaxKernel), Status::kBadShape);
}

TEST(ReductionKernels, RefusesDimsThatAreNotThereOrNamedTwice) {
  TestTensor in(ScalarType::kFloat, {2, 3}), out(ScalarType::kFloat, {2});
  for (const Ints& dims : {Ints{2}, Ints{-3}, Ints{1, -1}, Ints{INT64_MIN}}) {
    Call call;
    EXPECT_EQ(((call << in << dims << false).none() << out).run(kSumIntListKernel),
              Status::kBadArguments);
  }
  Call other_shape;
  EXPECT_EQ(((other_shape << in << Ints{0} << false).none() << out).run(kSumIntListKernel),
            Status::kBadShape);
  // A tensor of rank 0 has dims 0 and -1.
  TestTensor scalar(ScalarType::kFloat, {}), same(ScalarType::kFloat, {});
  scalar.data<float>()[0] = 3;
  Call call;
  ASSERT_EQ((call << scalar << Ints{-1} << true << same).run(kAmaxKernel), Status::kOk);
  EXPECT_EQ(same.data<float>()[0], 3);
}

TEST(ReductionKernels, ThePlaceOfAnExtremeIsTheFirst) {
  TestTensor in(ScalarType::kFloat, {2, 4}), values(ScalarType::kFloat, {2}),
      places(ScalarType::kLong, {2}), flat(ScalarType::kLong, {});
  in.set<float>({1, 7, 7, 0, 5, kNan, 9, kNan});
  Call max, min, flat_max, wrong;
  ASSERT_EQ((max << in << 1 << false << values << places).run(kMaxDimKernel), Status::kOk);
  EXPECT_EQ(values.data<float>()[0], 7);
  EXPECT_TRUE(std::isnan(values.data<float>()[1]));
  EXPECT_EQ(places.elements<int64_t>(), (Ints{1, 1}));
  ASSERT_EQ((min << in << -1 << false << values << places).run(kMinDimKernel), Status::kOk);
  EXPECT_EQ(places.elements<int64_t>(), (Ints{3, 1}));
  ASSERT_EQ(((flat_max << in).none() << false << flat).run(kArgmaxKernel), Status::kOk);
  EXPECT_EQ(flat.data<int64_t>()[0], 5);
  TestTensor ints(ScalarType::kInt, {2});
  EXPECT_EQ((wrong << in << 1 << false << ints).run(kArgmaxKernel), Status::kBadArguments);
  // Places count the input's dims, not its memory.
  TestTensor image(ScalarType::kInt, {1, 2, 2, 2}, nhwc());
  for (size_t i = 0; i < 8; ++i) image.data<int32_t>()[i] = static_cast<int32_t>(i);
  Call of_image;
  ASSERT_EQ(((of_image << image).none() << false << flat).run(kArgminKernel), Status::kOk);
  EXPECT_EQ(flat.data<int64_t>()[0], 0);
  image.data<int32_t>()[1] = -1;  // channel 1 at (0, 0)
  ASSERT_EQ(of_image.run(kArgminKernel), Status::kOk);
  EXPECT_EQ(flat.data<int64_t>()[0], 4);
}

TEST(ReductionKernels, NanIsAnExtreme) {
  TestTensor in(ScalarType::kFloat, {20}), out(ScalarType::kFloat, {}),
      other(ScalarType::kFloat, {});
  for (const size_t at : {size_t{0}, size_t{7}, size_t{17}, size_t{19}}) {
    for (size_t i = 0; i < 20; ++i) in.data<float>()[i] = i == at ? kNan : static_cast<float>(i);
    Call max, min, both;
    ASSERT_EQ((max << in << out).run(kMaxUnaryKernel), Status::kOk);
    EXPECT_TRUE(std::isnan(out.data<float>()[0]));
    ASSERT_EQ((min << in << out).run(kMinUnaryKernel), Status::kOk);
    EXPECT_TRUE(std::isnan(out.data<float>()[0]));
    ASSERT_EQ(((both << in).none() << false << out << other).run(kAminmaxKernel), Status::kOk);
    EXPECT_TRUE(std::isnan(out.data<float>()[0]) && std::isnan(other.data<float>()[0]));
  }
  in.data<float>()[19] = -3;
  Call both;
  ASSERT_EQ((both << in << 0 << false << out << other).run(kAminmaxKernel), Status::kOk);
  EXPECT_EQ(out.data<float>()[0], -3);
  EXPECT_EQ(other.data<float>()[0], 18);
}

TEST(ReductionKernels, AnyAndAll) {
  TestTensor in(ScalarType::kFloat, {2, 3}), out(ScalarType::kBool, {2}),
      whole(ScalarType::kBool, {});
  in.set<float>({0, 0, 0, 0, kNan, 1});
  Call any, all, any_whole, all_dims;
  ASSERT_EQ((any << in << 1 << false << out).run(kAnyKernel), Status::kOk);
  EXPECT_EQ(out.elements<bool>(), (std::vector<bool>{false, true}));
  ASSERT_EQ((all << in << -1 << false << out).run(kAllKernel), Status::kOk);
  EXPECT_EQ(out.elements<bool>(), (std::vector<bool>{false, false}));
  ASSERT_EQ((any_whole << in << whole).run(kAnyAllKernel), Status::kOk);
  EXPECT_TRUE(whole.data<bool>()[0]);
  ASSERT_EQ(((all_dims << in).none() << false << whole).run(kAllDimsKernel), Status::kOk);
  EXPECT_FALSE(whole.data<bool>()[0]);
}

TEST(ReductionKernels, VarianceIsCorrected) {
  TestTensor in(ScalarType::kFloat, {2, 4}), out(ScalarType::kFloat, {2}),
      means(ScalarType::kFloat, {2});
  in.set<float>({1, 2, 3, 4, 10000, 10001, 10002, 10005});
  const auto variance = [](std::vector<double> x, double correction) {
    double mean = 0, squares = 0;
    for (double v : x) mean += v / static_cast<double>(x.size());
    for (double v : x) squares += (v - mean) * (v - mean);
    return static_cast<float>(squares / (static_cast<double>(x.size()) - correction));
  };
  Call var, biased, root, with_mean, one;
  ASSERT_EQ(((var << in << Ints{1}).none() << false << out).run(kVarCorrectionKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[0], variance({1, 2, 3, 4}, 1));
  EXPECT_FLOAT_EQ(out.data<float>()[1], variance({0, 1, 2, 5}, 1));
  ASSERT_EQ((biased << in << Ints{-1} << false << false << out).run(kVarKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[1], variance({0, 1, 2, 5}, 0));
  ASSERT_EQ((root << in << Ints{1} << 0.5 << false << out).run(kStdCorrectionKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[0], std::sqrt(variance({1, 2, 3, 4}, 0.5)));
  ASSERT_EQ(
      (with_mean << in << Ints{1} << 1 << false << out << means).run(kVarMeanCorrectionKernel),
      Status::kOk);
  EXPECT_EQ(means.elements<float>(), (std::vector<float>{2.5f, 10002}));
  TestTensor single(ScalarType::kFloat, {1}), nothing(ScalarType::kFloat, {});
  ASSERT_EQ(((one << single).none().none() << false << nothing).run(kVarCorrectionKernel),
            Status::kOk);
  EXPECT_TRUE(std::isnan(nothing.data<float>()[0]));
}

TEST(ReductionKernels, NormsOfAllKinds) {
  TestTensor in(ScalarType::kFloat, {4}), out(ScalarType::kFloat, {});
  in.set<float>({3, -4, 0, 12});
  const std::pair<double, float> cases[] = {
      {0, 3}, {1, 19}, {2, 13}, {3, std::cbrt(27.0f + 64 + 1728)}, {INFINITY, 12}, {-INFINITY, 0}};
  for (const auto& [p, expected] : cases) {
    Call call;
    ASSERT_EQ(
        ((call << in << p).none() << false).none().operator<<(out).run(kLinalgVectorNormKernel),
        Status::kOk);
    EXPECT_FLOAT_EQ(out.data<float>()[0], expected) << p;
  }
}

TEST(ReductionKernels, RunningSumsAndProducts) {
  TestTensor in(ScalarType::kFloat, {2, 3, 70}, {2, 0, 1}), out(ScalarType::kFloat, {2, 3, 70});
  for (size_t i = 0; i < in.numel(); ++i) in.data<float>()[i] = static_cast<float>(i % 5) - 1;
  Call sum, product;
  ASSERT_EQ(((sum << in << -1).none() << out).run(kCumsumKernel), Status::kOk);
  for (int64_t a = 0; a < 2; ++a) {
    for (int64_t b = 0; b < 3; ++b) {
      float total = 0;
      for (int64_t c = 0; c < 70; ++c) {
        total += at<float>(in, {a, b, c});
        ASSERT_EQ((at<float>(out, {a, b, c})), total);
      }
    }
  }
  TestTensor ints(ScalarType::kInt, {3}), longs(ScalarType::kLong, {3});
  ints.set<int32_t>({2, -3, 4});
  ASSERT_EQ(((product << ints << 0).none() << longs).run(kCumprodKernel), Status::kOk);
  EXPECT_EQ(longs.elements<int64_t>(), (Ints{2, -6, -24}));
}

TEST(ReductionKernels, LogSumExpDoesNotOverflow) {
  TestTensor in(ScalarType::kFloat, {3, 2}), out(ScalarType::kFloat, {3});
  in.set<float>({1000, 1000, -kInf, -kInf, kInf, 0});
  Call call;
  ASSERT_EQ((call << in << Ints{1} << false << out).run(kLogsumexpKernel), Status::kOk);
  EXPECT_FLOAT_EQ(out.data<float>()[0], 1000 + std::log(2.0f));
  EXPECT_EQ(out.data<float>()[1], -kInf);
  EXPECT_EQ(out.data<float>()[2], kInf);
}

}  // namespace
}  // namespace berth::runtime
