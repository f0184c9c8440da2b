// int8 convolution on a Cortex-M: a group of output positions at a time times all filters. A
// position's inputs (its column) are read where they lie, if they lie in one piece inside the
// image; the others are gathered in the scratch, which has room for a group's columns (for one,
// where the rule for rows of MVE says so):
//
//     image    ─────────▶ column of a 1x1 or 1xN window, in place ─┐
//       └─ rows of the window ─▶ scratch: columns, with padding ───┴─▶ four rows x filters
//
// Outside the image is minus the input's offset, which adds nothing; so the offset's share is the
// same for every position of a channel, and goes into its bias once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/scratch_rules.h"
#include "runtime/core/span.h"
#include "runtime/kernels/output_stage.h"

namespace berth::runtime {

// Whether convolve_int8 takes a shape with that much scratch. It counts in 32 bits and needs room
// for a column, or none where windows cannot leave the image.
bool takes_int8_convolution(const WindowShape& shape, Span<const int8_t> scratch);

// REQUIRES: takes_int8_convolution; check_conv_weights has passed; no size is 0.
void convolve_int8(const WindowShape& shape, const int8_t* in, int32_t in_offset,
                   const int8_t* weights, const OutputStage& stage, Span<int8_t> scratch,
                   int8_t* out);

}  // namespace berth::runtime
