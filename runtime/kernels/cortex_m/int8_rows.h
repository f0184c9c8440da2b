// Rows times filters where both may have an offset: linear layers and products of matrices.
//
//     sum of (a + row_offset) * (b + filter_offset)
//         = sum of (a + row_offset) * b                            <- multiply_one_row
//           + filter_offset * (sum of a + depth * row_offset)      <- a row's own start
#pragma once

#include "runtime/kernels/cortex_m/int8_product.h"

namespace berth::runtime {

struct Int8Rows {
  const int8_t* at;
  size_t count;
  int32_t filter_offset;
};

// Row r's outputs go to out + r * row_stride.
inline void multiply_rows(const Int8Rows& rows, const Int8Filters& filters, int8_t* out,
                          size_t row_stride) {
  const int8_t* row = rows.at;
  for (size_t n = rows.count; n > 0; --n, row += filters.depth, out += row_stride) {
    int32_t start = 0;
    if (rows.filter_offset != 0) {
      const int32_t sum =
          wrapping_add(sum_of(row, filters.depth),
                       wrapping_mul(filters.row_offset, static_cast<int32_t>(filters.depth)));
      start = wrapping_mul(rows.filter_offset, sum);
    }
    multiply_one_row(row, start, filters, out);
  }
}

}  // namespace berth::runtime
