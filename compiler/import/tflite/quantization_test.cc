#include "compiler/import/tflite/quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contract/fixed_point.h"

namespace berth::import {
namespace {

using format::tflite::ActivationFunctionType;

TEST(QuantizeMultiplier, HasAMantissaOf31BitsAndAPowerOfTwo) {
  EXPECT_EQ((Multiplier{1 << 30, 1}), quantize_multiplier(1.0));
  EXPECT_EQ((Multiplier{1 << 30, 0}), quantize_multiplier(0.5));
  EXPECT_EQ((Multiplier{1717986918, -3}), quantize_multiplier(0.1));
  EXPECT_EQ((Multiplier{-(1 << 30), 0}), quantize_multiplier(-0.5));
  EXPECT_EQ(Multiplier{}, quantize_multiplier(0.0));
}

TEST(QuantizeMultiplier, RoundsUpIntoTheNextPowerOfTwo) {
  EXPECT_EQ((Multiplier{1 << 30, 1}), quantize_multiplier(1.0 - 1e-12));
}

TEST(QuantizeMultiplier, GivesZeroBelowWhatAShiftCanReachAndNothingAbove) {
  EXPECT_EQ((Multiplier{1 << 30, -31}), quantize_multiplier(std::ldexp(1.0, -32)));
  EXPECT_EQ(Multiplier{}, quantize_multiplier(std::ldexp(1.0, -33)));
  EXPECT_EQ((Multiplier{1 << 30, 31}), quantize_multiplier(std::ldexp(1.0, 30)));
  EXPECT_FALSE(quantize_multiplier(std::ldexp(1.0, 31)).has_value());
  EXPECT_FALSE(quantize_multiplier(INFINITY).has_value());
  EXPECT_FALSE(quantize_multiplier(std::nan("")).has_value());
  EXPECT_FALSE(quantize_multiplier_below_one(1.0).has_value());
  EXPECT_FALSE(quantize_multiplier_below_one(0.0).has_value());
}

TEST(ActivationRange, ClampsAtTheQuantisedBounds) {
  const PerTensor params{0.0235F, -128};
  EXPECT_EQ((Range{-128, 127}),
            activation_range(ActivationFunctionType::NONE, ScalarType::kChar, params));
  EXPECT_EQ((Range{-128, 127}),
            activation_range(ActivationFunctionType::RELU, ScalarType::kChar, params));
  EXPECT_EQ((Range{3, 18}),
            activation_range(ActivationFunctionType::RELU6, ScalarType::kChar, {0.4F, 3}));
  EXPECT_EQ((Range{-7, 13}),
            activation_range(ActivationFunctionType::RELU_N1_TO_1, ScalarType::kChar, {0.1F, 3}));
  EXPECT_EQ((Range{0, 6000}),
            activation_range(ActivationFunctionType::RELU6, ScalarType::kShort, {0.001F, 0}));
  EXPECT_FALSE(
      activation_range(ActivationFunctionType::TANH, ScalarType::kChar, params).has_value());
  EXPECT_FALSE(activation_range(static_cast<ActivationFunctionType>(99), ScalarType::kChar, params)
                   .has_value());
}

TEST(ActivationRange, SaturatesForScalesNobodyMeans) {
  EXPECT_EQ((Range{127, 127}),
            activation_range(ActivationFunctionType::RELU6, ScalarType::kChar, {1e-45F, 127}));
  EXPECT_EQ((Range{-128, 127}),
            activation_range(ActivationFunctionType::RELU_N1_TO_1, ScalarType::kChar, {1e-45F, 0}));
}

TEST(SumMultipliers, BringOperandsToOneScale) {
  const auto add = add_multipliers(0.04F, 0.03F, 0.0235F, ScalarType::kChar);
  ASSERT_TRUE(add.has_value());
  EXPECT_EQ((Multiplier{1 << 30, 0}), add->left);  // the larger scale is half of twice itself
  // 5 + 7 in real numbers: (125 * 0.04 + 233.33 * 0.03) / 0.0235 within one step
  const int32_t left = mbqm(125 << 20, add->left.multiplier, add->left.shift);
  const int32_t right = mbqm(233 << 20, add->right.multiplier, add->right.shift);
  EXPECT_NEAR((125 * 0.04 + 233 * 0.03) / 0.0235,
              mbqm(left + right, add->output.multiplier, add->output.shift), 1);
}

TEST(SumMultipliers, OfSubAreComputedInFloat32) {
  const auto add = add_multipliers(0.02F, 0.04F, 0.05F, ScalarType::kChar);
  const auto sub = sub_multipliers(0.02F, 0.04F, 0.05F, ScalarType::kChar);
  ASSERT_TRUE(add && sub);
  // 0.08f / (2^20 * 0.05f) has 24 bits in one and 53 in the other.
  EXPECT_NE(add->output, sub->output);
  EXPECT_NEAR(add->output.multiplier, sub->output.multiplier, 256);
}

TEST(SumMultipliers, AreRefusedWhenTheSumWouldHaveToGrow) {
  EXPECT_FALSE(add_multipliers(1.0F, 1.0F, 1e-6F, ScalarType::kChar).has_value());
  EXPECT_FALSE(sub_multipliers(3e38F, 1.0F, 1.0F, ScalarType::kChar).has_value());
}

TEST(TensorMultiplier, RoundsTheProductOfScalesToFloat32) {
  const float input = 0.0244801156F;
  const float weight = 0.00403898163F;
  EXPECT_NE(channel_multiplier(input, weight, 1.0F), tensor_multiplier(input, weight, 1.0F));
  EXPECT_EQ(static_cast<double>(input * weight), tensor_multiplier(input, weight, 1.0F));
}

TEST(DivideByCount, KeepsTheValueWithinTheMultipliersPrecision) {
  for (const int64_t count : {1, 2, 3, 49, 143, 1024, 65535}) {
    const Multiplier divided = divide_by_count({1503238554, 0}, count);
    const double value = std::ldexp(static_cast<double>(divided.multiplier), divided.shift - 31);
    EXPECT_NEAR(0.7 / static_cast<double>(count), value, 1e-8) << count;
    EXPECT_TRUE(is_valid_shift(divided.shift));
  }
  EXPECT_EQ(Multiplier{}, divide_by_count({}, 1));
  EXPECT_TRUE(is_valid_shift(divide_by_count({1 << 30, -31}, 100).shift));
}

TEST(SoftmaxParams, AreCappedForScalesThatSaturate) {
  const auto usual = softmax_params(1.0F, 0.15F);
  ASSERT_TRUE(usual.has_value());
  EXPECT_EQ(24, usual->multiplier.shift);
  EXPECT_EQ(-124, usual->diff_min);
  const auto large = softmax_params(1.0F, 1e30F);
  ASSERT_TRUE(large.has_value());
  EXPECT_EQ(31, large->multiplier.shift);
  EXPECT_FALSE(softmax_params(-1.0F, 0.15F).has_value());
  EXPECT_FALSE(softmax_params(std::nanf(""), 0.15F).has_value());
  EXPECT_FALSE(softmax_params(1.0F, 1e-30F).has_value());
}

TEST(TableLookup, IsExactForPowersOfTwoAndFifteenBitsElsewhere) {
  const auto exact = table_lookup(std::ldexp(1.0F, -12), false);
  ASSERT_TRUE(exact.has_value());
  EXPECT_EQ(3, exact->multiplier);
  EXPECT_EQ(0, exact->shift);
  EXPECT_EQ(6, table_lookup(std::ldexp(1.0F, -11), true)->multiplier);
  const auto other = table_lookup(0.0003F, true);
  ASSERT_TRUE(other.has_value());
  EXPECT_GT(other->multiplier, 16383);
  EXPECT_NEAR(0.0003 * 4096 * 3, std::ldexp(other->multiplier, -other->shift), 1e-3);
  EXPECT_FALSE(table_lookup(10.0F, true).has_value());
}

}  // namespace
}  // namespace berth::import
