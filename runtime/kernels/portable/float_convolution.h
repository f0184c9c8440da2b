// Float32 convolutions over one or two dims. Three ways, by shape:
//
//   pixelwise   1x1, stride 1, no padding: one matrix product per image and group.
//   depthwise   one input channel per group: each output is a short sum over the window; vectors
//               run along the row, or along channels where those are innermost in memory.
//   windows     all others: the pixels under the windows of eight outputs are copied to a panel on
//               the stack (float_product.h), every filter passes over it.
//
// Transposed convolution looks at each output's inputs instead of scattering each input: outputs a
// stride apart see the same kernel columns, so eight of them make a panel.
#pragma once

#include "runtime/kernels/portable/image_window.h"

namespace berth::runtime {

// Counts are at least 1 but for in_c, which may be 0; paddings, and what is left of them, fit 32
// bits.
struct FloatConvolution {
  int64_t batch = 1, groups = 1;
  int64_t in_c = 1, out_c = 1;  // per group
  Window rows, columns;
  const float* in = nullptr;
  ImageSteps in_steps{};
  // `batch` steps from one output channel to the next (in a transposed one: from one input channel
  // to the next), `channel` along the other dim.
  const float* weights = nullptr;
  ImageSteps weight_steps{};
  const float* bias = nullptr;  // groups * out_c, or null
  float* out = nullptr;
  ImageSteps out_steps{};
};

// REQUIRES: a filter is dense in memory: (in_c, rows, columns) or (rows, columns, in_c).
void convolve_floats(const FloatConvolution& c);

// Any steps.
void convolve_floats_transposed(const FloatConvolution& c);

// REQUIRES: in_c == 1, and the columns of in and out are dense, or their channels are and out_c
// is 1.
void convolve_floats_depthwise(const FloatConvolution& c);

}  // namespace berth::runtime
