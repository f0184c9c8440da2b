// What a Tensor table says of a tensor's shape and type, checked: for the loader and for metadata
// before loading.
#pragma once

#include <cstdint>

#include "contract/status.h"
#include "runtime/core/tensor.h"
#include "runtime/load/flat_reader.h"
#include "runtime/load/load_faults.h"
#include "runtime/load/loaded_method.h"
#include "runtime/load/pte_kinds.h"

namespace berth::runtime {

// Fills dtype, rank, sizes and dim order (in the file), capacity and `dynamic` of value i. Tensors
// whose bytes or count of elements do not fit this machine, or whose shape has no bound, are
// refused. REQUIRES: `layout` is the table's, a kinds::kTensor.
Status read_shape(FlatReader& reader, FlatTable table, const TableLayout& layout, Tensor* tensor);

// The same for a tensor that is as most are; false for any other, wrong ones included, of which
// read_shape finds out what there is to say.
BERTH_IN_REGISTERS bool read_plain_shape(const FlatReader& reader, FlatTable table,
                                         const TableLayout& layout, Tensor* tensor) {
  const int8_t type = reader.known<int8_t>(table, layout, kinds::kScalarType);
  FlatVector sizes;
  FlatVector dim_order;
  if (!reader.is_vector_at_hand(table, layout, kinds::kSizes, 2, &sizes)) return false;
  if (!reader.is_vector_at_hand(table, layout, kinds::kDimOrder, 0, &dim_order)) return false;
  if (sizes.count > 4 || dim_order.count != sizes.count || !is_scalar_type(type) ||
      reader.known<int8_t>(table, layout, kinds::kDynamism) != 0 ||
      reader.known<int32_t>(table, layout, kinds::kStorageOffset) != 0) {
    return false;
  }
  // Dim orders of up to four dims are compared as one number, of which the last `rank` bytes count.
  constexpr uint32_t kInOrder = 0x03020100, kChannelsLast = 0x01030200;
  const uint32_t rank = sizes.count;
  if (dim_order.position > reader.size() - 4) return false;
  const uint32_t order = reader.number_at<uint32_t>(dim_order.position);
  const bool is_in_order = rank == 0 || (order ^ kInOrder) << (32 - 8 * rank) == 0;
  if (!is_in_order && (rank != 4 || order != kChannelsLast)) return false;
  const int32_t* const size = reader.elements<int32_t>(sizes);
  int32_t bytes = static_cast<int32_t>(element_size(static_cast<ScalarType>(type)));
  int32_t negative = 0;
  for (uint32_t d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(bytes, size[d], &bytes)) return false;
    negative |= size[d];
  }
  if (negative < 0) return false;
  tensor->dtype = static_cast<ScalarType>(type);
  tensor->rank = static_cast<uint8_t>(rank);
  tensor->sizes = size;
  tensor->dim_order = reader.elements<uint8_t>(dim_order);
  tensor->capacity = static_cast<size_t>(bytes);
  tensor->dynamic = false;
  return true;
}

// The sizes of a tensor as the file has them, which are upper bounds when the shape is dynamic.
// REQUIRES: the value of that index is a tensor.
const int32_t* file_sizes(const LoadedMethod& method, uint32_t value);

}  // namespace berth::runtime
