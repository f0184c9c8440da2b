#include "runtime/kernels/portable/float_product.h"

#include <cstring>

namespace berth::runtime {
namespace {

typedef float Vector __attribute__((vector_size(16)));
constexpr int kWidth = 4;
constexpr int kVectors = kProductLanes / kWidth;

// No function returns a vector: where there are no registers for them, compilers warn of the ABI.
inline void load(const float* from, Vector* value) { memcpy(value, from, sizeof(*value)); }

// sums: kRows x kProductLanes.
template <int kRows>
void multiply_rows(const float* const (&left)[kRows], size_t left_step, int depth,
                   const float* panel, size_t panel_step, float* sums) {
  Vector total[kRows][kVectors] = {};
  size_t at = 0;
  for (int k = 0; k < depth; ++k) {
    Vector low, high;
    load(panel, &low);
    load(panel + kWidth, &high);
    for (int r = 0; r < kRows; ++r) {
      const float factor = left[r][at];
      total[r][0] += factor * low;
      total[r][1] += factor * high;
    }
    at += left_step;
    panel += panel_step;
  }
  memcpy(sums, total, sizeof(total));
}

// Adds one row of sums to the output.
inline void store_row(const float* sums, size_t row, size_t column, int lanes, bool begin,
                      const ProductOutput& out) {
  float* to = out.data + row * out.row_step + column * out.column_step;
  const float start = begin && out.bias != nullptr ? out.bias[row] : 0.0f;
  if (lanes == kProductLanes && out.column_step == 1) {
    if (begin) {
      for (int i = 0; i < kProductLanes; ++i) to[i] = start + sums[i];
    } else {
      for (int i = 0; i < kProductLanes; ++i) to[i] += sums[i];
    }
    return;
  }
  for (int i = 0; i < lanes; ++i) {
    float& cell = to[static_cast<size_t>(i) * out.column_step];
    cell = (begin ? start : cell) + sums[i];
  }
}

// For few columns of a right matrix that is dense along depth: out[r][c] as the dot product of two
// dense vectors, four rows at once.
void multiply_by_dots(const FloatMatrix& left, const FloatMatrix& right, size_t rows, size_t depth,
                      size_t columns, const ProductOutput& out) {
  const size_t whole = depth - depth % kWidth;
  for (size_t row = 0; row < rows; row += kProductRows) {
    const size_t count = rows - row < kProductRows ? rows - row : kProductRows;
    const float* a[kProductRows];
    for (size_t r = 0; r < kProductRows; ++r)
      a[r] = left.data + (row + (r < count ? r : count - 1)) * left.row_step;
    for (size_t column = 0; column < columns; ++column) {
      const float* b = right.data + column * right.column_step;
      Vector total[kProductRows] = {};
      for (size_t k = 0; k < whole; k += kWidth) {
        Vector factors, line;
        load(b + k, &factors);
        for (int r = 0; r < kProductRows; ++r) {
          load(a[r] + k, &line);
          total[r] += line * factors;
        }
      }
      for (size_t r = 0; r < count; ++r) {
        float sum = (total[r][0] + total[r][1]) + (total[r][2] + total[r][3]);
        for (size_t k = whole; k < depth; ++k) sum += a[r][k] * b[k];
        if (out.bias != nullptr) sum += out.bias[row + r];
        out.data[(row + r) * out.row_step + column * out.column_step] = sum;
      }
    }
  }
}

// Below this many uses of a panel a copy of it costs more than it saves.
constexpr size_t kRowsWorthACopy = 32;
constexpr size_t kColumnsForDots = 4;

}  // namespace

void multiply_panel(const FloatMatrix& left, size_t rows, int depth, const float* panel,
                    size_t panel_step, size_t column, int lanes, bool begin,
                    const ProductOutput& out) {
  alignas(16) float sums[kProductRows * kProductLanes];
  size_t row = 0;
  for (; row + 1 < rows; row += kProductRows) {
    const int count = static_cast<int>(rows - row < kProductRows ? rows - row : kProductRows);
    const float* lines[kProductRows];
    for (int r = 0; r < kProductRows; ++r)
      lines[r] = left.data + (row + static_cast<size_t>(r < count ? r : count - 1)) * left.row_step;
    multiply_rows(lines, left.column_step, depth, panel, panel_step, sums);
    for (int r = 0; r < count; ++r)
      store_row(sums + r * kProductLanes, row + static_cast<size_t>(r), column, lanes, begin, out);
  }
  if (row < rows) {
    const float* const line[1] = {left.data + row * left.row_step};
    multiply_rows(line, left.column_step, depth, panel, panel_step, sums);
    store_row(sums, row, column, lanes, begin, out);
  }
}

void multiply_matrices(const FloatMatrix& left, const FloatMatrix& right, size_t rows, size_t depth,
                       size_t columns, const ProductOutput& out) {
  if (right.row_step == 1 && left.column_step == 1 && columns < kColumnsForDots) {
    multiply_by_dots(left, right, rows, depth, columns, out);
    return;
  }
  if (left.column_step == 1 && right.row_step == 1 && rows < kColumnsForDots &&
      out.bias == nullptr) {
    // The transposed product has the few columns.
    multiply_by_dots({right.data, right.column_step, 1}, {left.data, 1, left.row_step}, columns,
                     depth, rows, {out.data, out.column_step, out.row_step, nullptr});
    return;
  }
  alignas(16) float copy[kPanelDepth * kProductLanes];
  size_t from = 0;
  do {
    const size_t rest = depth - from;
    const int length = static_cast<int>(rest < kPanelDepth ? rest : kPanelDepth);
    const FloatMatrix part{left.data + from * left.column_step, left.row_step, left.column_step};
    for (size_t column = 0; column < columns; column += kProductLanes) {
      const size_t columns_left = columns - column;
      const int lanes =
          static_cast<int>(columns_left < kProductLanes ? columns_left : kProductLanes);
      const float* panel = right.data + from * right.row_step + column * right.column_step;
      size_t panel_step = right.row_step;
      const bool dense = right.column_step == 1 && lanes == kProductLanes;
      if (!dense || rows >= kRowsWorthACopy) {
        for (int k = 0; k < length; ++k) {
          const float* source = panel + static_cast<size_t>(k) * right.row_step;
          float* line = copy + k * kProductLanes;
          if (dense) {
            memcpy(line, source, sizeof(float) * kProductLanes);
          } else {
            for (int i = 0; i < kProductLanes; ++i)
              line[i] = i < lanes ? source[static_cast<size_t>(i) * right.column_step] : 0.0f;
          }
        }
        panel = copy;
        panel_step = kProductLanes;
      }
      multiply_panel(part, rows, length, panel, panel_step, column, lanes, from == 0, out);
    }
    from += static_cast<size_t>(length);
  } while (from < depth);
}

}  // namespace berth::runtime
