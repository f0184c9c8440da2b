// Sums over the rows of a matrix, column by column, and over rows themselves: what means are made
// of. On a Cortex-M some columns at a time, whose sums stay in registers.
#pragma once

#include "contract/fixed_point.h"
#include "contract/isa.h"
#include "runtime/kernels/cortex_m/int8_dot.h"

namespace berth::runtime {

// sums[c] += the sum of in[r * row_step + c], modulo 2^32. REQUIRES, where there is MVE: room for
// the sums up to a multiple of four.
template <typename T>
void add_columns(const T* in, size_t row_step, size_t rows, size_t columns, int32_t* sums) {
  for (; columns >= 4 && kBuildIsa != Isa::kHost; columns -= 4, in += 4, sums += 4) {
    const T* row = in;
    int32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
    for (size_t r = rows; r > 0; --r, row += row_step) {
      s0 = wrapping_add(s0, row[0]), s1 = wrapping_add(s1, row[1]);
      s2 = wrapping_add(s2, row[2]), s3 = wrapping_add(s3, row[3]);
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
  }
  for (size_t r = 0; r < rows; ++r, in += row_step) {
    for (size_t c = 0; c < columns; ++c) sums[c] = wrapping_add(sums[c], in[c]);
  }
}

#if defined(__ARM_FEATURE_MVE)

template <>
inline void add_columns<int8_t>(const int8_t* in, size_t row_step, size_t rows, size_t columns,
                                int32_t* sums) {
  for (; columns >= 16; columns -= 16, in += 16, sums += 16) {
    const int8_t* row = in;
    int32x4_t s0 = vld1q_s32(sums), s1 = vld1q_s32(sums + 4);
    int32x4_t s2 = vld1q_s32(sums + 8), s3 = vld1q_s32(sums + 12);
    for (size_t r = rows; r > 0; --r, row += row_step) {
      s0 = vaddq_s32(s0, vldrbq_s32(row)), s1 = vaddq_s32(s1, vldrbq_s32(row + 4));
      s2 = vaddq_s32(s2, vldrbq_s32(row + 8)), s3 = vaddq_s32(s3, vldrbq_s32(row + 12));
    }
    vst1q_s32(sums, s0), vst1q_s32(sums + 4, s1);
    vst1q_s32(sums + 8, s2), vst1q_s32(sums + 12, s3);
  }
  for (size_t c = 0; c < columns; c += 4) {
    const int8_t* row = in + c;
    const mve_pred16_t present = vctp32q(columns - c);
    int32x4_t s = vld1q_s32(sums + c);
    for (size_t r = rows; r > 0; --r, row += row_step) {
      s = vaddq_s32(s, vldrbq_z_s32(row, present));
    }
    vst1q_s32(sums + c, s);
  }
}

#elif defined(__ARM_FEATURE_DSP)

template <>
inline void add_columns<int8_t>(const int8_t* in, size_t row_step, size_t rows, size_t columns,
                                int32_t* sums) {
  constexpr size_t kMost = 256;  // terms whose sum has 16 bits
  for (; columns >= 4; columns -= 4, in += 4, sums += 4) {
    const int8_t* row = in;
    for (size_t left = rows; left > 0;) {
      size_t some = left < kMost ? left : kMost;
      left -= some;
      int32_t even = 0, odd = 0;
      for (; some > 0; --some, row += row_step) {
        const int32_t word = load_word(row);
        even = __sxtab16(even, word);
        odd = odd_bytes_plus(odd, word);
      }
      sums[0] = wrapping_add(sums[0], static_cast<int16_t>(even));
      sums[1] = wrapping_add(sums[1], static_cast<int16_t>(odd));
      sums[2] = wrapping_add(sums[2], even >> 16);
      sums[3] = wrapping_add(sums[3], odd >> 16);
    }
  }
  for (size_t c = 0; c < columns; ++c) {
    const int8_t* row = in + c;
    for (size_t r = rows; r > 0; --r, row += row_step) sums[c] = wrapping_add(sums[c], *row);
  }
}

#endif

// sums[c] += the sum of in[c * column_step + r * row_step], modulo 2^32. REQUIRES: as add_columns.
template <typename T>
void add_terms(const T* in, size_t row_step, size_t rows, size_t column_step, size_t columns,
               int32_t* sums) {
  if (column_step == 1) return add_columns(in, row_step, rows, columns, sums);
  for (size_t c = 0; c < columns; ++c, in += column_step) {
    if constexpr (sizeof(T) == 1) {
      if (row_step == 1) {
        sums[c] = wrapping_add(sums[c], sum_of(in, rows));
        continue;
      }
    }
    const T* term = in;
    int32_t sum = sums[c];
    for (size_t r = rows; r > 0; --r, term += row_step) sum = wrapping_add(sum, *term);
    sums[c] = sum;
  }
}

}  // namespace berth::runtime
