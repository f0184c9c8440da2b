#include "runtime/kernels/strided.h"

#include <cstring>

namespace berth::runtime {
namespace {

// N bytes per element, known when compiled: memcpy becomes one load and one store, wherever the
// element lies.
template <size_t N>
void copy_run(const uint8_t* from, size_t from_step, uint8_t* to, size_t to_step, size_t count) {
  for (size_t i = 0; i < count; ++i) memcpy(to + i * to_step * N, from + i * from_step * N, N);
}

}  // namespace

LoopNest<2> pair_nest(const Tensor& in, const Tensor& out) {
  LoopNest<2> nest;
  if (same_layout(in, out)) {
    nest.append(out.numel(), {1, 1});
    return nest;
  }
  size_t in_strides[kMaxRank], out_strides[kMaxRank];
  compute_strides(in, in_strides);
  compute_strides(out, out_strides);
  for (int i = 0; i < out.rank; ++i) {
    const int dim = out.dim_order[i];
    nest.append(static_cast<size_t>(out.sizes[dim]), {out_strides[dim], in_strides[dim]});
  }
  return nest;
}

void copy_strided(const LoopNest<2>& nest, size_t size, const void* from, void* to) {
  nest.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    uint8_t* target = static_cast<uint8_t*>(to) + offset[0] * size;
    const uint8_t* source = static_cast<const uint8_t*>(from) + offset[1] * size;
    if ((step[0] == 1 && step[1] == 1) || count == 1) {
      if (target != source) memmove(target, source, count * size);
      return;
    }
    switch (size) {
      case 1:
        copy_run<1>(source, step[1], target, step[0], count);
        break;
      case 2:
        copy_run<2>(source, step[1], target, step[0], count);
        break;
      case 4:
        copy_run<4>(source, step[1], target, step[0], count);
        break;
      case 8:
        copy_run<8>(source, step[1], target, step[0], count);
        break;
      default:
        copy_run<16>(source, step[1], target, step[0], count);
        break;
    }
  });
}

}  // namespace berth::runtime
