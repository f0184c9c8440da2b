// int8 depthwise convolution on a Cortex-M. A block of channels, which lie side by side, walks over
// all positions; its constants stay where they are. Taps outside the image are left out. No scratch
// is used.
#pragma once

#include <cstdint>

#include "contract/scratch_rules.h"
#include "runtime/kernels/output_stage.h"

namespace berth::runtime {

// Whether convolve_depthwise_int8 takes a shape: it counts in 32 bits.
bool takes_int8_depthwise(const WindowShape& shape);

// REQUIRES: takes_int8_depthwise; check_depthwise_weights has passed; no size is 0.
void convolve_depthwise_int8(const WindowShape& shape, const int8_t* in, int32_t in_offset,
                             const int8_t* weights, const OutputStage& stage, int8_t* out);

}  // namespace berth::runtime
