#include "runtime/kernels/cortex_m/int8_convolution.h"

#include <cstring>

#include "runtime/kernels/cortex_m/int8_product.h"

namespace berth::runtime {
namespace {

// A window's geometry in 32 bits, and the position it stands at.
class WindowWalk {
 public:
  WindowWalk(const WindowShape& s, const int8_t* in, int32_t first_channel, int8_t padding)
      : in_(in + first_channel),
        in_h_(static_cast<int32_t>(s.in_h)),
        in_w_(static_cast<int32_t>(s.in_w)),
        in_c_(static_cast<int32_t>(s.in_c)),
        kernel_h_(static_cast<int32_t>(s.kernel_h)),
        kernel_w_(static_cast<int32_t>(s.kernel_w)),
        channels_(static_cast<int32_t>(s.kernel_c)),
        stride_h_(static_cast<int32_t>(s.stride_h)),
        stride_w_(static_cast<int32_t>(s.stride_w)),
        pad_h_(static_cast<int32_t>(s.pad_h)),
        pad_w_(static_cast<int32_t>(s.pad_w)),
        dilation_h_(static_cast<int32_t>(s.dilation_h)),
        dilation_w_(static_cast<int32_t>(s.dilation_w)),
        out_h_(static_cast<int32_t>(s.out_h)),
        out_w_(static_cast<int32_t>(s.out_w)),
        padding_(padding),
        whole_rows_(channels_ == in_c_ && (dilation_w_ == 1 || kernel_w_ == 1)),
        top_(-pad_h_),
        left_(-pad_w_) {}

  void advance() {
    left_ += stride_w_;
    if (++x_ < out_w_) return;
    x_ = 0;
    left_ = -pad_w_;
    top_ += stride_h_;
    if (++y_ < out_h_) return;
    y_ = 0;
    top_ = -pad_h_;
    in_ += static_cast<size_t>(in_h_) * in_w_ * in_c_;
  }

  // The column where it lies, or null when it is in pieces.
  const int8_t* find_in_place() const {
    const bool one_piece = kernel_h_ == 1 && (whole_rows_ || kernel_w_ == 1);
    const bool inside = top_ >= 0 && top_ < in_h_ && left_ >= 0 && left_ + kernel_w_ <= in_w_;
    return one_piece && inside ? pixel(top_, left_) : nullptr;
  }

  void gather(int8_t* to) const {
    for (int32_t ky = 0, y = top_; ky < kernel_h_; ++ky, y += dilation_h_) {
      const bool inside = y >= 0 && y < in_h_;
      if (!inside) {
        to = pad(kernel_w_, to);
      } else if (whole_rows_) {
        const int32_t first = clamp_to(-left_, 0, kernel_w_);
        const int32_t last = clamp_to(in_w_ - left_, first, kernel_w_);
        to = pad(first, to);
        if (last > first) to = copy(pixel(y, left_ + first), (last - first) * channels_, to);
        to = pad(kernel_w_ - last, to);
      } else {
        for (int32_t kx = 0, x = left_; kx < kernel_w_; ++kx, x += dilation_w_) {
          to = x >= 0 && x < in_w_ ? copy(pixel(y, x), channels_, to) : pad(1, to);
        }
      }
    }
  }

 private:
  const int8_t* pixel(int32_t y, int32_t x) const {
    return in_ + (static_cast<size_t>(y) * in_w_ + x) * in_c_;
  }
  static int8_t* copy(const int8_t* from, int32_t bytes, int8_t* to) {
#if defined(__ARM_FEATURE_MVE)  // most rows of a window are shorter than a call
    int8_t* const end = to + bytes;
    for (int32_t n = bytes / 16; n > 0; --n, from += 16, to += 16) vst1q_s8(to, vld1q_s8(from));
    if (to == end) return end;
    const mve_pred16_t present = vctp8q(static_cast<uint32_t>(end - to));
    vst1q_p_s8(to, vld1q_z_s8(from, present), present);
    return end;
#else
    memcpy(to, from, bytes);
    return to + bytes;
#endif
  }
  int8_t* pad(int32_t pixels, int8_t* to) const {
    const size_t bytes = static_cast<size_t>(pixels) * channels_;
    if (bytes != 0) memset(to, padding_, bytes);
    return to + bytes;
  }

  const int8_t* in_;
  const int32_t in_h_, in_w_, in_c_, kernel_h_, kernel_w_, channels_;
  const int32_t stride_h_, stride_w_, pad_h_, pad_w_, dilation_h_, dilation_w_, out_h_, out_w_;
  const int8_t padding_;
  const bool whole_rows_;
  int32_t x_ = 0, y_ = 0;
  int32_t top_, left_;  // of the window, in the image
};

// Room for columns that cannot be read where they lie.
struct ColumnRoom {
  int8_t* bytes;
  size_t count, size;
};

#if defined(__ARM_FEATURE_DSP) && !defined(__ARM_FEATURE_MVE)

// Every row is widened, those in one piece too: so as many bytes are on the stack where there is no
// scratch. Deeper rows are multiplied one by one.
constexpr size_t kOwnBytes = 1024;

const Column* take_row(const WindowWalk& walk, size_t depth, int32_t offset, const ColumnRoom& room,
                       size_t* used) {
  if (*used == room.count) return nullptr;
  int8_t* const column = room.bytes + (*used)++ * room.size;
  const int8_t* raw = walk.find_in_place();
  if (raw == nullptr) {
    walk.gather(column + room.size / 2);
    raw = column + room.size / 2;
  }
  widen_row(raw, depth, offset, reinterpret_cast<Column*>(column));
  return reinterpret_cast<Column*>(column);
}

// A single row stands in for the second, too.
void multiply_rest(RowGroup rows, int, const Int8Filters& filters, const ChannelBlock& block,
                   int8_t* out, size_t) {
  rows.row[1] = rows.row[0];
  multiply_group(rows, filters, block, out, 0);
}

#else

constexpr size_t kOwnBytes = 1;  // none

const Column* take_row(const WindowWalk& walk, size_t, int32_t, const ColumnRoom& room,
                       size_t* used) {
  if (const int8_t* raw = walk.find_in_place()) return raw;
  if (*used == room.count) return nullptr;
  int8_t* const column = room.bytes + (*used)++ * room.size;
  walk.gather(column);
  return column;
}

void multiply_rest(const RowGroup& rows, int count, const Int8Filters& filters, const ChannelBlock&,
                   int8_t* out, size_t row_stride) {
  for (int r = 0; r < count; ++r) multiply_one_row(rows.row[r], 0, filters, out + r * row_stride);
}

#endif

// All positions, times one block of filters.
void multiply_positions(WindowWalk walk, size_t positions, int32_t offset,
                        const Int8Filters& filters, const ChannelBlock& block,
                        const ColumnRoom& room, int8_t* out, size_t out_c) {
  while (positions > 0) {
    RowGroup group;
    int rows = 0;
    size_t used = 0;
    for (; rows < kGroupRows && static_cast<size_t>(rows) < positions; ++rows, walk.advance()) {
      group.row[rows] = take_row(walk, filters.depth, offset, room, &used);
      if (group.row[rows] == nullptr) break;
    }
    if (rows == kGroupRows) {
      multiply_group(group, filters, block, out, out_c);
    } else if (rows > 0) {
      multiply_rest(group, rows, filters, block, out, out_c);
    } else {  // no room at all: all rows are in one piece
      multiply_one_row(walk.find_in_place(), 0, filters, out);
      walk.advance();
      rows = 1;
    }
    positions -= rows;
    out += rows * out_c;
  }
}

}  // namespace

bool takes_int8_convolution(const WindowShape& s, Span<const int8_t> scratch) {
  const int64_t below = s.out_h * s.stride_h + s.kernel_h * s.dilation_h + s.pad_h;
  const int64_t beside = s.out_w * s.stride_w + s.kernel_w * s.dilation_w + s.pad_w;
  if (below > kInt32Max || beside > kInt32Max) return false;
  using scratch_detail::times;
  const uint64_t depth = times(times(static_cast<uint64_t>(s.kernel_h), s.kernel_w), s.kernel_c);
  if (reinterpret_cast<uintptr_t>(scratch.data()) % 4 != 0) return false;
  if (depth <= kInt32Max && scratch.size() >= column_bytes(static_cast<size_t>(depth))) return true;
  return s.kernel_h == 1 && s.kernel_w == 1 && s.pad_h == 0 && s.pad_w == 0 &&
         (s.out_h - 1) * s.stride_h < s.in_h && (s.out_w - 1) * s.stride_w < s.in_w;
}

void convolve_int8(const WindowShape& shape, const int8_t* in, int32_t in_offset,
                   const int8_t* weights, const OutputStage& stage, Span<int8_t> scratch,
                   int8_t* out) {
  const size_t positions = static_cast<size_t>(shape.batch * shape.out_h * shape.out_w);
  const size_t depth = static_cast<size_t>(shape.kernel_h * shape.kernel_w * shape.kernel_c);
  const int groups = static_cast<int>(shape.in_c / shape.kernel_c);
  const int group_outputs = static_cast<int>(shape.out_c) / groups;
  const int8_t padding = static_cast<int8_t>(-in_offset);
  alignas(4) int8_t own[kOwnBytes];
  ColumnRoom room{scratch.data(), 0, column_bytes(depth)};
  room.count = scratch.size() / room.size;
  if (room.count == 0) {
    room.bytes = own;
    room.count = kOwnBytes / room.size;
  }
  ChannelBlock block;  // 768 bytes of stack
  constexpr int kBlock = ChannelBlock::kSize;
  for (int group = 0; group < groups; ++group) {
    const WindowWalk walk(shape, in, group * static_cast<int32_t>(shape.kernel_c), padding);
    for (int first = 0; first < group_outputs; first += kBlock) {
      const int count = group_outputs - first < kBlock ? group_outputs - first : kBlock;
      const int channel = group * group_outputs + first;
      const int8_t* const filters = weights + channel * depth;
      for (int i = 0; i < count; ++i) {
        block.bias[i] = stage.bias == nullptr ? 0 : stage.bias[channel + i];
        block.multipliers[i] = stage.scaling.multipliers[channel + i];
        block.shifts[i] = stage.scaling.shifts[channel + i];
        if (kGroupAddsOffset) continue;
        const int32_t share = wrapping_mul(in_offset, sum_of(filters + i * depth, depth));
        block.bias[i] = wrapping_add(block.bias[i], share);
      }
      const Int8Channels channels{block.bias, block.multipliers, block.shifts, false};
      multiply_positions(walk, positions, in_offset,
                         {filters,
                          depth,
                          count,
                          channels,
                          {stage.zero_point, stage.range.low, stage.range.high},
                          kGroupAddsOffset ? in_offset : 0},
                         block, room, out + channel, static_cast<size_t>(shape.out_c));
    }
  }
}

}  // namespace berth::runtime
