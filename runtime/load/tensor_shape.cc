#include "runtime/load/tensor_shape.h"

#include "runtime/load/pte_kinds.h"

namespace berth::runtime {
namespace {

bool is_permutation(const uint8_t* dim_order, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t d = 0; d < rank; ++d) {
    if (dim_order[d] >= rank) return false;
    seen |= 1u << dim_order[d];
  }
  return seen == (1u << rank) - 1;
}

}  // namespace

Status read_shape(FlatReader& reader, FlatTable table, const TableLayout& layout, Tensor* tensor) {
  LoadFaults& faults = reader.faults();
  const int8_t type = reader.known<int8_t>(table, layout, kinds::kScalarType);
  const int8_t dynamism = reader.known<int8_t>(table, layout, kinds::kDynamism);
  const int32_t storage_offset = reader.known<int32_t>(table, layout, kinds::kStorageOffset);
  const FlatVector sizes = reader.known_vector(table, layout, kinds::kSizes, slots::kSizes);
  const FlatVector dim_order =
      reader.known_vector(table, layout, kinds::kDimOrder, slots::kDimOrder);
  BERTH_TRY(reader.status());
  if (storage_offset != 0) {
    return faults.fail(Status::kUnsupported, slots::kStorageOffset, 0, storage_offset);
  }
  if (!is_scalar_type(type)) {
    return faults.fail(Status::kBadValue, slots::kScalarType, kScalarTypeCount - 1, type);
  }
  if (dynamism != static_cast<int8_t>(slots::Dynamism::kStatic) &&
      dynamism != static_cast<int8_t>(slots::Dynamism::kBound)) {
    const bool unbound = dynamism == static_cast<int8_t>(slots::Dynamism::kUnbound);
    return faults.fail(unbound ? Status::kUnsupported : Status::kBadValue, slots::kShapeDynamism, 1,
                       dynamism);
  }
  if (sizes.count > kMaxRank) {
    return faults.fail(Status::kBadCount, slots::kSizes, kMaxRank, sizes.count);
  }
  if (dim_order.count != sizes.count) {
    return faults.fail(Status::kBadCount, slots::kDimOrder, sizes.count, dim_order.count);
  }
  const int32_t* size = reader.elements<int32_t>(sizes);
  size_t bytes = element_size(static_cast<ScalarType>(type));
  for (uint32_t d = 0; d < sizes.count; ++d) {
    if (size[d] < 0) {
      return faults.fail(Status::kBadValue, slots::kSizes, 0, size[d]);
    }
    // More than half of what this machine can address is no tensor, and sums with it cannot wrap.
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(size[d]), &bytes) ||
        bytes > SIZE_MAX / 2) {
      return faults.fail(Status::kBadValue, slots::kSizes, SIZE_MAX / 2, bytes);
    }
  }
  const uint8_t* order = reader.elements<uint8_t>(dim_order);
  if (!is_permutation(order, sizes.count)) {
    return faults.fail(Status::kBadValue, slots::kDimOrder, sizes.count);
  }
  tensor->dtype = static_cast<ScalarType>(type);
  tensor->rank = static_cast<uint8_t>(sizes.count);
  tensor->sizes = size;
  tensor->dim_order = order;
  tensor->capacity = bytes;
  tensor->dynamic = dynamism != 0;
  return Status::kOk;
}

const int32_t* file_sizes(const LoadedMethod& method, uint32_t value) {
  LoadFaults unused(nullptr);  // all of it was read when the method was loaded
  FlatReader reader(method.program, method.program_size, unused);
  const FlatTable entry =
      reader.table_at({method.values_at, method.value_count}, value, slots::kValues);
  const FlatTable table = reader.table(entry, slots::kValue);
  return reader.elements<int32_t>(reader.vector(table, slots::kSizes));
}

}  // namespace berth::runtime
