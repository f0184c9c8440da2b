// The pools: small models against the lines of ir that they must give (constants and the
// header left out).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "compiler/import/tflite/operators_test_support.h"

namespace berth::import {
namespace {

TEST(PoolingOps, AveragePoolWithAnActivationIsFollowedByAClamp) {
  const SmallModel model =
      one_operator(BuiltinOperator::AVERAGE_POOL_2D,
                   {tensor({1, 5, 5, 2}, 0.1F, 5), tensor({1, 3, 3, 2}, 0.1F, 5)}, {0},
                   pool_options(fb::Padding::SAME, 2, 2, Activation::RELU6));
  EXPECT_EQ(
      "%t0.image : i8[1,2,5,5]{0,2,3,1} = view(%t0)\n"
      "%t1.average : i8[1,2,3,3]{0,2,3,1} = cortex_m::quantized_avg_pool2d.out(%t0.image, [2, 2], "
      "[2, 2], [0, 0], true, "
      "5, 1073741824, 1, none)\n"
      "%t1 : i8[1,2,3,3]{0,2,3,1} = aten::clamp.out(%t1.average, 5, 65)\n"
      "%t1.plain : i8[1,3,3,2] = view(%t1)\n"
      "output %t1.plain\n",
      nodes_of(model));
}

// The vendor's average pool derives its output's size from symmetric padding, rounded down or up;
// every form that comes out otherwise is ours.
TEST(PoolingOps, AveragePoolsThatTheVendorWouldSizeOtherwiseGoToBerth) {
  struct Form {
    int size, stride, kernel, result;
    const char* call;
  };
  for (const Form& form : {
           Form{5, 1, 3, 5,
                "cortex_m::quantized_avg_pool2d.out(%t0.image, [3, 3], [1, 1], [1, 1], false,"},
           Form{5, 2, 2, 3,
                "cortex_m::quantized_avg_pool2d.out(%t0.image, [2, 2], [2, 2], [0, 0], true,"},
           Form{6, 2, 3, 3,
                "cortex_m::quantized_avg_pool2d.out(%t0.image, [3, 3], [2, 2], [0, 0], true,"},
           Form{6, 2, 5, 3,
                "cortex_m::quantized_avg_pool2d.out(%t0.image, [5, 5], [2, 2], [1, 1], true,"},
           Form{5, 1, 2, 5,
                "berth::quantized_avg_pool2d.out(%t0.image, [2, 2], [1, 1], [0, 0], -128, 127)"},
       }) {
    const std::string nodes = nodes_of(one_operator(
        BuiltinOperator::AVERAGE_POOL_2D,
        {tensor({1, form.size, form.size, 2}), tensor({1, form.result, form.result, 2})}, {0},
        pool_options(fb::Padding::SAME, form.stride, form.kernel)));
    EXPECT_NE(std::string::npos, nodes.find(form.call)) << nodes;
  }
  const std::string clamped = nodes_of(
      one_operator(BuiltinOperator::AVERAGE_POOL_2D, {tensor({1, 5, 5, 2}), tensor({1, 5, 5, 2})},
                   {0}, pool_options(fb::Padding::SAME, 1, 2, Activation::RELU)));
  EXPECT_NE(
      std::string::npos,
      clamped.find("berth::quantized_avg_pool2d.out(%t0.image, [2, 2], [1, 1], [0, 0], 0, 127)"))
      << clamped;
}

// It refuses the flag for a maximum, and takes any output's shape.
TEST(PoolingOps, MaxPoolsNeverHaveTheCeilingFlag) {
  const std::string nodes = nodes_of(one_operator(BuiltinOperator::MAX_POOL_2D,
                                                  {tensor({1, 5, 5, 1}), tensor({1, 3, 3, 1})}, {0},
                                                  pool_options(fb::Padding::SAME, 2, 2)));
  EXPECT_NE(std::string::npos,
            nodes.find("cortex_m::quantized_max_pool2d.out(%t0.image, [2, 2], [2, 2], [0, 0], "
                       "[1, 1], false, 0, 0, -128, 127)"))
      << nodes;
}

TEST(PoolingOps, MaxPoolHasBoundsOfItsOwn) {
  const SmallModel model = one_operator(
      BuiltinOperator::MAX_POOL_2D, {tensor({1, 4, 4, 1}, 0.1F, 5), tensor({1, 2, 2, 1}, 0.1F, 5)},
      {0}, pool_options(fb::Padding::VALID, 2, 2, Activation::RELU));
  EXPECT_NE(
      std::string::npos,
      nodes_of(model).find(
          "cortex_m::quantized_max_pool2d.out(%t0.image, [2, 2], [2, 2], [0, 0], [1, 1], false, 5, "
          "5, 5, 127)"));
}

TEST(PoolingOps, PoolsOfInt16GoToBerth) {
  for (const auto& [code, name] :
       {std::pair{BuiltinOperator::AVERAGE_POOL_2D, "berth::quantized_avg_pool2d"},
        std::pair{BuiltinOperator::MAX_POOL_2D, "berth::quantized_max_pool2d"}}) {
    const SmallModel model = one_operator(code, {tensor16({1, 4, 4, 1}), tensor16({1, 2, 2, 1})},
                                          {0}, pool_options(fb::Padding::VALID, 2, 2));
    EXPECT_NE(std::string::npos,
              nodes_of(model).find(std::string(name) +
                                   ".out(%t0.image, [2, 2], [2, 2], [0, 0], -32768, 32767)"));
  }
}

TEST(PoolingOps, PoolsBetweenDifferentScalesAreUnsupported) {
  const SmallModel model = one_operator(BuiltinOperator::MAX_POOL_2D,
                                        {tensor({1, 4, 4, 1}, 0.1F), tensor({1, 2, 2, 1}, 0.2F)},
                                        {0}, pool_options(fb::Padding::VALID, 2, 2));
  EXPECT_NE(std::string::npos, nodes_of(model).find("equal where bytes are only moved"));
}

}  // namespace
}  // namespace berth::import
