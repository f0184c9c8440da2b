#include "contract/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace berth {
namespace {

// The reference's own way to write it: a nudge by sign, then a division that truncates.
int32_t srdhm_by_division(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? (int64_t{1} << 30) : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

TEST(FixedPoint, SrdhmEqualsTheDivisionWithANudge) {
  std::mt19937 random(1);
  const int32_t edges[] = {0, 1, -1, 2, 1 << 30, -(1 << 30), INT32_MAX, INT32_MIN, INT32_MIN + 1};
  for (int32_t a : edges) {
    for (int32_t b : edges) EXPECT_EQ(srdhm(a, b), srdhm_by_division(a, b)) << a << " " << b;
  }
  for (int i = 0; i < 200000; ++i) {
    const int shift = static_cast<int>(random() % 31);
    const int32_t a = static_cast<int32_t>(random()) >> shift, b = static_cast<int32_t>(random());
    ASSERT_EQ(srdhm(a, b), srdhm_by_division(a, b)) << a << " " << b;
  }
}

TEST(FixedPoint, RdbpotRoundsHalvesAwayFromZero) {
  EXPECT_EQ(rdbpot(5, 1), 3);
  EXPECT_EQ(rdbpot(-5, 1), -3);
  EXPECT_EQ(rdbpot(4, 3), 1);
  EXPECT_EQ(rdbpot(-4, 3), -1);
  EXPECT_EQ(rdbpot(3, 3), 0);
  EXPECT_EQ(rdbpot(-3, 3), 0);
  EXPECT_EQ(rdbpot(INT32_MIN, 31), -1);
  EXPECT_EQ(rdbpot(INT32_MAX, 31), 1);
  EXPECT_EQ(rdbpot(7, 0), 7);
}

TEST(FixedPoint, MbqmScalesByMultiplierAndShift) {
  EXPECT_EQ(mbqm(100, 1 << 30, 1), 100);
  EXPECT_EQ(mbqm(100, 1 << 30, 0), 50);
  EXPECT_EQ(mbqm(-7, 1 << 30, 0), -3);   // -3.5: the high multiply rounds half up
  EXPECT_EQ(mbqm(-7, 1 << 30, -1), -2);  // twice rounded: -3.5 -> -3 -> -1.5 -> -2
  EXPECT_EQ(mbqm(1 << 20, 1288490189, 3), 5033165);
  EXPECT_EQ(mbqm(3, 1 << 30, 31), -(1 << 30));  // the left shift wraps
}

TEST(FixedPoint, Mbqm64RoundsTheMultiplierTo16Bits) {
  EXPECT_EQ(mbqm64(1000, 1 << 30, 1), 1000);
  EXPECT_EQ(mbqm64(-3, 1 << 30, 0), -1);  // -1.5 rounds up
  EXPECT_EQ(mbqm64(int64_t{1} << 40, 0x7FFFFFFF, -20),
            static_cast<int32_t>(((int64_t{1} << 40) * 0x7FFF + (int64_t{1} << 34)) >> 35));
}

TEST(FixedPoint, ExponentialAndReciprocalStayWithinAFewUnits) {
  EXPECT_EQ(exp_on_negative(0, 5), INT32_MAX);
  for (int bits = 4; bits <= 5; ++bits) {
    for (double x = 0.001; x < 12; x += 0.037) {
      const int32_t a = static_cast<int32_t>(-x * std::pow(2.0, 31 - bits));
      EXPECT_NEAR(exp_on_negative(a, bits) / std::pow(2.0, 31), std::exp(-x), 3e-7) << x;
    }
  }
  for (double x = 0; x < 1; x += 0.01) {
    const int32_t a = static_cast<int32_t>(x * std::pow(2.0, 31));
    EXPECT_NEAR(one_over_one_plus_x(a) / std::pow(2.0, 31), 1 / (1 + x), 1e-8) << x;
  }
}

TEST(FixedPoint, LogisticAndTanhFollowTheFunctions) {
  EXPECT_EQ(logistic_q4_27(0), 1 << 30);
  EXPECT_EQ(tanh_q4_27(0), 0);
  for (double x = -14.9; x < 15; x += 0.0313) {
    const int32_t a = static_cast<int32_t>(x * (1 << 27));
    EXPECT_NEAR(logistic_q4_27(a) / std::pow(2.0, 31), 1 / (1 + std::exp(-x)), 3e-7) << x;
    EXPECT_NEAR(tanh_q4_27(a) / std::pow(2.0, 31), std::tanh(x), 6e-7) << x;
  }
}

TEST(FixedPoint, NoOperandOverflows) {
  // Meaningful under UBSan: extremes through every function.
  const int32_t edges[] = {0, 1, -1, INT32_MAX, INT32_MIN};
  for (int32_t a : edges) {
    for (int32_t b : edges) {
      for (int shift : {-31, 0, 31}) (void)mbqm(a, b, shift);
      (void)mbqm64(int64_t{a} * (int64_t{1} << 31), b, 14);
      (void)rounding_half_sum(a, b);
    }
    (void)logistic_q4_27(a);
    (void)tanh_q4_27(a);
    (void)one_over_one_plus_x(a);
  }
  EXPECT_EQ(srdhm16(INT16_MIN, INT16_MIN), INT16_MAX);
  EXPECT_EQ(srdhm16(-1, 1 << 14), 0);
  EXPECT_EQ(saturating_shift_left16(-20000, 2), INT16_MIN);
}

}  // namespace
}  // namespace berth
