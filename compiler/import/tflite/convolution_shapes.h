// What the shapes of a convolution's input, filter and output must be to each other, whatever type
// they have. `input` and `filter` are inputs of the operator with 4 dimensions.
#pragma once

#include <cstdint>

#include "compiler/import/tflite/sliding_window.h"

namespace berth::import {

// CONV_2D: the input's channels over the filter's.
MaybeFailure read_groups(const OperatorContext& c, int input, int filter, int64_t* groups);

// DEPTHWISE_CONV_2D: outputs per input channel. `stated` is the option, 0 in old files.
MaybeFailure read_depth_multiplier(const OperatorContext& c, int input, int filter, int32_t stated,
                                   int32_t* multiplier);

// TRANSPOSE_CONV: the windows slide over the output, and there is one for each element of the
// input.
MaybeFailure slide_transposed(const OperatorContext& c, int input, int filter,
                              const wire::TransposeConvOptions& options, WindowPair* windows,
                              WindowPairResult* result);

}  // namespace berth::import
