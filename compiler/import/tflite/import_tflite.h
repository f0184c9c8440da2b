// A TFLite model as ir: the .pte's operators over one graph per method. Subgraph 0 is the method
// `forward`, the others bear the name of their signature or their own. int8 and int16 activations
// with int8 weights of one scale or one per channel; float32; both where QUANTIZE and DEQUANTIZE
// join them (docs/tflite.md).
//
//   Diagnostics notes;
//   Result<ir::Module> module = import::import_tflite(bytes, &notes);
//
// Effect: none beside the result. Failure: an error with the place in the file; operators that are
// not supported are all named in one error. `bytes` are not needed any more afterwards. Notes may
// be null.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compiler/ir/ir.h"
#include "contract/result.h"

namespace berth::import {

// The names of the operators that are translated, in alphabetical order; docs/tflite.md says with
// what.
std::vector<std::string> supported_tflite_operators();

Result<ir::Module> import_tflite(std::span<const std::byte> bytes, Diagnostics* diagnostics);

}  // namespace berth::import
