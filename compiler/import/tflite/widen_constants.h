// Weights that a file keeps in fewer bytes than the float32 that its operators compute with:
// float16 or integers behind DEQUANTIZE, and the int8 filters of float operators ("dynamic range").
// They become float32 constants before the operators are read, as if the file had had them so.
#pragma once

#include "compiler/import/tflite/tflite_file.h"

namespace berth::import {

// A DEQUANTIZE of a constant is done then: its output is a constant. A float32 CONV_2D,
// DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED or BATCH_MATMUL with an int8 constant gets a
// new constant in its place; a note says so, because TFLite would round its activations to int8 as
// well. Errors: the allowance does not pay for the new bytes.
MaybeError widen_constants(TfliteFile* file, Diagnostics* diagnostics);

}  // namespace berth::import
