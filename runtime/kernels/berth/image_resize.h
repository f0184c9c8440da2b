// What both resizing operators share: images of any dim order, walked by their strides.
#pragma once

#include "runtime/kernels/strided.h"

namespace berth::runtime {

struct ResizeShape {
  int64_t batch, channels, in_h, in_w, out_h, out_w;
  size_t in_strides[4], out_strides[4];  // N, C, H, W
};

inline Status read_resize(const Tensor& in, const Tensor& out, ResizeShape* shape) {
  KERNEL_REQUIRE(in.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(in.rank == 4 && out.rank == 4, kBadShape);
  KERNEL_REQUIRE(in.size(0) == out.size(0) && in.size(1) == out.size(1), kBadShape);
  *shape = {in.size(0), in.size(1), in.size(2), in.size(3), out.size(2), out.size(3), {}, {}};
  KERNEL_REQUIRE(out.numel() == 0 || in.numel() > 0, kBadShape);
  compute_strides(in, shape->in_strides);
  compute_strides(out, shape->out_strides);
  return Status::kOk;
}

}  // namespace berth::runtime
