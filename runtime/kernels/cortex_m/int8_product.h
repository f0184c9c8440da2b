// Rows of int8 activations times int8 filters, from the sums to the outputs: what convolution and
// linear layers are made of on a Cortex-M.
//
// Convolution takes a group of rows at a time. With MVE and on plain processors these are four rows
// as they lie; with the DSP extension two that were widened to 16 bits before (a Column), so that
// many filters share the work.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/cortex_m/int8_dot.h"
#include "runtime/kernels/cortex_m/int8_scale.h"

namespace berth::runtime {

// Filters that lie one after the other, and what their outputs need.
struct Int8Filters {
  const int8_t* weights;
  size_t depth;
  int count;
  Int8Channels channels;
  Int8Bounds bounds;
  int32_t row_offset;  // added to the elements of a row
};

// One row; `start` is added to every sum. MVE pays for a row_offset that is not 0: it reads the
// filters twice.
void multiply_one_row(const int8_t* row, int32_t start, const Int8Filters& filters, int8_t* out);

// A window's taps that meet the image, each a row of `depth` inputs and a part of every filter;
// steps from one tap to the next and from one row of taps to the next, in elements.
struct TapGrid {
  const int8_t* in;       // the first tap's inputs
  const int8_t* weights;  // and its part of the first filter
  const int32_t* shares;  // MVE: what the offset adds for it, one per filter; not read if offset 0
  int rows, columns;
  ptrdiff_t in_step, in_row_step, weight_step, weight_row_step, share_step, share_row_step;
};

// One position. filters.depth: from one filter to the next.
void multiply_taps(const TapGrid& taps, size_t depth, const Int8Filters& filters, int8_t* out);

#if defined(__ARM_FEATURE_MVE)
// Four positions that meet the same taps: position r's inputs lie r * in_distance further, its
// outputs r * row_stride.
void multiply_taps_of_four(const TapGrid& taps, size_t depth, const Int8Filters& filters,
                           ptrdiff_t in_distance, int8_t* out, size_t row_stride);
#endif

#if defined(__ARM_FEATURE_DSP) && !defined(__ARM_FEATURE_MVE)

constexpr int kGroupRows = 2;
constexpr bool kGroupAddsOffset = true;  // when a row is widened
// In four elements the second and third change places: what SXTB16 makes of a word.
using Column = int16_t;
constexpr size_t column_bytes(size_t depth) { return (depth + 3) / 4 * 4 * sizeof(Column); }

// `raw` may be the second half of `column`.
void widen_row(const int8_t* raw, size_t depth, int32_t offset, Column* column);

#else

constexpr int kGroupRows = 4;
constexpr bool kGroupAddsOffset = false;  // its share is in the bias
using Column = int8_t;
constexpr size_t column_bytes(size_t depth) { return depth; }

#endif

struct RowGroup {
  const Column* row[kGroupRows];
};

// What the channels of a block of filters need, at fixed distances: one pointer finds it all.
struct ChannelBlock {
  static constexpr int kSize = 64;
  int32_t bias[kSize], multipliers[kSize], shifts[kSize];
};

// Row r's outputs go to out + r * row_stride. The filters' channels are those of the block; their
// row_offset counts for nothing.
void multiply_group(const RowGroup& rows, const Int8Filters& filters, const ChannelBlock& block,
                    int8_t* out, size_t row_stride);

}  // namespace berth::runtime
