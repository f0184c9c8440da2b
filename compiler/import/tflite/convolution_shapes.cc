#include "compiler/import/tflite/convolution_shapes.h"

#include <string>
#include <vector>

namespace berth::import {

MaybeFailure read_groups(const OperatorContext& c, int input, int filter, int64_t* groups) {
  const std::span<const int32_t> shape = c.input(filter).shape;
  const int32_t in_channels = c.input(input).shape[3];
  if (in_channels % shape[3] != 0 || shape[0] % (in_channels / shape[3]) != 0) {
    return malformed(c.input_text(filter) + " has " + std::to_string(shape[3]) +
                     " input channels and " + std::to_string(shape[0]) +
                     " output channels; groups of them must divide the input's " +
                     std::to_string(in_channels));
  }
  *groups = in_channels / shape[3];
  return {};
}

MaybeFailure read_depth_multiplier(const OperatorContext& c, int input, int filter, int32_t stated,
                                   int32_t* multiplier) {
  const std::span<const int32_t> shape = c.input(filter).shape;
  const int32_t in_channels = c.input(input).shape[3];
  *multiplier = shape[3] / in_channels;
  // Old converters leave the option 0: the shapes say it.
  const bool agrees = stated == 0 || stated == *multiplier;
  if (shape[0] == 1 && shape[3] % in_channels == 0 && agrees) return {};
  return malformed(c.input_text(filter) + " has " + std::to_string(shape[0]) + " x " +
                   std::to_string(shape[3]) + " channels and the depth multiplier is " +
                   std::to_string(stated) + "; 1 x a multiple of the input's " +
                   std::to_string(in_channels) + " channels");
}

MaybeFailure slide_transposed(const OperatorContext& c, int input, int filter,
                              const wire::TransposeConvOptions& options, WindowPair* windows,
                              WindowPairResult* result) {
  BERTH_IMPORT_TRY(c.expect_rank(OperatorContext::kOutput, 4));
  const std::span<const int32_t> in = c.input(input).shape;
  const std::span<const int32_t> weights = c.input(filter).shape;
  const std::span<const int32_t> out = c.output().shape;
  if (weights[3] != in[3] || out[0] != in[0]) {
    return malformed(c.input_text(filter) + " has " + std::to_string(weights[3]) +
                     " input channels; the input has " + std::to_string(in[3]) +
                     ", and input and output have one batch size");
  }
  if (c.input(0).is_constant()) {
    std::vector<int64_t> stated;
    BERTH_IMPORT_TRY(c.read_ints(0, 4, &stated));
    BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, stated));
  }
  // The convolution that this one turns round goes from the output to the input; its padding is cut
  // off here.
  windows->height = {out[1], weights[1], options.stride_h(), 1};
  windows->width = {out[2], weights[2], options.stride_w(), 1};
  BERTH_IMPORT_TRY(slide("height", options.padding(), windows->height, &result->height));
  BERTH_IMPORT_TRY(slide("width", options.padding(), windows->width, &result->width));
  if (result->height.output == in[1] && result->width.output == in[2]) return {};
  return malformed(c.input_text(input) + " is " + std::to_string(in[1]) + " x " +
                   std::to_string(in[2]) + "; this output comes from " +
                   std::to_string(result->height.output) + " x " +
                   std::to_string(result->width.output));
}

}  // namespace berth::import
