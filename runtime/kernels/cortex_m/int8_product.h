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
// row_offset counts for nothing; `gap` bytes are between one and the next.
void multiply_group(const RowGroup& rows, const Int8Filters& filters, const ChannelBlock& block,
                    int8_t* out, size_t row_stride, size_t gap = 0);

}  // namespace berth::runtime
