#include "tools/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace berth::tools {
namespace {

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Compare, EqualBytesAreEqual) {
  const TensorSpec spec{"", ScalarType::kFloat, {2}, {0}};
  const Bytes bytes = bytes_of<float>({1.0f, std::nanf("")});
  EXPECT_FALSE(compare(bytes, bytes, spec, {}).has_value());
}

TEST(Compare, SaysWhichElementInTheTensorsAxesAndBothValues) {
  // Sizes (1, 2, 2) over memory in order (0, 2, 1): memory element 1 is [0, 1, 0].
  const TensorSpec spec{"", ScalarType::kChar, {1, 2, 2}, {0, 2, 1}};
  const auto mismatch =
      compare(bytes_of<int8_t>({1, -2, 3, 5}), bytes_of<int8_t>({1, 2, 3, 4}), spec, {});
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->element, "[0, 1, 0]");
  EXPECT_EQ(mismatch->got, "-2");
  EXPECT_EQ(mismatch->expected, "2");
  EXPECT_EQ(mismatch->count, 2u);
  EXPECT_EQ(mismatch->total, 4u);
}

TEST(Compare, WithoutToleranceEveryBitCounts) {
  const TensorSpec spec{"", ScalarType::kFloat, {1}, {0}};
  EXPECT_TRUE(compare(bytes_of<float>({0.0f}), bytes_of<float>({-0.0f}), spec, {}).has_value());
  EXPECT_TRUE(
      compare(bytes_of<float>({1.0f}), bytes_of<float>({std::nextafterf(1.0f, 2.0f)}), spec, {})
          .has_value());
}

TEST(Compare, TolerancesAddUp) {
  const TensorSpec spec{"", ScalarType::kFloat, {1}, {0}};
  const auto differ = [&](float got, float expected, Tolerance t) {
    return compare(bytes_of<float>({got}), bytes_of<float>({expected}), spec, t).has_value();
  };
  EXPECT_FALSE(differ(1.5f, 1.0f, {0.5, 0}));
  EXPECT_TRUE(differ(1.75f, 1.0f, {0.5, 0}));
  EXPECT_FALSE(differ(11.0f, 10.0f, {0, 0.1}));
  EXPECT_TRUE(differ(12.0f, 10.0f, {0, 0.1}));
  EXPECT_FALSE(differ(12.0f, 10.0f, {1, 0.1}));
  EXPECT_FALSE(differ(0.0f, -0.0f, {1e-9, 0}));
  EXPECT_FALSE(differ(std::nanf("1"), -std::nanf("2"), {1, 1})) << "both are no number";
  EXPECT_TRUE(differ(std::nanf(""), 1.0f, {100, 1}));
  EXPECT_TRUE(differ(INFINITY, 1.0f, {100, 1}));
  EXPECT_FALSE(differ(INFINITY, INFINITY, {1, 1}));
  EXPECT_TRUE(differ(INFINITY, -INFINITY, {1, 1}));
}

TEST(Compare, LargeIntegersAreNotRounded) {
  const TensorSpec spec{"", ScalarType::kLong, {1}, {0}};
  const int64_t large = INT64_MAX - 1;
  EXPECT_TRUE(compare(bytes_of<int64_t>({large}), bytes_of<int64_t>({large + 1}), spec, {0.5, 0})
                  .has_value());
  EXPECT_FALSE(compare(bytes_of<int64_t>({large}), bytes_of<int64_t>({large + 1}), spec, {1, 0})
                   .has_value());
}

TEST(Compare, ARelativeToleranceIsForFloatsAlone) {
  const TensorSpec spec{"", ScalarType::kInt, {1}, {0}};
  EXPECT_TRUE(compare(bytes_of<int32_t>({100001}), bytes_of<int32_t>({100000}), spec, {0, 0.5})
                  .has_value());
}

TEST(Compare, ReadsHalfAndBrainFloats) {
  const TensorSpec half{"", ScalarType::kHalf, {1}, {0}};
  const auto mismatch =
      compare(bytes_of<uint16_t>({0x3e00}), bytes_of<uint16_t>({0xc000}), half, {});
  EXPECT_EQ(mismatch->got, "1.5");
  EXPECT_EQ(mismatch->expected, "-2");
  const TensorSpec brain{"", ScalarType::kBFloat16, {1}, {0}};
  EXPECT_EQ(compare(bytes_of<uint16_t>({0x3fc0}), bytes_of<uint16_t>({0}), brain, {})->got, "1.5");
}

}  // namespace
}  // namespace berth::tools
