// How many bytes of scratch an operator's kernel needs: bytes = f(parameters, isa). The compiler
// reserves them, the kernel checks them; nothing is looked up in a table. The numbers are those of
// the vendor's library for that ISA (GCC builds), because a cortex_m:: name promises them: our
// files run on its kernels too. On the host our own kernels need none.
//
// All of it is total: parameters come from files. Sizes that no memory could hold, and negative or
// zero parameters where there is no meaning, give kNoScratchSize.
#pragma once

#include <cstdint>

#include "contract/isa.h"

namespace berth {

constexpr uint64_t kNoScratchSize = UINT64_MAX;

// Names of the two buffers of a transpose convolution, in the order of the operator's arguments.
constexpr const char* kScratchName = "scratch";
constexpr const char* kOutputScratchName = "output_scratch";

// A two-dimensional window over an image; all counts in elements. The fields that a rule does not
// read may stay as they are.
struct WindowShape {
  int64_t batch = 1, in_h = 1, in_w = 1, in_c = 1;  // input
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t kernel_c = 1;  // input channels per filter: in_c unless the convolution has groups
  int64_t out_h = 1, out_w = 1, out_c = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t pad_h = 0, pad_w = 0;  // top and left
  int64_t dilation_h = 1, dilation_w = 1;
};

namespace scratch_detail {

// Where size counts a product is a call: it takes as many bytes as a call does instructions.
#ifdef __OPTIMIZE_SIZE__
#define BERTH_ONE_COPY [[gnu::noinline]]
#else
#define BERTH_ONE_COPY
#endif

// Products and sums that stick at kNoScratchSize.
BERTH_ONE_COPY constexpr uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product = 0;  // without a division, which small processors do in a hundred instructions
  return __builtin_mul_overflow(a, b, &product) ? kNoScratchSize : product;
}
#undef BERTH_ONE_COPY
constexpr uint64_t plus(uint64_t a, uint64_t b) {
  return a > kNoScratchSize - b ? kNoScratchSize : a + b;
}
// REQUIRES: `multiple` is a power of two.
constexpr uint64_t round_up(uint64_t a, uint64_t multiple) {
  return a > kNoScratchSize - multiple ? kNoScratchSize : (a + multiple - 1) & (0 - multiple);
}
// REQUIRES: both are in the range of sizes.
constexpr int64_t divide_up(int64_t a, int64_t b) {
  return static_cast<uint32_t>(a + b - 1) / static_cast<uint32_t>(b);
}
constexpr int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// Every count in 1 .. 2^31-1 and every padding in 0 .. 2^31-1: what is left cannot overflow in
// signed 64-bit sums.
constexpr bool in_range(const WindowShape& s) {
  const int64_t counts[] = {s.batch,    s.in_h,     s.in_w,       s.in_c,      s.kernel_h,
                            s.kernel_w, s.kernel_c, s.out_h,      s.out_w,     s.out_c,
                            s.stride_h, s.stride_w, s.dilation_h, s.dilation_w};
  for (int64_t count : counts) {
    if (count < 1 || count > INT32_MAX) return false;
  }
  return s.pad_h >= 0 && s.pad_h <= INT32_MAX && s.pad_w >= 0 && s.pad_w <= INT32_MAX;
}

// Four int8 columns of whole vectors with MVE; two int16 columns of whole words otherwise.
constexpr uint64_t im2col_bytes(const WindowShape& s, Isa isa) {
  const uint64_t column = times(times(s.in_c, s.kernel_h), s.kernel_w);
  return times(4, round_up(column, isa == Isa::kMve ? 16 : 4));
}

// MVE, one row: the columns at the left and right edge are copied out with their padding, those
// between are read in place. When the edges meet, there is nothing between and im2col takes over.
constexpr uint64_t one_row_bytes_mve(const WindowShape& s) {
  const int64_t total_pad = (s.out_w - 1) * s.stride_w + s.kernel_w - s.in_w;
  // The remainder has the sign of total_pad, there as here.
  const int64_t right_pad = s.pad_w + total_pad % 2;
  const int64_t left_columns = divide_up(s.pad_w, s.stride_w);
  const int64_t right_columns = right_pad > 0 ? divide_up(right_pad, s.stride_w) : right_pad < 0;
  if (left_columns + right_columns > s.out_w) return im2col_bytes(s, Isa::kMve);
  return times(s.in_c, larger(s.kernel_w + s.pad_w, s.kernel_w - 1 + right_pad));
}

constexpr uint64_t conv2d_bytes(const WindowShape& s, Isa isa) {
  const bool whole_depth = s.in_c == s.kernel_c;
  if (whole_depth && s.kernel_h == 1 && s.kernel_w == 1 && s.pad_h == 0 && s.pad_w == 0 &&
      s.dilation_h == 1 && s.dilation_w == 1) {
    return 0;  // a matrix product, read in place
  }
  const bool one_row = whole_depth && s.in_h == 1 && s.kernel_h == 1 && s.dilation_w == 1 &&
                       (s.stride_w * s.in_c) % 4 == 0;
  return one_row && isa == Isa::kMve ? one_row_bytes_mve(s) : im2col_bytes(s, isa);
}

// Strides up to 2 and more than 16 channels: the input is spread out and convolved with the filters
// turned round.
constexpr bool transposes_by_convolution(const WindowShape& s) {
  return s.stride_h <= 2 && s.stride_w <= 2 && s.in_c > 16;
}

}  // namespace scratch_detail

constexpr uint64_t conv2d_scratch_bytes(const WindowShape& shape, Isa isa) {
  if (!scratch_detail::in_range(shape)) return kNoScratchSize;
  return isa == Isa::kHost ? 0 : scratch_detail::conv2d_bytes(shape, isa);
}

// kernel_c is not read: a depthwise filter sees one channel.
constexpr uint64_t depthwise_conv2d_scratch_bytes(const WindowShape& shape, Isa isa) {
  using namespace scratch_detail;
  if (!in_range(shape)) return kNoScratchSize;
  if (isa == Isa::kHost || isa == Isa::kScalar) return 0;
  const uint64_t taps = times(shape.kernel_h, shape.kernel_w);
  const bool fast = shape.in_c == shape.out_c && shape.batch == 1 && shape.dilation_h == 1 &&
                    shape.dilation_w == 1;
  if (isa == Isa::kDsp) {
    const bool direct =
        shape.kernel_h == 3 && shape.kernel_w == 3 && shape.pad_h <= 1 && shape.pad_w <= 1;
    return fast && !direct ? times(times(shape.in_c, taps), 2) : 0;
  }
  if (fast) return times(4 * 124, taps);  // MVE: four columns of at most 124 channels
  if (shape.in_c != 1 || shape.out_c == 1) return 0;
  // One input channel: an ordinary convolution, after the filters are transposed.
  WindowShape plain = shape;
  plain.kernel_c = 1;
  return plus(conv2d_bytes(plain, isa), times(taps, shape.out_c));
}

// The first buffer ("scratch"): columns, or the int32 rows under construction.
constexpr uint64_t transpose_conv2d_scratch_bytes(const WindowShape& shape, Isa isa) {
  using namespace scratch_detail;
  if (!in_range(shape)) return kNoScratchSize;
  if (isa == Isa::kHost) return 0;
  if (transposes_by_convolution(shape)) return im2col_bytes(shape, isa);
  // stride_h in the width is no slip of ours: the library's own size has it.
  const int64_t row = (shape.in_w - 1) * shape.stride_w + larger(shape.kernel_w, shape.stride_h);
  return times(times(times(row, shape.out_c), larger(shape.kernel_h, shape.stride_h)), 4);
}

// The second buffer ("output_scratch"): the filters, turned round.
constexpr uint64_t transpose_conv2d_output_scratch_bytes(const WindowShape& shape, Isa isa) {
  using namespace scratch_detail;
  if (!in_range(shape)) return kNoScratchSize;
  if (isa == Isa::kHost || !transposes_by_convolution(shape)) return 0;
  return times(times(times(shape.in_c, shape.kernel_h), shape.kernel_w), shape.out_c);
}

// outputs: rows of the weights or columns of the right-hand side. With MVE one int32 sum for each.
// quantized_linear has no such slot: the compiler brings the sums as a constant (kernel_sum).
constexpr uint64_t fully_connected_scratch_bytes(int64_t outputs, Isa isa) {
  if (outputs < 1 || outputs > INT32_MAX) return kNoScratchSize;
  return isa == Isa::kMve ? 4 * static_cast<uint64_t>(outputs) : 0;
}

constexpr uint64_t batch_matmul_scratch_bytes(int64_t rhs_columns, Isa isa) {
  return fully_connected_scratch_bytes(rhs_columns, isa);
}

constexpr uint64_t avg_pool2d_scratch_bytes(int64_t channels, Isa isa) {
  if (channels < 1 || channels > INT32_MAX) return kNoScratchSize;
  return isa == Isa::kDsp ? 4 * static_cast<uint64_t>(channels) : 0;
}

}  // namespace berth
