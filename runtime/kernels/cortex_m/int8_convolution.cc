#include "runtime/kernels/cortex_m/int8_convolution.h"

#include <cstring>

#include "runtime/kernels/byte_copy.h"
#include "runtime/kernels/cortex_m/int8_product.h"
#include "runtime/kernels/cortex_m/window_taps.h"

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
        pieces_(whole_rows_ ? 1 : kernel_w_),
        piece_bytes_(whole_rows_ ? kernel_w_ * channels_ : channels_),
        window_h_((kernel_h_ - 1) * dilation_h_ + 1),
        window_w_((kernel_w_ - 1) * dilation_w_ + 1),
        top_(-pad_h_),
        left_(-pad_w_) {}

  void advance(int positions) {
    left_ += positions * stride_w_;
    x_ += positions;
    if (x_ < out_w_) return;
    x_ = 0;
    left_ = -pad_w_;
    top_ += stride_h_;
    if (++y_ < out_h_) return;
    y_ = 0;
    top_ = -pad_h_;
    in_ += static_cast<size_t>(in_h_) * in_w_ * in_c_;
  }

  // Whether so many positions stand on one line from here on, and their windows inside the image.
  bool is_inside(int positions) const {
    return x_ + positions <= out_w_ && top_ >= 0 && top_ + window_h_ <= in_h_ && left_ >= 0 &&
           left_ + (positions - 1) * stride_w_ + window_w_ <= in_w_;
  }
  // REQUIRES: is_inside.
  const int8_t* place() const { return pixel(top_, left_); }
  ptrdiff_t step() const { return static_cast<ptrdiff_t>(stride_w_) * in_c_; }
  bool in_one_piece() const { return pieces_ == 1 && kernel_h_ == 1; }

  // The column of a window inside the image; `row` is the window's first.
  void gather_inside(const int8_t* row, int8_t* to) const {
    copy_rows(row, kernel_h_, pieces_, piece_bytes_, to);
  }

  // The column of any window: padding first, then what there is.
  void gather_at_edge(int8_t* to) const {
    const TapRange down = taps_inside(top_, kernel_h_, dilation_h_, in_h_);
    const TapRange along = taps_inside(left_, kernel_w_, dilation_w_, in_w_);
    pad(kernel_h_ * kernel_w_ * channels_, to);
    if (down.count == 0 || along.count == 0) return;
    to += (down.first * kernel_w_ + along.first) * channels_;
    copy_rows(pixel(top_ + down.first * dilation_h_, left_ + along.first * dilation_w_), down.count,
              whole_rows_ ? 1 : along.count, whole_rows_ ? along.count * channels_ : channels_, to);
  }

 private:
  const int8_t* pixel(int32_t y, int32_t x) const {
    return in_ + (static_cast<size_t>(y) * in_w_ + x) * in_c_;
  }
  // So many pieces of so many rows of the image, to where the column has them.
  void copy_rows(const int8_t* row, int32_t rows, int32_t pieces, int32_t bytes, int8_t* to) const {
    const int32_t step = dilation_w_ * in_c_, row_bytes = kernel_w_ * channels_;
    const size_t row_step = static_cast<size_t>(dilation_h_) * in_w_ * in_c_;
    for (; rows > 0; --rows, row += row_step, to += row_bytes) {
      const int8_t* from = row;
      int8_t* piece = to;
      for (int32_t n = pieces; n > 0; --n, from += step) piece = copy(from, bytes, piece);
    }
  }
  // REQUIRES: bytes > 0.
  static int8_t* copy(const int8_t* from, int32_t bytes, int8_t* to) {
    copy_some_bytes(reinterpret_cast<const uint8_t*>(from), reinterpret_cast<uint8_t*>(to),
                    static_cast<size_t>(bytes));
    return to + bytes;
  }
  // REQUIRES: bytes > 0.
  void pad(int32_t bytes, int8_t* to) const {
#if defined(__ARM_FEATURE_MVE)
    asm volatile(
        ".syntax unified\n"
        "   vdup.8 q0, %[padding]\n"
        "   dlstp.8 lr, %[bytes]\n"
        "1: vstrb.8 q0, [%[to]], #16\n"
        "   letp lr, 1b\n"
        : [to] "+r"(to)
        : [bytes] "r"(bytes), [padding] "r"(padding_)
        : "q0", "lr", "memory");
#else
    memset(to, padding_, bytes);
#endif
  }

  const int8_t* in_;
  const int32_t in_h_, in_w_, in_c_, kernel_h_, kernel_w_, channels_;
  const int32_t stride_h_, stride_w_, pad_h_, pad_w_, dilation_h_, dilation_w_, out_h_, out_w_;
  const int8_t padding_;
  const bool whole_rows_;
  const int32_t pieces_, piece_bytes_;  // of a row of the window
  const int32_t window_h_, window_w_;   // in the image
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
constexpr bool kNeedsRoom = true;

// A gathered row stands in the second half of what its column will be.
int8_t* place_to_gather(int8_t* column, const ColumnRoom& room) { return column + room.size / 2; }

const Column* finish_row(const int8_t* raw, size_t depth, int32_t offset, int8_t* column) {
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

constexpr size_t kOwnBytes = 1;     // none
constexpr bool kNeedsRoom = false;  // for a row in one piece

int8_t* place_to_gather(int8_t* column, const ColumnRoom&) { return column; }

const Column* finish_row(const int8_t* raw, size_t, int32_t, int8_t*) { return raw; }

void multiply_rest(const RowGroup& rows, int count, const Int8Filters& filters, const ChannelBlock&,
                   int8_t* out, size_t row_stride) {
  for (int r = 0; r < count; ++r) multiply_one_row(rows.row[r], 0, filters, out + r * row_stride);
}

#endif

// A group of rows from windows inside the image, as most are: nothing is asked of each.
[[gnu::noinline]] void take_group(const WindowWalk& walk, size_t depth, int32_t offset,
                                  const ColumnRoom& room, RowGroup* group) {
  const int8_t* raw = walk.place();
  const ptrdiff_t step = walk.step();
  int8_t* column = room.bytes;
  if (walk.in_one_piece()) {
    for (const Column*& row : group->row) {
      row = finish_row(raw, depth, offset, column);
      raw += step, column += room.size;
    }
    return;
  }
  for (const Column*& row : group->row) {
    int8_t* const to = place_to_gather(column, room);
    walk.gather_inside(raw, to);
    row = finish_row(to, depth, offset, column);
    raw += step, column += room.size;
  }
}

// Any row; null where there is no room left for it.
[[gnu::noinline]] const Column* take_row(const WindowWalk& walk, size_t depth, int32_t offset,
                                         const ColumnRoom& room, size_t* used) {
  const bool inside = walk.is_inside(1), in_place = inside && walk.in_one_piece();
  if (in_place && !kNeedsRoom) return finish_row(walk.place(), depth, offset, nullptr);
  if (*used == room.count) return nullptr;
  int8_t* const column = room.bytes + (*used)++ * room.size;
  if (in_place) return finish_row(walk.place(), depth, offset, column);
  int8_t* const to = place_to_gather(column, room);
  if (inside) {
    walk.gather_inside(walk.place(), to);
  } else {
    walk.gather_at_edge(to);
  }
  return finish_row(to, depth, offset, column);
}

// All positions, times one block of filters.
void multiply_positions(WindowWalk walk, size_t positions, int32_t offset,
                        const Int8Filters& filters, const ChannelBlock& block,
                        const ColumnRoom& room, int8_t* out, size_t out_c) {
  const bool has_room =
      room.count >= static_cast<size_t>(kGroupRows) || (walk.in_one_piece() && !kNeedsRoom);
  while (positions > 0) {
    RowGroup group;
    int rows = 0;
    size_t used = 0;
    if (has_room && walk.is_inside(kGroupRows)) {
      take_group(walk, filters.depth, offset, room, &group);
      walk.advance(kGroupRows);
      rows = kGroupRows;
    }
    for (; rows < kGroupRows && static_cast<size_t>(rows) < positions; ++rows, walk.advance(1)) {
      group.row[rows] = take_row(walk, filters.depth, offset, room, &used);
      if (group.row[rows] == nullptr) break;
    }
    if (rows == kGroupRows) {
      multiply_group(group, filters, block, out, out_c);
    } else if (rows > 0) {
      multiply_rest(group, rows, filters, block, out, out_c);
    } else {  // no room at all: all rows are in one piece
      multiply_one_row(walk.place(), 0, filters, out);
      walk.advance(1);
      rows = 1;
    }
    positions -= rows;
    out += rows * out_c;
  }
}

// A product of matrices is one long line.
WindowShape on_one_line(WindowShape shape) {
  const int64_t positions = shape.batch * shape.in_h * shape.in_w;
  if (shape.kernel_h != 1 || shape.kernel_w != 1 || shape.stride_h != 1 || shape.stride_w != 1 ||
      shape.pad_h != 0 || shape.pad_w != 0 || shape.out_h != shape.in_h ||
      shape.out_w != shape.in_w || positions * shape.in_c > kInt32Max) {
    return shape;
  }
  shape.batch = shape.in_h = shape.out_h = 1;
  shape.in_w = shape.out_w = positions;
  return shape;
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

void convolve_int8(const WindowShape& given, const int8_t* in, int32_t in_offset,
                   const int8_t* weights, const OutputStage& stage, Span<int8_t> scratch,
                   int8_t* out) {
  const WindowShape shape = on_one_line(given);
  const size_t positions = static_cast<size_t>(shape.batch * shape.out_h * shape.out_w);
  const size_t depth = static_cast<size_t>(shape.kernel_h * shape.kernel_w * shape.kernel_c);
  const int groups = static_cast<int>(shape.in_c) / static_cast<int>(shape.kernel_c);
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
