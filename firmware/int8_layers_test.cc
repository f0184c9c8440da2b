// An image that compares the kernels of this processor with the reference on random layers.
#include "firmware/emulator_test.h"
#include "firmware/instruction_count.h"
#include "firmware/semihosting.h"
#include "runtime/kernels/cortex_m/element_properties_test_util.h"
#include "runtime/kernels/cortex_m/int8_properties_test_util.h"
#include "runtime/kernels/int16_properties_test_util.h"

namespace berth::firmware {

void run_image();

namespace {

runtime::Int8Properties properties(7);
runtime::ElementProperties elements(11);
runtime::Int16Properties wide_layers(13);

void must_be_good(const char* fault, const char* what) {
  if (fault == nullptr) return;
  const WindowShape& s = properties.shape();
  print_all("wrong: ", what, " ", static_cast<uint32_t>(properties.count()), ": ", fault, "; ");
  const int64_t numbers[] = {s.batch, s.in_h,     s.in_w,       s.in_c,      s.out_h,    s.out_w,
                             s.out_c, s.kernel_h, s.kernel_w,   s.kernel_c,  s.stride_h, s.stride_w,
                             s.pad_h, s.pad_w,    s.dilation_h, s.dilation_w};
  for (const int64_t number : numbers) {
    print_all(static_cast<uint32_t>(number), " ");
  }
  print("\n");
  stop(Outcome::kWrongResult);
}

void others_must_be_good(const char* fault, const char* what) {
  if (fault == nullptr) return;
  print_all("wrong: ", what, ": ", fault, "\n");
  stop(Outcome::kWrongResult);
}

}  // namespace

void run_image() {
  start_counting(BERTH_INSTRUCTION_LIMIT);
  if (find_emulator_fault() != nullptr) stop(Outcome::kBadEmulator);
  for (int i = 0; i < BERTH_ROUNDS; ++i) {
    must_be_good(properties.check_convolution(), "convolution");
    must_be_good(properties.check_depthwise(), "depthwise convolution");
    must_be_good(properties.check_rows(), "rows");
    must_be_good(properties.check_transpose(), "transpose convolution");
    must_be_good(properties.check_pooling(), "pooling");
    must_be_good(properties.check_addition(), "addition");
    must_be_good(properties.check_product(), "product");
    others_must_be_good(elements.check_table(), "table");
    others_must_be_good(elements.check_extremes(), "extremes");
    others_must_be_good(elements.check_quantization(), "quantization");
    others_must_be_good(elements.check_dequantization(), "dequantization");
    others_must_be_good(elements.check_rounding(), "rounding");
    others_must_be_good(elements.check_sums(), "sums");
    others_must_be_good(elements.check_rescaling(), "rescaling");
    others_must_be_good(elements.check_copy(), "copy");
    others_must_be_good(elements.check_strided_copy(), "strided copy");
    must_be_good(properties.check_softmax(), "softmax");
    others_must_be_good(wide_layers.check_convolution(), "convolution of int16");
    others_must_be_good(wide_layers.check_depthwise(), "depthwise convolution of int16");
    others_must_be_good(wide_layers.check_elements(), "elements of int16");
  }
  print_all("right: ", static_cast<uint32_t>(properties.count()), " layers\n");
}

}  // namespace berth::firmware
