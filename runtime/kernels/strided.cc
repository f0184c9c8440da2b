#include "runtime/kernels/strided.h"

#include <cstring>

#include "runtime/kernels/byte_copy.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace berth::runtime {
namespace {

// Steps in elements, of which a run has `count`.
struct Run {
  size_t from_step, to_step, count;
};

void copy_side_by_side(const uint8_t* from, uint8_t* to, const Run& run, size_t size) {
  copy_bytes(from, to, run.count * size);
}

// N bytes per element, known when compiled: memcpy becomes one load and one store, wherever the
// element lies.
template <size_t N>
void copy_apart(const uint8_t* from, uint8_t* to, const Run& run, size_t) {
  const size_t from_step = run.from_step * N, to_step = run.to_step * N;
  size_t left = run.count;
  if constexpr (N == 1) {  // what networks on small processors are made of
    for (; left >= 4; left -= 4) {
      uint8_t elements[4][N];
      for (auto& element : elements) memcpy(element, from, N), from += from_step;
      for (const auto& element : elements) memcpy(to, element, N), to += to_step;
    }
  }
  for (; left > 0; --left, from += from_step, to += to_step) memcpy(to, from, N);
}

#if defined(__ARM_FEATURE_MVE)

// Bytes that lie side by side on one side: sixteen at a time where what lies apart is within 256
// bytes, eight otherwise.
void copy_scattered(const uint8_t* from, uint8_t* to, const Run& run, size_t) {
  const bool gathers = run.to_step == 1;
  const size_t step = gathers ? run.from_step : run.to_step;
  const uint32_t count = run.count;
  if (step <= 17) {
    const uint8x16_t places = vmulq_n_u8(vidupq_n_u8(0, 1), static_cast<uint8_t>(step));
    for (uint32_t i = 0; i < count; i += 16) {
      const mve_pred16_t present = vctp8q(count - i);
      if (gathers) {
        vstrbq_p_u8(to + i, vldrbq_gather_offset_z_u8(from + i * step, places, present), present);
      } else {
        vstrbq_scatter_offset_p_u8(to + i * step, places, vld1q_z_u8(from + i, present), present);
      }
    }
    return;
  }
  const uint16x8_t places = vmulq_n_u16(vidupq_n_u16(0, 1), static_cast<uint16_t>(step));
  for (uint32_t i = 0; i < count; i += 8) {
    const mve_pred16_t present = vctp16q(count - i);
    if (gathers) {
      vstrbq_p_u16(to + i, vldrbq_gather_offset_z_u16(from + i * step, places, present), present);
    } else {
      vstrbq_scatter_offset_p_u16(to + i * step, places, vldrbq_z_u16(from + i, present), present);
    }
  }
}

bool takes_scattered(const Run& run) {
  constexpr size_t kMostStep = 65535 / 7;
  return (run.to_step == 1 && run.from_step <= kMostStep) ||
         (run.from_step == 1 && run.to_step <= kMostStep);
}

#endif

using CopyRun = void (*)(const uint8_t* from, uint8_t* to, const Run& run, size_t size);

CopyRun choose_copy(const Run& run, size_t size) {
  if ((run.from_step == 1 && run.to_step == 1) || run.count == 1) return copy_side_by_side;
#if defined(__ARM_FEATURE_MVE)
  if (size == 1 && takes_scattered(run)) return copy_scattered;
#endif
  switch (size) {
    case 1:
      return copy_apart<1>;
    case 2:
      return copy_apart<2>;
    case 4:
      return copy_apart<4>;
    case 8:
      return copy_apart<8>;
    default:
      return copy_apart<16>;
  }
}

// The longest loop that goes through memory step by step on either side becomes the innermost one,
// unless that does so on both.
LoopNest<2> with_long_runs(const LoopNest<2>& nest) {
  LoopNest<2> longer = nest;
  const int last = nest.rank - 1;
  if (last < 1 || (nest.steps[0][last] == 1 && nest.steps[1][last] == 1)) return longer;
  int best = last;
  for (int d = 0; d < last; ++d) {
    const bool goes = nest.steps[0][d] == 1 || nest.steps[1][d] == 1;
    if (goes && nest.counts[d] > nest.counts[best]) best = d;
  }
  longer.counts[last] = nest.counts[best], longer.counts[best] = nest.counts[last];
  for (int j = 0; j < 2; ++j) {
    longer.steps[j][last] = nest.steps[j][best], longer.steps[j][best] = nest.steps[j][last];
  }
  return longer;
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
  LoopNest<2> rows = with_long_runs(nest);
  Run run{1, 1, 1};
  if (rows.rank > 0) {
    const int last = --rows.rank;
    run = {rows.steps[1][last], rows.steps[0][last], rows.counts[last]};
  }
  const CopyRun copy = choose_copy(run, size);
  rows.for_each_run([&](const size_t(&offset)[2], size_t count, const size_t(&step)[2]) {
    uint8_t* target = static_cast<uint8_t*>(to) + offset[0] * size;
    const uint8_t* source = static_cast<const uint8_t*>(from) + offset[1] * size;
    for (; count > 0; --count, target += step[0] * size, source += step[1] * size) {
      copy(source, target, run, size);
    }
  });
}

}  // namespace berth::runtime
