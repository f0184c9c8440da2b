// The value table: one EValue per value of the file, and a Tensor for each that is one.
#include <cstring>

#include "contract/checked.h"
#include "runtime/load/load_context.h"
#include "runtime/load/pte_slots.h"
#include "runtime/load/tensor_shape.h"

namespace berth::runtime {
namespace {

// Complex doubles are two doubles: nothing needs more than 8.
uint32_t element_alignment(ScalarType type) {
  const uint32_t size = element_size(type);
  return size < 8 ? size : 8;
}

// The shape, with sizes that may change copied to method memory.
Status build_shape(LoadContext& c, uint32_t i, const FlatTable& table, Tensor* tensor) {
  BERTH_TRY(read_shape(c.reader, i, table, tensor, c.note));
  if (!tensor->dynamic) return Status::kOk;
  const int32_t* bounds = tensor->sizes;
  tensor->sizes = c.next_dim;
  for (uint32_t d = 0; d < tensor->rank; ++d) *c.next_dim++ = bounds[d];
  return Status::kOk;
}

// The bytes of entry `index` in a table of offsets, as many as the tensor has.
Status find_entry(LoadContext& c, uint32_t i, const EntryTable& entries, uint32_t index,
                  const Slot& offsets_slot, size_t bytes, const uint8_t** out) {
  if (index >= entries.offsets.count) {
    return c.note.fail(Status::kBadIndex, slots::kDataBufferIndex.name(), i, entries.offsets.count,
                       index);
  }
  const uint64_t offset = c.reader.at<uint64_t>(entries.offsets, index);
  uint64_t end = 0;
  if (!checked_add(offset, bytes, &end) || end > entries.bytes.size()) {
    return c.note.fail(Status::kTruncated, offsets_slot.name(), index, end == 0 ? offset : end,
                       entries.bytes.size());
  }
  *out = entries.bytes.data() + offset;
  return Status::kOk;
}

Status bind_constant(LoadContext& c, uint32_t i, uint32_t index, Tensor* tensor) {
  const uint8_t* data = nullptr;
  const bool is_inline = c.file.constants.offsets.count == 0 && c.file.inline_constants.count != 0;
  const Slot& slot = is_inline ? slots::kBufferStorage : slots::kConstantOffsets;
  if (is_inline) {
    if (index >= c.file.inline_constants.count) {
      return c.note.fail(Status::kBadIndex, slots::kDataBufferIndex.name(), i,
                         c.file.inline_constants.count, index);
    }
    const FlatTable buffer =
        c.reader.table_at(c.file.inline_constants, index, slots::kConstantBuffer);
    const FlatVector storage = c.reader.vector(buffer, slot, 1, 1);
    if (!c.reader.ok()) return fail_reading(c.note, c.reader, i);
    if (storage.count < tensor->capacity) {
      return c.note.fail(Status::kTruncated, slot.name(), index, tensor->capacity, storage.count);
    }
    data = c.reader.data() + storage.position;
  } else {
    BERTH_TRY(find_entry(c, i, c.file.constants, index, slot, tensor->capacity, &data));
  }
  const uint32_t alignment = element_alignment(tensor->dtype);
  const uintptr_t misplaced = reinterpret_cast<uintptr_t>(data) & (alignment - 1);
  if (misplaced != 0) {
    return c.note.fail(Status::kBadValue, slot.name(), index, alignment, misplaced);
  }
  tensor->data = const_cast<uint8_t*>(data);  // Home::kConstant: no instruction may write it
  tensor->home = Home::kConstant;
  return Status::kOk;
}

Status bind_planned(LoadContext& c, uint32_t i, const FlatTable& allocation, Tensor* tensor) {
  const uint32_t mem_id = c.reader.scalar<uint32_t>(allocation, slots::kMemoryId);
  const uint32_t low = c.reader.scalar<uint32_t>(allocation, slots::kMemoryOffsetLow);
  const uint32_t high = c.reader.scalar<uint32_t>(allocation, slots::kMemoryOffsetHigh);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, i);
  if (mem_id == 0 || mem_id >= c.tables.pool_sizes.count) {
    return c.note.fail(Status::kBadIndex, slots::kMemoryId.name(), i, c.tables.pool_sizes.count,
                       mem_id);
  }
  uint32_t p = 0;
  while (p < c.need.pool_count && c.need.pools[p].mem_id != mem_id) ++p;
  const bool empty = p == c.need.pool_count;  // a pool without bytes: good for tensors without any
  const uint64_t offset = uint64_t{high} << 32 | low;
  const uint64_t pool_bytes = empty ? 0 : c.need.pools[p].bytes;
  uint64_t end = 0;
  if (!checked_add(offset, tensor->capacity, &end) || end > pool_bytes) {
    return c.note.fail(Status::kOutOfPlan, slots::kMemoryOffsetLow.name(), i,
                       end == 0 ? offset : end, pool_bytes);
  }
  tensor->home = Home::kPool;
  if (empty) return Status::kOk;
  const uint32_t alignment = element_alignment(tensor->dtype);
  if (((offset | c.need.pools[p].alignment) & (alignment - 1)) != 0) {
    return c.note.fail(Status::kBadValue, slots::kMemoryOffsetLow.name(), i, alignment,
                       offset & (alignment - 1));
  }
  tensor->data = c.pool_bases[p] + offset;
  return Status::kOk;
}

Status build_tensor(LoadContext& c, uint32_t i, const FlatTable& table, EValue* value) {
  Tensor* tensor = c.next_tensor++;
  *tensor = Tensor();
  value->tensor = tensor;
  BERTH_TRY(build_shape(c, i, table, tensor));
  const FlatTable extra = c.reader.table(table, slots::kExtraTensorInfo);
  if (extra) {
    const int8_t location = c.reader.scalar<int8_t>(extra, slots::kLocation);
    const int8_t device = c.reader.scalar<int8_t>(extra, slots::kDeviceType);
    if (location != 0 || device != 0) {
      const Slot& slot = location != 0 ? slots::kLocation : slots::kDeviceType;
      return c.note.fail(Status::kUnsupported, slot.name(), i, 0,
                         static_cast<uint64_t>(location != 0 ? location : device));
    }
  }
  const uint32_t index = c.reader.scalar<uint32_t>(table, slots::kDataBufferIndex);
  const FlatTable allocation = c.reader.table(table, slots::kAllocationInfo);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, i);
  if (!allocation) return index == 0 ? Status::kOk : bind_constant(c, i, index, tensor);
  BERTH_TRY(bind_planned(c, i, allocation, tensor));
  if (index == 0) return Status::kOk;
  value->flags |= kInitialBytes;
  const uint8_t* initial = nullptr;
  return find_entry(c, i, c.file.mutable_data, index, slots::kMutableOffsets, tensor->capacity,
                    &initial);
}

// List elements in place: the vector's elements have `element_bytes`.
Status build_list(LoadContext& c, uint32_t i, const FlatTable& table, uint32_t element_bytes,
                  EValue* value) {
  const FlatVector items = c.reader.vector(table, slots::kItems, element_bytes, element_bytes);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, i);
  if (!items) return c.note.fail(Status::kMissingField, slots::kItems.name(), i);
  if (!c.count_list(items.count, element_bytes)) {
    return c.note.fail(Status::kBadCount, slots::kItems.name(), i, c.file.program_size,
                       c.list_bytes);
  }
  value->int_list = reinterpret_cast<const int64_t*>(c.reader.data() + items.position);
  value->count = items.count;
  return Status::kOk;
}

// Elements of tensor lists stand before the list, so they are built already.
Status check_tensor_list(LoadContext& c, uint32_t i, const EValue& list) {
  const bool optional = list.tag == Tag::kOptionalTensorList;
  for (uint32_t e = 0; e < list.count; ++e) {
    const int32_t element = list.tensor_list[e];
    if (optional && element == -1) continue;
    if (element < 0 || static_cast<uint32_t>(element) >= i) {
      return c.note.fail(Status::kBadIndex, slots::kItems.name(), i, i,
                         static_cast<uint64_t>(element));
    }
    const Tag tag = c.method->values[element].tag;
    if (tag != Tag::kTensor && !(optional && tag == Tag::kNone)) {
      return c.note.fail(Status::kBadValue, slots::kItems.name(), i,
                         static_cast<uint64_t>(Tag::kTensor), static_cast<uint64_t>(tag));
    }
  }
  return Status::kOk;
}

// Int lists may name values that come later.
Status check_int_lists(LoadContext& c) {
  const LoadedMethod& method = *c.method;
  for (uint32_t i = 0; i < method.value_count; ++i) {
    const EValue& list = method.values[i];
    if (list.tag != Tag::kIntList) continue;
    for (uint32_t e = 0; e < list.count; ++e) {
      const int64_t element = list.int_list[e];
      if (element < 0 || element >= int64_t{method.value_count}) {
        return c.note.fail(Status::kBadIndex, slots::kItems.name(), i, method.value_count,
                           static_cast<uint64_t>(element));
      }
      const Tag tag = method.values[element].tag;
      if (tag != Tag::kInt) {
        return c.note.fail(Status::kBadValue, slots::kItems.name(), i,
                           static_cast<uint64_t>(Tag::kInt), static_cast<uint64_t>(tag));
      }
    }
  }
  return Status::kOk;
}

Status build_value(LoadContext& c, uint32_t i, EValue* value) {
  const FlatTable entry = c.reader.table_at(c.tables.values, i, slots::kValues);
  const uint8_t type = c.reader.scalar<uint8_t>(entry, slots::kValueType);
  const FlatTable table = c.reader.table(entry, slots::kValue);
  if (!c.reader.ok()) return fail_reading(c.note, c.reader, i);
  *value = EValue();
  if (type == static_cast<uint8_t>(Tag::kNone)) return Status::kOk;
  if (type == 0 || type > static_cast<uint8_t>(Tag::kOptionalTensorList)) {
    return c.note.fail(Status::kBadValue, slots::kValueType.name(), i,
                       static_cast<uint64_t>(Tag::kOptionalTensorList), type);
  }
  if (!table) return c.note.fail(Status::kMissingField, slots::kValue.name(), i);
  value->tag = static_cast<Tag>(type);
  switch (value->tag) {
    case Tag::kInt:
      value->integer = c.reader.scalar<int64_t>(table, slots::kIntValue);
      break;
    case Tag::kBool:
      value->boolean = c.reader.scalar<uint8_t>(table, slots::kBoolValue) != 0;
      break;
    case Tag::kDouble:
      value->number = c.reader.scalar<double>(table, slots::kDoubleValue);
      break;
    case Tag::kString: {
      const FlatVector text = c.reader.text(table, slots::kStringValue);
      if (!c.reader.ok()) break;
      if (!text) return c.note.fail(Status::kMissingField, slots::kStringValue.name(), i);
      value->string = c.reader.chars(text);
      value->count = text.count;
      break;
    }
    case Tag::kTensor:
      return build_tensor(c, i, table, value);
    case Tag::kIntList:
    case Tag::kDoubleList:
      return build_list(c, i, table, 8, value);
    case Tag::kBoolList:
      return build_list(c, i, table, 1, value);
    case Tag::kTensorList:
    case Tag::kOptionalTensorList:
      BERTH_TRY(build_list(c, i, table, 4, value));
      return check_tensor_list(c, i, *value);
    case Tag::kNone:
      break;
  }
  return c.reader.ok() ? Status::kOk : fail_reading(c.note, c.reader, i);
}

}  // namespace

Status build_values(LoadContext& context) {
  for (uint32_t i = 0; i < context.method->value_count; ++i) {
    BERTH_TRY(build_value(context, i, &context.method->values[i]));
  }
  return check_int_lists(context);
}

Status fill_state(LoadContext& context) {
  const LoadedMethod& method = *context.method;
  for (uint32_t i = 0; i < method.value_count; ++i) {
    const EValue& value = method.values[i];
    if ((value.flags & kInitialBytes) == 0) continue;
    const FlatTable entry = context.reader.table_at(context.tables.values, i, slots::kValues);
    const FlatTable table = context.reader.table(entry, slots::kValue);
    const uint32_t index = context.reader.scalar<uint32_t>(table, slots::kDataBufferIndex);
    const uint8_t* initial = nullptr;
    BERTH_TRY(find_entry(context, i, context.file.mutable_data, index, slots::kMutableOffsets,
                         value.tensor->capacity, &initial));
    if (value.tensor->capacity != 0) memcpy(value.tensor->data, initial, value.tensor->capacity);
  }
  return Status::kOk;
}

}  // namespace berth::runtime
