#include "runtime/kernels/matrix_product.h"

namespace berth::runtime {
namespace {

// One filter widened, with zeros up to the tile's own padding, then dotted with all rows at once.
// The plain shape of the loop is what lets gcc and clang see a widening dot product in it.
template <typename Sum>
void multiply_rows(const int16_t* tile, int rows, int depth, const int8_t* weights,
                   size_t weight_stride, int outputs, int filter_offset, Sum* sums) {
  alignas(16) int16_t filter[kTileDepth];
  const int padded = (depth + kTileAlign - 1) / kTileAlign * kTileAlign;
  for (int i = depth; i < padded; ++i) filter[i] = 0;
  for (int output = 0; output < outputs; ++output) {
    const int8_t* weight = weights + output * weight_stride;
    for (int i = 0; i < depth; ++i) filter[i] = static_cast<int16_t>(weight[i] + filter_offset);
    int32_t total[kTileRows] = {};
    for (int i = 0; i < padded; ++i) {
      for (int r = 0; r < kTileRows; ++r) total[r] += tile[r * kTileDepth + i] * filter[i];
    }
    for (int r = 0; r < rows; ++r)
      sums[r * kTileOutputs<Sum> + output] += static_cast<Sum>(total[r]);
  }
}

template <typename Sum>
void multiply_row(const int16_t* tile, int depth, const int8_t* weights, size_t weight_stride,
                  int outputs, int filter_offset, Sum* sums) {
  int32_t row_total = 0;
  if (filter_offset != 0) {
    for (int i = 0; i < depth; ++i) row_total += tile[i];
  }
  for (int output = 0; output < outputs; ++output) {
    const int8_t* weight = weights + output * weight_stride;
    int32_t total = 0;
    for (int i = 0; i < depth; ++i) total += tile[i] * static_cast<int16_t>(weight[i]);
    sums[output] += static_cast<Sum>(total + row_total * filter_offset);
  }
}

template <typename T>
void widen_elements(const T* in, int count, int offset, int16_t* out) {
  for (int i = 0; i < count; ++i) out[i] = static_cast<int16_t>(in[i] + offset);
}

}  // namespace

template <typename Sum>
void multiply_tile(const int16_t* tile, int rows, int depth, const int8_t* weights,
                   size_t weight_stride, int outputs, int filter_offset, Sum* sums) {
  if (rows == 1) {
    multiply_row(tile, depth, weights, weight_stride, outputs, filter_offset, sums);
  } else {
    multiply_rows(tile, rows, depth, weights, weight_stride, outputs, filter_offset, sums);
  }
}
template void multiply_tile<uint32_t>(const int16_t*, int, int, const int8_t*, size_t, int, int,
                                      uint32_t*);
template void multiply_tile<int64_t>(const int16_t*, int, int, const int8_t*, size_t, int, int,
                                     int64_t*);

void widen(const int8_t* in, int count, int offset, int16_t* out) {
  widen_elements(in, count, offset, out);
}
void widen(const int16_t* in, int count, int offset, int16_t* out) {
  widen_elements(in, count, offset, out);
}

}  // namespace berth::runtime
