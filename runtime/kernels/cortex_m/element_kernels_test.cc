// The plain kernels of single elements against what defines them; those of DSP and MVE run the same
// on emulated boards (tests/firmware_test.py).
#include <gtest/gtest.h>

#include <memory>

#include "runtime/kernels/cortex_m/element_properties_test_util.h"
#include "runtime/kernels/int16_properties_test_util.h"

namespace berth::runtime {
namespace {

template <typename Properties>
void check(const char* (Properties::*property)()) {
  const auto properties = std::make_unique<Properties>(1);
  for (int i = 0; i < 2000; ++i) {
    const char* fault = (properties.get()->*property)();
    ASSERT_EQ(fault, nullptr) << fault << " in run " << i;
  }
}

TEST(ElementKernels, TablesAnswer) { check(&ElementProperties::check_table); }
TEST(ElementKernels, ExtremesArePicked) { check(&ElementProperties::check_extremes); }
TEST(ElementKernels, FloatsAreQuantized) { check(&ElementProperties::check_quantization); }
TEST(ElementKernels, ElementsAreDequantized) { check(&ElementProperties::check_dequantization); }
TEST(ElementKernels, ColumnsAreSummed) { check(&ElementProperties::check_sums); }
TEST(ElementKernels, ValuesAreRescaled) { check(&ElementProperties::check_rescaling); }
TEST(ElementKernels, BytesAreCopied) { check(&ElementProperties::check_copy); }
TEST(ElementKernels, NestsAreCopied) { check(&ElementProperties::check_strided_copy); }
TEST(ElementKernels, BitsAreRoundedAsFloats) { check(&ElementProperties::check_rounding); }
TEST(ElementKernels, ConvolutionsOf16Bits) { check(&Int16Properties::check_convolution); }
TEST(ElementKernels, DepthwiseOf16Bits) { check(&Int16Properties::check_depthwise); }
TEST(ElementKernels, SumsAndProductsOf16Bits) { check(&Int16Properties::check_elements); }

}  // namespace
}  // namespace berth::runtime
