// An image that compares the kernels of this processor with the reference on random layers.
#include "firmware/emulator_test.h"
#include "firmware/instruction_count.h"
#include "firmware/semihosting.h"
#include "firmware/startup.h"
#include "runtime/kernels/cortex_m/element_properties_test_util.h"
#include "runtime/kernels/cortex_m/int8_properties_test_util.h"
#include "runtime/kernels/int16_properties_test_util.h"

namespace berth::firmware {

namespace {

runtime::Int8Properties properties(7);
runtime::ElementProperties elements(11);
runtime::Int16Properties wide_layers(13);

// A kind of layer; `compared` counts those that the kernel took.
struct Kind {
  const char* what;
  const char* (runtime::Int8Properties::*check)();
  int compared;
};
Kind kinds[] = {
    {"convolution", &runtime::Int8Properties::check_convolution, 0},
    {"depthwise convolution", &runtime::Int8Properties::check_depthwise, 0},
    {"rows", &runtime::Int8Properties::check_rows, 0},
    {"transpose convolution", &runtime::Int8Properties::check_transpose, 0},
    {"pooling", &runtime::Int8Properties::check_pooling, 0},
    {"addition", &runtime::Int8Properties::check_addition, 0},
    {"product", &runtime::Int8Properties::check_product, 0},
    {"softmax", &runtime::Int8Properties::check_softmax, 0},
};

void check_layer(Kind* kind) {
  const int before = properties.count();
  const char* const fault = (properties.*kind->check)();
  kind->compared += properties.count() - before;
  if (fault == nullptr) return;
  const WindowShape& s = properties.shape();
  print_all("wrong: ", kind->what, " ", static_cast<uint32_t>(properties.count()), ": ", fault,
            "; ");
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
    for (Kind& kind : kinds) check_layer(&kind);
    others_must_be_good(elements.check_table(), "table");
    others_must_be_good(elements.check_extremes(), "extremes");
    others_must_be_good(elements.check_quantization(), "quantization");
    others_must_be_good(elements.check_dequantization(), "dequantization");
    others_must_be_good(elements.check_rounding(), "rounding");
    others_must_be_good(elements.check_sums(), "sums");
    others_must_be_good(elements.check_rescaling(), "rescaling");
    others_must_be_good(elements.check_copy(), "copy");
    others_must_be_good(elements.check_strided_copy(), "strided copy");
    others_must_be_good(wide_layers.check_convolution(), "convolution of int16");
    others_must_be_good(wide_layers.check_depthwise(), "depthwise convolution of int16");
    others_must_be_good(wide_layers.check_elements(), "elements of int16");
  }
  // Some shapes are none; a kernel that took hardly any would be compared with nothing.
  for (const Kind& kind : kinds) {
    if (kind.compared * 3 > BERTH_ROUNDS) continue;
    print_all("wrong: of ", static_cast<uint32_t>(BERTH_ROUNDS), " layers of kind ", kind.what,
              " the kernel took ", static_cast<uint32_t>(kind.compared), "\n");
    stop(Outcome::kWrongResult);
  }
  print_all("right: ", static_cast<uint32_t>(properties.count()), " layers\n");
}

}  // namespace berth::firmware
