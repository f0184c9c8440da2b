// int8 transpose convolution on a Cortex-M: every output position gathers from the taps that reach
// it. Of a kernel's rows these are every stride_h-th; along them the input goes backwards:
//
//     output y + pad = input iy * stride + ky        ky = first, first + stride, ...
//                                                    iy = last,  last - 1, ...
//
// Along a row, outputs a stride apart meet the same taps, and inputs that stand one after the
// other: four of them at a time where all of their taps are inside the image. The input offset's
// share of each tap and filter stands in the scratch, an int32 each.
#pragma once

#include "contract/scratch_rules.h"
#include "runtime/core/span.h"
#include "runtime/kernels/output_stage.h"

namespace berth::runtime {

// Whether convolve_transpose_int8 takes a shape: it counts in 32 bits.
bool takes_int8_transpose(const WindowShape& shape);

// Words of scratch: one for each tap and output channel.
uint64_t transpose_shares(const WindowShape& shape);

// REQUIRES: takes_int8_transpose; `shares` has room for transpose_shares(); no size is 0.
void convolve_transpose_int8(const WindowShape& shape, const int8_t* in, int32_t in_offset,
                             const int8_t* weights, const OutputStage& stage, int32_t* shares,
                             int8_t* out);

}  // namespace berth::runtime
