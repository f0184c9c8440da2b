#include "compiler/import/tflite/sliding_window.h"

#include <algorithm>
#include <array>

namespace berth::import {
namespace {

// No window that anybody means is larger, and products of three such numbers stay far inside 64
// bits.
constexpr int64_t kLargest = 1 << 20;

MaybeFailure check(const std::string& what, int64_t value) {
  if (value >= 1 && value <= kLargest) return {};
  return malformed("the " + what + " is " + std::to_string(value) + "; 1 to " +
                   std::to_string(kLargest));
}

}  // namespace

MaybeFailure slide(const char* axis, wire::Padding padding, const Window& window,
                   WindowResult* result) {
  const std::string of_axis = std::string(" of the ") + axis;
  BERTH_IMPORT_TRY(check("size" + of_axis, window.input));
  BERTH_IMPORT_TRY(check("window" + of_axis, window.kernel));
  BERTH_IMPORT_TRY(check("stride" + of_axis, window.stride));
  BERTH_IMPORT_TRY(check("dilation" + of_axis, window.dilation));
  const int64_t reach = (window.kernel - 1) * window.dilation + 1;
  if (padding == wire::Padding::SAME) {
    result->output = (window.input + window.stride - 1) / window.stride;
  } else if (padding == wire::Padding::VALID) {
    result->output = window.input < reach ? 0 : (window.input - reach) / window.stride + 1;
  } else {
    return malformed("the padding is " + std::to_string(static_cast<int>(padding)) +
                     "; 0 (SAME) or 1 (VALID)");
  }
  if (result->output < 1) {
    return malformed("a window of " + std::to_string(reach) + " does not fit into the " + axis +
                     " " + std::to_string(window.input));
  }
  const int64_t padded = (result->output - 1) * window.stride + reach;
  const int64_t total = std::max<int64_t>(padded - window.input, 0);
  result->before = total / 2;
  result->odd = total % 2;
  return {};
}

MaybeFailure slide_over_input(const OperatorContext& c, int i, wire::Padding padding,
                              WindowPair windows, WindowPairResult* result) {
  BERTH_IMPORT_TRY(c.expect_rank(i, 4));
  BERTH_IMPORT_TRY(c.expect_rank(OperatorContext::kOutput, 4));
  windows.height.input = c.input(i).shape[1];
  windows.width.input = c.input(i).shape[2];
  BERTH_IMPORT_TRY(slide("height", padding, windows.height, &result->height));
  BERTH_IMPORT_TRY(slide("width", padding, windows.width, &result->width));
  const std::array<int64_t, 4> shape = {c.input(i).shape[0], result->height.output,
                                        result->width.output, c.output().shape[3]};
  return c.expect_shape(OperatorContext::kOutput, shape);
}

}  // namespace berth::import
