// TFLite's integer form: positions in 1/1024 of an element, four products, one rounding.
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/image_resize.h"

namespace berth::runtime {
namespace {

struct LinearAxis {
  int64_t in, out, scale;
  bool half_pixel;

  LinearAxis(int64_t in_size, int64_t out_size, bool align_corners, bool half_pixel_centers)
      : in(in_size), out(out_size), half_pixel(half_pixel_centers) {
    scale = align_corners && out > 1 ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1)
                                     : (1024 * in + out / 2) / out;
  }

  // The two neighbours of output `v` and the weight of the second, in 1/1024.
  void locate(int64_t v, int64_t* low, int64_t* high, int64_t* weight) const {
    const int64_t position = v * scale + (half_pixel ? scale / 2 - 512 : 0);
    *low = position / 1024 > 0 ? position / 1024 : 0;
    *high = (position + 1023) / 1024 < in - 1 ? (position + 1023) / 1024 : in - 1;
    *weight = position - 1024 * *low;
    if (*low > in - 1) {  // the rounding of scale ran past the edge of a very small image
      *low = in - 1;
      *weight = 0;
    }
    if (*high < 0) *high = 0;
  }
};

template <typename T>
void resize(const ResizeShape& s, bool align_corners, bool half_pixel, const T* in, T* out) {
  const LinearAxis vertical(s.in_h, s.out_h, align_corners, half_pixel);
  const LinearAxis horizontal(s.in_w, s.out_w, align_corners, half_pixel);
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t y = 0; y < s.out_h; ++y) {
      int64_t y0 = 0, y1 = 0, wy = 0;
      vertical.locate(y, &y0, &y1, &wy);
      for (int64_t x = 0; x < s.out_w; ++x) {
        int64_t x0 = 0, x1 = 0, wx = 0;
        horizontal.locate(x, &x0, &x1, &wx);
        const T* image = in + n * s.in_strides[0];
        const T* top_left = image + y0 * s.in_strides[2] + x0 * s.in_strides[3];
        const T* top_right = image + y0 * s.in_strides[2] + x1 * s.in_strides[3];
        const T* bottom_left = image + y1 * s.in_strides[2] + x0 * s.in_strides[3];
        const T* bottom_right = image + y1 * s.in_strides[2] + x1 * s.in_strides[3];
        T* pixel = out + n * s.out_strides[0] + y * s.out_strides[2] + x * s.out_strides[3];
        for (int64_t c = 0; c < s.channels; ++c) {
          const size_t at = static_cast<size_t>(c) * s.in_strides[1];
          const int64_t sum = (1024 - wy) * (1024 - wx) * top_left[at] +
                              (1024 - wy) * wx * top_right[at] +
                              wy * (1024 - wx) * bottom_left[at] + wy * wx * bottom_right[at];
          pixel[c * s.out_strides[1]] =
              static_cast<T>((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
        }
      }
    }
  }
}

}  // namespace

Status run_resize_bilinear(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(3);
  ResizeShape shape;
  KERNEL_TRY(read_resize(in, out, &shape));
  const bool align_corners = args.boolean(1), half_pixel = args.boolean(2);
  KERNEL_REQUIRE(!(align_corners && half_pixel), kBadArguments);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar) || has_dtype(in, ScalarType::kShort),
                 kBadArguments);
  if (out.numel() == 0) return Status::kOk;
  if (has_dtype(in, ScalarType::kChar)) {
    resize(shape, align_corners, half_pixel, in.as<int8_t>(), out.as_mutable<int8_t>());
  } else {
    resize(shape, align_corners, half_pixel, in.as<int16_t>(), out.as_mutable<int16_t>());
  }
  return Status::kOk;
}

}  // namespace berth::runtime
