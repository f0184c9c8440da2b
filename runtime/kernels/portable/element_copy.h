// Copies of elements that only change places: permute, slice, flip, expand, cat and their like are
// all one walk over a shape with signed steps on both sides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {

// Element (i0, i1, ...) of a shape lies at base + sum of i_d * steps[d], in elements; steps may be
// 0 or negative.
struct ElementMap {
  int64_t base = 0;
  int64_t steps[kMaxRank];
};

// Where a tensor's elements lie, by its own sizes and dim order.
ElementMap map_elements(const Tensor& tensor);

// Copies elements of `element` bytes for every index of a shape. The walk follows `order` (dims,
// outermost first), which should be that of the target's memory. A run that already lies where it
// belongs is left alone. REQUIRES: both maps stay inside their memory; `element` is 1, 2, 4, 8, 16.
void copy_elements(int rank, const int32_t* sizes, const uint8_t* order, size_t element,
                   const void* from, const ElementMap& from_map, void* to,
                   const ElementMap& to_map);

// out = self as `map`, made for out's shape, sees it.
inline void copy_mapped(const Tensor& self, const ElementMap& map, const Tensor& out) {
  copy_elements(out.rank, out.sizes, out.dim_order, element_size(out.dtype), self.data, map,
                out.data, map_elements(out));
}

// The elements at [0, sizes) of out from `base` on = all of part. REQUIRES: equal ranks.
inline void copy_into_part(const Tensor& part, const Tensor& out, int64_t base) {
  ElementMap target = map_elements(out);
  target.base = base;
  copy_elements(part.rank, part.sizes, out.dim_order, element_size(out.dtype), part.data,
                map_elements(part), out.data, target);
}

// Same shape, whatever the orders. Right when both are the same bytes in the same order.
inline void copy_all(const Tensor& self, const Tensor& out) {
  copy_mapped(self, map_elements(self), out);
}

}  // namespace berth::runtime
