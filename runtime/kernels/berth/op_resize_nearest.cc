// TFLite's rule, in float32 as there: the last bit of the scale decides which neighbour is taken.
#include <cstring>

#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/image_resize.h"

namespace berth::runtime {
namespace {

struct NearestAxis {
  int64_t in;
  float scale;
  bool align_corners, half_pixel;

  NearestAxis(int64_t in_size, int64_t out_size, bool align, bool half)
      : in(in_size), align_corners(align), half_pixel(half) {
    scale = align && out_size > 1
                ? static_cast<float>(in_size - 1) / static_cast<float>(out_size - 1)
                : static_cast<float>(in_size) / static_cast<float>(out_size);
  }

  int64_t locate(int64_t v) const {
    const float position = (static_cast<float>(v) + (half_pixel ? 0.5f : 0.0f)) * scale;
    if (!(position < static_cast<float>(in - 1))) return in - 1;
    const int64_t whole = static_cast<int64_t>(position);
    return align_corners && position - static_cast<float>(whole) >= 0.5f ? whole + 1 : whole;
  }
};

}  // namespace

Status run_resize_nearest(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(3);
  ResizeShape s;
  KERNEL_TRY(read_resize(in, out, &s));
  if (out.numel() == 0) return Status::kOk;
  const size_t size = element_size(in.dtype);
  const NearestAxis vertical(s.in_h, s.out_h, args.boolean(1), args.boolean(2));
  const NearestAxis horizontal(s.in_w, s.out_w, args.boolean(1), args.boolean(2));
  LoopNest<2> channels;
  channels.append(static_cast<size_t>(s.channels), {s.out_strides[1], s.in_strides[1]});
  const uint8_t* from = in.as<uint8_t>();
  uint8_t* to = out.as_mutable<uint8_t>();
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t y = 0; y < s.out_h; ++y) {
      const int64_t in_line = n * s.in_strides[0] + vertical.locate(y) * s.in_strides[2];
      const int64_t out_line = n * s.out_strides[0] + y * s.out_strides[2];
      for (int64_t x = 0; x < s.out_w; ++x) {
        const int64_t in_pixel = in_line + horizontal.locate(x) * s.in_strides[3];
        const int64_t out_pixel = out_line + x * s.out_strides[3];
        copy_strided(channels, size, from + in_pixel * size, to + out_pixel * size);
      }
    }
  }
  return Status::kOk;
}

}  // namespace berth::runtime
