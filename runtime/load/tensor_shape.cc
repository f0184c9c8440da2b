#include "runtime/load/tensor_shape.h"

#include "contract/checked.h"
#include "runtime/load/program_file.h"
#include "runtime/load/pte_slots.h"

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

Status read_shape(FlatReader& reader, uint32_t i, const FlatTable& table, Tensor* tensor,
                  FaultNote note) {
  const int8_t type = reader.scalar<int8_t>(table, slots::kScalarType);
  const int8_t dynamism = reader.scalar<int8_t>(table, slots::kShapeDynamism);
  const int32_t storage_offset = reader.scalar<int32_t>(table, slots::kStorageOffset);
  const FlatVector sizes = reader.vector(table, slots::kSizes, 4, 4);
  const FlatVector dim_order = reader.vector(table, slots::kDimOrder, 1, 1);
  if (!reader.ok()) return fail_reading(note, reader, i);
  if (storage_offset != 0) {
    return note.fail(Status::kUnsupported, slots::kStorageOffset.name(), i, 0,
                     static_cast<uint64_t>(storage_offset));
  }
  if (!is_scalar_type(type)) {
    return note.fail(Status::kBadValue, slots::kScalarType.name(), i, kScalarTypeCount - 1,
                     static_cast<uint64_t>(type));
  }
  if (dynamism != static_cast<int8_t>(slots::Dynamism::kStatic) &&
      dynamism != static_cast<int8_t>(slots::Dynamism::kBound)) {
    const bool unbound = dynamism == static_cast<int8_t>(slots::Dynamism::kUnbound);
    return note.fail(unbound ? Status::kUnsupported : Status::kBadValue,
                     slots::kShapeDynamism.name(), i, 1, static_cast<uint64_t>(dynamism));
  }
  if (!sizes) return note.fail(Status::kMissingField, slots::kSizes.name(), i);
  if (sizes.count > kMaxRank) {
    return note.fail(Status::kBadCount, slots::kSizes.name(), i, kMaxRank, sizes.count);
  }
  if (!dim_order) return note.fail(Status::kMissingField, slots::kDimOrder.name(), i);
  if (dim_order.count != sizes.count) {
    return note.fail(Status::kBadCount, slots::kDimOrder.name(), i, sizes.count, dim_order.count);
  }
  const int32_t* size = reader.elements<int32_t>(sizes);
  uint64_t bytes = element_size(static_cast<ScalarType>(type));
  for (uint32_t d = 0; d < sizes.count; ++d) {
    if (size[d] < 0) {
      return note.fail(Status::kBadValue, slots::kSizes.name(), i, 0,
                       static_cast<uint64_t>(size[d]));
    }
    if (!checked_mul(bytes, static_cast<uint64_t>(size[d]), &bytes)) {
      return note.fail(Status::kBadValue, slots::kSizes.name(), i, UINT64_MAX, bytes);
    }
  }
  if (bytes > SIZE_MAX / 2) {
    return note.fail(Status::kUnsupported, slots::kSizes.name(), i, SIZE_MAX / 2, bytes);
  }
  const uint8_t* order = reader.elements<uint8_t>(dim_order);
  if (!is_permutation(order, sizes.count)) {
    return note.fail(Status::kBadValue, slots::kDimOrder.name(), i, sizes.count);
  }
  tensor->dtype = static_cast<ScalarType>(type);
  tensor->rank = static_cast<uint8_t>(sizes.count);
  tensor->sizes = size;
  tensor->dim_order = order;
  tensor->capacity = static_cast<size_t>(bytes);
  tensor->dynamic = dynamism != 0;
  return Status::kOk;
}

}  // namespace berth::runtime
