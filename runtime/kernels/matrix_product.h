// The inner loop of convolution, transpose convolution, linear and batch matmul: rows of
// activations times rows of int8 weights. Made for compilers that turn a sum of int16 products into
// vector instructions (SSE2's pmaddwd does eight at once), and for operators that may not take
// scratch:
//
//                 depth
//            ┌──────────────┐   a tile of kTileRows x kTileDepth activations is widened to int16 on
//   rows     │ ▒▒▒▒ tile    │   the stack, the zero point taken off, what lies outside the image
//            └──────────────┘   made 0; then every filter passes over it, 8 rows per weight read
//   filters  │ ▒▒▒▒         │   weights, read in place
//
// Where depth is longer than a tile, partial sums of a block of outputs stay on the stack and the
// tile is filled again for each block. Stack: under 4 KiB. All sums are exact: an int16 (or an int8
// with zero point) times an int8 stays below 2^24, 128 of them below 2^31; across tiles int32 sums
// wrap as the reference's do, int64 sums cannot overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace berth::runtime {

constexpr int kTileRows = 8;
constexpr int kTileDepth = 128;
constexpr int kTileAlign = 8;  // depths inside a tile are rounded up to this and filled with zeros

// How many outputs are summed at once for an accumulator type: 768 bytes of sums.
template <typename Sum>
constexpr int kTileOutputs = static_cast<int>(96 / sizeof(Sum));

// sums[row * kTileOutputs + output] += tile row * filter. `depth` <= kTileDepth; tile rows are
// kTileDepth apart. filter_offset is added to every weight. rows: 1 .. kTileRows; the tile has
// kTileRows rows unless rows is 1. Sum: uint32_t (an int32 that wraps) or int64_t.
template <typename Sum>
void multiply_tile(const int16_t* tile, int rows, int depth, const int8_t* weights,
                   size_t weight_stride, int outputs, int filter_offset, Sum* sums);
extern template void multiply_tile<uint32_t>(const int16_t*, int, int, const int8_t*, size_t, int,
                                             int, uint32_t*);
extern template void multiply_tile<int64_t>(const int16_t*, int, int, const int8_t*, size_t, int,
                                            int, int64_t*);

// Widens `count` activations. REQUIRES: the sums fit in 16 bits.
void widen(const int8_t* in, int count, int offset, int16_t* out);
void widen(const int16_t* in, int count, int offset, int16_t* out);

// Source: void load(size_t row, size_t k, int count, int16_t* out), `count` elements of `row` from
// `k` on. Sink: void store(size_t row, size_t first_output, int count, const Sum* sums). weights:
// `outputs` filters of `depth`.
template <typename Sum, typename Source, typename Sink>
void multiply(const Source& source, size_t rows, size_t depth, const int8_t* weights,
              size_t outputs, int filter_offset, const Sink& sink) {
  alignas(16) int16_t tile[kTileRows * kTileDepth];
  alignas(16) Sum sums[kTileRows * kTileOutputs<Sum>];
  typename Sink::template Block<kTileOutputs<Sum>> block;

  auto fill = [&](size_t row, int count, size_t k, int length) {
    const int padded = (length + kTileAlign - 1) / kTileAlign * kTileAlign;
    for (int r = 0; r < count; ++r) {
      int16_t* line = tile + r * kTileDepth;
      source.load(row + r, k, length, line);
      for (int i = length; i < padded; ++i) line[i] = 0;
    }
    if (count > 1) {
      for (int r = count; r < kTileRows; ++r)
        memset(tile + r * kTileDepth, 0, sizeof(int16_t) * padded);
    }
  };

  const bool whole = depth <= kTileDepth;
  for (size_t row = 0; row < rows; row += kTileRows) {
    const int row_count = static_cast<int>(rows - row < kTileRows ? rows - row : kTileRows);
    if (whole) fill(row, row_count, 0, static_cast<int>(depth));
    for (size_t output = 0; output < outputs; output += kTileOutputs<Sum>) {
      const size_t left = outputs - output;
      const int output_count =
          static_cast<int>(left < kTileOutputs<Sum> ? left : kTileOutputs<Sum>);
      for (int r = 0; r < row_count; ++r) {
        memset(sums + r * kTileOutputs<Sum>, 0, sizeof(Sum) * output_count);
      }
      for (size_t k = 0; k < depth; k += kTileDepth) {
        const int length = static_cast<int>(depth - k < kTileDepth ? depth - k : kTileDepth);
        if (!whole) fill(row, row_count, k, length);
        multiply_tile<Sum>(tile, row_count, length, weights + output * depth + k, depth,
                           output_count, filter_offset, sums);
      }
      sink.template begin<kTileOutputs<Sum>>(output, output_count, &block);
      for (int r = 0; r < row_count; ++r) {
        sink.template store<kTileOutputs<Sum>>(block, row + r, output, output_count,
                                               sums + r * kTileOutputs<Sum>);
      }
    }
  }
}

}  // namespace berth::runtime
