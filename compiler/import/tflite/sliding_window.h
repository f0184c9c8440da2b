// Sliding windows: what SAME and VALID mean, checked against the shapes that the file states.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/import/tflite/operator_context.h"

namespace berth::import {

struct Window {
  int64_t input = 0;
  int64_t kernel = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
};

struct WindowResult {
  int64_t output = 0;
  int64_t before = 0;  // padding on the left or top
  int64_t odd = 0;     // 1 when the other end has one more
};

// How the window slides along one axis; a failure when a number makes no sense. `axis` is "height"
// or "width".
MaybeFailure slide(const char* axis, wire::Padding padding, const Window& window,
                   WindowResult* result);

// Both axes of an NHWC tensor, input `i` of the operator, and that the output is as high and wide
// as they say.
struct WindowPair {
  Window height, width;
};
struct WindowPairResult {
  WindowResult height, width;
};
MaybeFailure slide_over_input(const OperatorContext& c, int i, wire::Padding padding,
                              WindowPair windows, WindowPairResult* result);

}  // namespace berth::import
