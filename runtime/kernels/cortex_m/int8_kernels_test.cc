// The plain int8 kernels against the reference; those of DSP and MVE run the same on emulated
// boards (tests/firmware_test.py).
#include <gtest/gtest.h>

#include <memory>

#include "runtime/kernels/cortex_m/int8_properties_test_util.h"

namespace berth::runtime {
namespace {

void expect_good(const char* fault, const Int8Properties& properties) {
  const WindowShape& s = properties.shape();
  ASSERT_EQ(fault, nullptr) << fault << " in layer " << properties.count() << ": " << s.batch << "x"
                            << s.in_h << "x" << s.in_w << "x" << s.in_c << " to " << s.out_h << "x"
                            << s.out_w << "x" << s.out_c << ", window " << s.kernel_h << "x"
                            << s.kernel_w << "x" << s.kernel_c;
}

TEST(Int8Kernels, ConvolutionsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(1);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_convolution(), *properties);
  EXPECT_GT(properties->count(), 250);
}

TEST(Int8Kernels, DepthwiseConvolutionsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(2);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_depthwise(), *properties);
  EXPECT_GT(properties->count(), 250);
}

TEST(Int8Kernels, RowsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(3);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_rows(), *properties);
}

TEST(Int8Kernels, TransposeConvolutionsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(5);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_transpose(), *properties);
  EXPECT_GT(properties->count(), 250);
}

TEST(Int8Kernels, PoolsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(4);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_pooling(), *properties);
  EXPECT_GT(properties->count(), 250);
}

TEST(Int8Kernels, SumsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(6);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_addition(), *properties);
  EXPECT_GT(properties->count(), 100);
}

TEST(Int8Kernels, ProductsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(7);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_product(), *properties);
  EXPECT_GT(properties->count(), 250);
}

TEST(Int8Kernels, SoftmaxRowsAreTheReferences) {
  const auto properties = std::make_unique<Int8Properties>(8);
  for (int i = 0; i < 400; ++i) expect_good(properties->check_softmax(), *properties);
}

TEST(Int8Kernels, GeometryBeyond32BitsIsLeftToTheReference) {
  WindowShape shape;
  shape.out_h = 1 << 20, shape.stride_h = 1 << 12;
  EXPECT_FALSE(takes_int8_convolution(shape, {}));
  EXPECT_FALSE(takes_int8_depthwise(shape));
  shape = WindowShape();
  shape.in_w = 1 << 20, shape.in_c = 1 << 11;
  shape.out_w = 1 << 30, shape.pad_w = 1 << 30;
  EXPECT_FALSE(takes_int8_depthwise(shape));
  EXPECT_FALSE(takes_int8_transpose(shape));
}

}  // namespace
}  // namespace berth::runtime
