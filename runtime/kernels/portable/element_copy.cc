#include "runtime/kernels/portable/element_copy.h"

#include <cstring>

#include "runtime/kernels/byte_copy.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

// A step of a nest as it went in: signed.
int64_t signed_step(size_t step) { return static_cast<ptrdiff_t>(step); }

// Two loops around elements of N bytes, outer first.
struct Plane {
  size_t counts[2];
  int64_t from_steps[2], to_steps[2];
};

// Elements are read along cache lines on one side and written along them on the other: blocks of 16
// x 16 let both sides use what a line brings.
constexpr size_t kBlock = 16;

template <size_t N>
void copy_plane(const Plane& plane, const uint8_t* from, uint8_t* to) {
  const size_t outer_block =
      plane.from_steps[1] == 1 || plane.from_steps[1] == 0 ? plane.counts[0] : kBlock;
  const size_t inner_block = outer_block == kBlock ? kBlock : plane.counts[1];
  constexpr int64_t kSize = static_cast<int64_t>(N);
  for (size_t i0 = 0; i0 < plane.counts[0]; i0 += outer_block) {
    const size_t i_end = plane.counts[0] - i0 < outer_block ? plane.counts[0] : i0 + outer_block;
    for (size_t j0 = 0; j0 < plane.counts[1]; j0 += inner_block) {
      const size_t count = plane.counts[1] - j0 < inner_block ? plane.counts[1] - j0 : inner_block;
      for (size_t i = i0; i < i_end; ++i) {
        const int64_t row = static_cast<int64_t>(i), column = static_cast<int64_t>(j0);
        const uint8_t* source =
            from + (row * plane.from_steps[0] + column * plane.from_steps[1]) * kSize;
        uint8_t* target = to + (row * plane.to_steps[0] + column * plane.to_steps[1]) * kSize;
        for (size_t j = 0; j < count; ++j) {
          const int64_t at = static_cast<int64_t>(j);
          memcpy(target + at * plane.to_steps[1] * kSize, source + at * plane.from_steps[1] * kSize,
                 N);
        }
      }
    }
  }
}

void copy_plane(const Plane& plane, size_t element, const uint8_t* from, uint8_t* to) {
  if (plane.from_steps[1] == 1 && plane.to_steps[1] == 1) {
    for (size_t i = 0; i < plane.counts[0]; ++i) {
      const int64_t row = static_cast<int64_t>(i), size = static_cast<int64_t>(element);
      const uint8_t* source = from + row * plane.from_steps[0] * size;
      uint8_t* target = to + row * plane.to_steps[0] * size;
      copy_bytes(source, target, plane.counts[1] * element);
    }
    return;
  }
  switch (element) {
    case 1:
      copy_plane<1>(plane, from, to);
      break;
    case 2:
      copy_plane<2>(plane, from, to);
      break;
    case 4:
      copy_plane<4>(plane, from, to);
      break;
    case 8:
      copy_plane<8>(plane, from, to);
      break;
    default:
      copy_plane<16>(plane, from, to);
      break;
  }
}

}  // namespace

ElementMap map_elements(const Tensor& tensor) {
  ElementMap map;
  size_t strides[kMaxRank];
  compute_strides(tensor, strides);
  for (int d = 0; d < tensor.rank; ++d) map.steps[d] = static_cast<int64_t>(strides[d]);
  return map;
}

void copy_elements(int rank, const int32_t* sizes, const uint8_t* order, size_t element,
                   const void* from, const ElementMap& from_map, void* to,
                   const ElementMap& to_map) {
  // Negative steps pass through the nest as what they are modulo its width.
  LoopNest<2> nest;
  for (int i = 0; i < rank; ++i) {
    const int dim = order[i];
    if (sizes[dim] == 0) return;
    nest.append(static_cast<size_t>(sizes[dim]),
                {static_cast<size_t>(to_map.steps[dim]), static_cast<size_t>(from_map.steps[dim])});
  }
  // The two innermost loops are one plane; the others go round it.
  const int inner = nest.rank - 1, outer = nest.rank - 2;
  Plane plane{{1, 1}, {0, 1}, {0, 1}};
  if (inner >= 0) {
    plane.counts[1] = nest.counts[inner];
    plane.to_steps[1] = signed_step(nest.steps[0][inner]);
    plane.from_steps[1] = signed_step(nest.steps[1][inner]);
  }
  if (outer >= 0) {
    plane.counts[0] = nest.counts[outer];
    plane.to_steps[0] = signed_step(nest.steps[0][outer]);
    plane.from_steps[0] = signed_step(nest.steps[1][outer]);
  }
  const int64_t size = static_cast<int64_t>(element);
  int64_t source = from_map.base, target = to_map.base;
  size_t at[kMaxRank] = {};
  for (;;) {
    copy_plane(plane, element, static_cast<const uint8_t*>(from) + source * size,
               static_cast<uint8_t*>(to) + target * size);
    int d = outer - 1;
    for (; d >= 0; --d) {
      target += signed_step(nest.steps[0][d]);
      source += signed_step(nest.steps[1][d]);
      if (++at[d] < nest.counts[d]) break;
      target -= signed_step(nest.steps[0][d] * nest.counts[d]);
      source -= signed_step(nest.steps[1][d] * nest.counts[d]);
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace berth::runtime
