// Images as pooling and resizing see them, (channels, rows, columns) with or without a batch in
// front, and windows over them.
#pragma once

#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {

// Elements between neighbours of an image (batch, channel, row, column) in memory.
struct ImageSteps {
  size_t batch, channel, row, column;
};

// REQUIRES: rank 3 or 4.
inline ImageSteps image_steps(const Tensor& tensor) {
  size_t strides[kMaxRank];
  compute_strides(tensor, strides);
  if (tensor.rank == 4) return {strides[0], strides[1], strides[2], strides[3]};
  return {0, strides[0], strides[1], strides[2]};
}

// Kernel indices [begin, end) whose inputs lie inside an image; index 0 is at input `start`, which
// may be negative.
struct Taps {
  int64_t begin, end, start;
};

// A window along one dim.
struct Window {
  int64_t in = 1, out = 1;
  int64_t kernel = 1, stride = 1, pad = 0, dilation = 1;

  // Of output `at`. None where begin >= end.
  Taps taps(int64_t at) const {
    Taps taps{0, kernel, at * stride - pad};
    if (taps.start < 0) taps.begin = (-taps.start + dilation - 1) / dilation;
    const int64_t past = in - taps.start;  // inputs left of the end
    const int64_t end = past <= 0 ? 0 : (past + dilation - 1) / dilation;
    if (end < taps.end) taps.end = end;
    return taps;
  }
};

struct ImagePool {
  int64_t batch = 1, channels = 1;
  Window rows, columns;
  ImageSteps in_steps{};
};

// The list's entries for rows and columns; one entry means both. An empty list leaves both as they
// are.
inline Status read_window_list(const Args& args, uint32_t index, int64_t low, int64_t* rows,
                               int64_t* columns) {
  const uint32_t count = args.list_size(index);
  KERNEL_REQUIRE(count <= 2, kBadArguments);
  if (count == 0) return Status::kOk;
  *rows = args.int_at(index, 0);
  *columns = args.int_at(index, count - 1);
  KERNEL_REQUIRE(*rows >= low && fits<int32_t>(*rows) && *columns >= low && fits<int32_t>(*columns),
                 kBadArguments);
  return Status::kOk;
}

// Sets out from the rest. With ceil the last window may begin inside the image and end outside, but
// not begin in the padding behind it.
inline Status fit_window(bool ceil, Window* w) {
  const int64_t reach = w->dilation * (w->kernel - 1) + 1;
  KERNEL_REQUIRE(w->pad <= reach / 2, kBadArguments);
  const int64_t room = w->in + 2 * w->pad - reach;
  KERNEL_REQUIRE(room >= 0 || (ceil && room + w->stride > 0), kBadShape);
  w->out = (room + (ceil ? w->stride - 1 : 0)) / w->stride + 1;
  if (ceil && (w->out - 1) * w->stride >= w->in + w->pad) --w->out;
  KERNEL_REQUIRE(w->out > 0 && fits<int32_t>(w->out), kBadShape);
  return Status::kOk;
}

// (input, kernel, stride, padding, ...) at arguments 0 to 3; dilations are set before.
inline Status read_pool(const Args& args, bool ceil, ImagePool* pool, Sizes* out) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(in.rank == 3 || in.rank == 4, kBadShape);
  const int lead = in.rank - 3;
  pool->batch = lead == 1 ? in.sizes[0] : 1;
  pool->channels = in.sizes[lead];
  pool->rows.in = in.sizes[lead + 1];
  pool->columns.in = in.sizes[lead + 2];
  KERNEL_REQUIRE(pool->rows.in > 0 && pool->columns.in > 0, kBadShape);
  KERNEL_REQUIRE(args.list_size(1) > 0, kBadArguments);
  KERNEL_TRY(read_window_list(args, 1, 1, &pool->rows.kernel, &pool->columns.kernel));
  pool->rows.stride = pool->rows.kernel;
  pool->columns.stride = pool->columns.kernel;
  KERNEL_TRY(read_window_list(args, 2, 1, &pool->rows.stride, &pool->columns.stride));
  KERNEL_TRY(read_window_list(args, 3, 0, &pool->rows.pad, &pool->columns.pad));
  KERNEL_TRY(fit_window(ceil, &pool->rows));
  KERNEL_TRY(fit_window(ceil, &pool->columns));
  *out = Sizes(in);
  out->at[lead + 1] = static_cast<int32_t>(pool->rows.out);
  out->at[lead + 2] = static_cast<int32_t>(pool->columns.out);
  pool->in_steps = image_steps(in);
  return Status::kOk;
}

// visit(n, channel, row, column) for every output position.
template <typename Visit>
void for_each_pixel(int64_t batch, int64_t channels, int64_t rows, int64_t columns,
                    const Visit& visit) {
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) visit(n, channel, row, column);
      }
    }
  }
}

inline size_t image_offset(const ImageSteps& steps, int64_t n, int64_t channel, int64_t row,
                           int64_t column) {
  return static_cast<size_t>(n) * steps.batch + static_cast<size_t>(channel) * steps.channel +
         static_cast<size_t>(row) * steps.row + static_cast<size_t>(column) * steps.column;
}

}  // namespace berth::runtime
