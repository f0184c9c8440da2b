// Products of float32 matrices, for matmul, linear and convolution, without scratch memory: no
// stock schema has a slot for it.
//
//              8 columns
//              ┌──────┐         a panel: up to 128 x 8 elements of the right matrix, read in place
//              │▒▒▒▒▒▒│ depth   where its rows are dense, else copied to the stack (4 KiB).
//              └──────┘         Convolution fills one with the pixels under its window.
//   4 rows ▒▒▒ ┌──────┐         4 x 8 sums in eight SSE registers; a step of depth reads
//              │ sums │         two vectors of the panel and four numbers of the left matrix,
//              └──────┘         which may have any strides.
//
// Vector extensions and not a loop left to the vectoriser: compilers lose the 32 sums to memory in
// the plain form. Where depth is longer than a panel, partial sums stay in the output.
#pragma once

#include <cstddef>

namespace berth::runtime {

constexpr int kProductRows = 4;
constexpr int kProductLanes = 8;
constexpr int kPanelDepth = 128;

// Element (row, column) lies at data[row * row_step + column * column_step]; steps in elements.
struct FloatMatrix {
  const float* data;
  size_t row_step;
  size_t column_step;
};

// Where a product goes. The sums of row r start from bias[r]; from 0 where bias is null.
struct ProductOutput {
  float* data;
  size_t row_step;
  size_t column_step;
  const float* bias;
};

// Adds left (rows x depth) times a panel (depth x lanes) to columns [column, column + lanes) of
// out; with `begin` the old contents are not read. panel: rows of kProductLanes readable elements,
// panel_step apart. lanes: 1 .. kProductLanes.
void multiply_panel(const FloatMatrix& left, size_t rows, int depth, const float* panel,
                    size_t panel_step, size_t column, int lanes, bool begin,
                    const ProductOutput& out);

// out (rows x columns) = left (rows x depth) times right (depth x columns). depth may be 0.
void multiply_matrices(const FloatMatrix& left, const FloatMatrix& right, size_t rows, size_t depth,
                       size_t columns, const ProductOutput& out);

}  // namespace berth::runtime
