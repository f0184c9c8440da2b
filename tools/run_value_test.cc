#include "tools/run_value.h"

#include <gtest/gtest.h>

#include <cmath>

namespace berth::tools {
namespace {

TensorValue bytes_tensor(std::vector<int32_t> sizes, std::vector<uint8_t> dim_order,
                         const std::vector<int>& content) {
  TensorValue tensor{{"", ScalarType::kByte, std::move(sizes), std::move(dim_order)}, {}};
  for (int value : content) tensor.data.push_back(static_cast<std::byte>(value));
  return tensor;
}

TEST(RunValue, TensorsAreComparedInTheirAxes) {
  const TensorValue rows = bytes_tensor({2, 3}, {0, 1}, {1, 2, 3, 4, 5, 6});
  const TensorValue columns = bytes_tensor({2, 3}, {1, 0}, {1, 4, 2, 5, 3, 6});
  EXPECT_EQ(difference(rows, columns, {}), std::nullopt);
  EXPECT_EQ(difference(columns, rows, {}), std::nullopt);
  EXPECT_EQ(difference(rows, bytes_tensor({2, 3}, {0, 1}, {1, 2, 3, 4, 9, 6}), {}),
            "element [1, 1] is 5, expected 9; 1 of 6 elements differ");
  EXPECT_EQ(difference(rows, bytes_tensor({3, 2}, {0, 1}, {1, 2, 3, 4, 5, 6}), {}),
            "is u8[2x3], expected u8[3x2]");
}

TEST(RunValue, OtherKindsAreComparedByValue) {
  EXPECT_EQ(difference(int64_t{3}, int64_t{3}, {}), std::nullopt);
  EXPECT_EQ(difference(int64_t{3}, int64_t{4}, {5, 5}), "is int 3, expected int 4");
  EXPECT_EQ(difference(int64_t{1}, true, {}), "is int 1, expected bool true");
  EXPECT_EQ(difference(NoValue(), NoValue(), {}), std::nullopt);
  EXPECT_EQ(difference(std::string("a"), std::string("b"), {}),
            "is string \"a\", expected string \"b\"");
  EXPECT_EQ(difference(1.0, 1.25, {}), "is double 1, expected double 1.25");
  EXPECT_EQ(difference(1.0, 1.25, {0, 0.2}), std::nullopt);
  EXPECT_EQ(difference(std::nan(""), std::nan(""), {}), std::nullopt);
  EXPECT_NE(difference(INFINITY, 1.0, {100, 100}), std::nullopt);
}

TEST(RunValue, ElementTypesHaveLongAndShortNames) {
  EXPECT_EQ(parse_scalar_type("float32"), ScalarType::kFloat);
  EXPECT_EQ(parse_scalar_type("f32"), ScalarType::kFloat);
  EXPECT_EQ(parse_scalar_type("bool"), ScalarType::kBool);
  EXPECT_EQ(parse_scalar_type("bfloat16"), ScalarType::kBFloat16);
  EXPECT_EQ(parse_scalar_type("float"), std::nullopt);
}

}  // namespace
}  // namespace berth::tools
