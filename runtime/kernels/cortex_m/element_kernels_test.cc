// The plain kernels of single elements against what defines them; those of DSP and MVE run the same
// on emulated boards (tests/firmware_test.py).
#include <gtest/gtest.h>

#include "runtime/kernels/cortex_m/element_properties_test_util.h"

namespace berth::runtime {
namespace {

void check(const char* (ElementProperties::*property)()) {
  ElementProperties properties(1);
  for (int i = 0; i < 2000; ++i) {
    const char* fault = (properties.*property)();
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

}  // namespace
}  // namespace berth::runtime
