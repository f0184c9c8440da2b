// The value table: one EValue per value of the file, and a Tensor for each that is one.
#include <cstring>

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

// Whether entry `index` of a table of offsets has so many bytes. REQUIRES: there is such an entry.
inline bool has_entry(const FlatReader& reader, const EntryTable& entries, uint32_t index,
                      size_t bytes, const uint8_t** out) {
  const uint64_t offset = reader.at<uint64_t>(entries.offsets, index);
  const size_t room = entries.bytes.size();
  if (bytes > room || offset > room - bytes) return false;
  *out = entries.bytes.data() + static_cast<size_t>(offset);
  return true;
}

// The bytes of entry `index` in a table of offsets, as many as the tensor has.
Status find_entry(LoadContext& c, const EntryTable& entries, uint32_t index,
                  const Slot& offsets_slot, size_t bytes, const uint8_t** out) {
  if (index >= entries.offsets.count) {
    return c.fail(Status::kBadIndex, slots::kDataBufferIndex, entries.offsets.count, index);
  }
  if (has_entry(c.reader, entries, index, bytes, out)) return Status::kOk;
  return c.fail(Status::kTruncated, offsets_slot,
                c.reader.at<uint64_t>(entries.offsets, index) + bytes, entries.bytes.size());
}

// The bytes of constant `index`. They may stand in the FlatBuffer itself, in older files.
Status find_constant(LoadContext& c, uint32_t index, size_t bytes, const uint8_t** out) {
  const FlatVector& inline_constants = c.file.inline_constants;
  if (c.file.constants.offsets.count != 0 || inline_constants.count == 0) {
    return find_entry(c, c.file.constants, index, slots::kConstantOffsets, bytes, out);
  }
  if (index >= inline_constants.count) {
    return c.fail(Status::kBadIndex, slots::kDataBufferIndex, inline_constants.count, index);
  }
  const FlatTable buffer = c.reader.table_at(inline_constants, index, slots::kConstantBuffer);
  const FlatVector storage = c.reader.vector(buffer, slots::kBufferStorage);
  BERTH_TRY(c.reader.status());
  if (storage.count < bytes) {
    return c.fail(Status::kTruncated, slots::kBufferStorage, bytes, storage.count);
  }
  *out = c.reader.data() + storage.position;
  return Status::kOk;
}

// The bytes of a tensor that lies in a .ptd.
Status find_external(LoadContext& c, FlatTable extra, const Tensor& tensor, const uint8_t** out) {
  const FlatVector name = c.reader.text(extra, slots::kQualifiedName);
  BERTH_TRY(c.reader.status());
  for (const ExternalData& source : c.options.external_data) {
    const Status status = source.find(c.reader.chars(name), tensor, c.faults, out);
    if (status != Status::kNoSuchData) return status;
  }
  return c.fail(Status::kNoSuchData, slots::kQualifiedName);
}

// `slot` is the field to blame for where the bytes are.
Status bind_constant(LoadContext& c, const uint8_t* data, const Slot& slot, Tensor* tensor) {
  const uint32_t alignment = element_alignment(tensor->dtype);
  const uintptr_t misplaced = reinterpret_cast<uintptr_t>(data) & (alignment - 1);
  if (misplaced != 0) {
    return c.fail(Status::kBadValue, slot, alignment, misplaced);
  }
  tensor->data = const_cast<uint8_t*>(data);  // Home::kConstant: no instruction may write it
  tensor->home = Home::kConstant;
  return Status::kOk;
}

Status bind_planned(LoadContext& c, FlatTable allocation, Tensor* tensor) {
  const TableLayout& layout = c.allocation_layout;
  const uint32_t mem_id = c.reader.known<uint32_t>(allocation, layout, kinds::kMemoryId);
  const uint32_t low = c.reader.known<uint32_t>(allocation, layout, kinds::kOffsetLow);
  const uint32_t high = c.reader.known<uint32_t>(allocation, layout, kinds::kOffsetHigh);
  if (mem_id == 0 || mem_id >= c.tables.pool_sizes.count) {
    return c.fail(Status::kBadIndex, slots::kMemoryId, c.tables.pool_sizes.count, mem_id);
  }
  uint32_t p = 0;
  while (p < c.need.pool_count && c.need.pools[p].mem_id != mem_id) ++p;
  const bool empty = p == c.need.pool_count;  // a pool without bytes: good for tensors without any
  const uint64_t offset = uint64_t{high} << 32 | low;
  const size_t room = empty ? 0 : static_cast<size_t>(c.need.pools[p].bytes);
  if (tensor->capacity > room || offset > room - tensor->capacity) {
    return c.fail(Status::kOutOfPlan, slots::kMemoryOffsetLow, offset + tensor->capacity, room);
  }
  tensor->home = Home::kPool;
  tensor->data = nullptr;
  if (empty) return Status::kOk;
  const uint32_t alignment = element_alignment(tensor->dtype);
  if (((low | c.need.pools[p].alignment) & (alignment - 1)) != 0) {
    return c.fail(Status::kBadValue, slots::kMemoryOffsetLow, alignment, low & (alignment - 1));
  }
  tensor->data = c.pool_bases[p] + static_cast<size_t>(offset);
  return Status::kOk;
}

Status build_tensor(LoadContext& c, FlatTable table, EValue* value) {
  if (c.room() < sizeof(Tensor)) return c.too_small();
  Tensor* tensor = c.next_tensor++;
  // read_shape fills the rest.
  tensor->data = nullptr;
  tensor->home = Home::kCaller;
  value->tensor = tensor;
  BERTH_TRY(read_shape(c.reader, table, c.tensor_layout, tensor));
  if (tensor->dynamic) {
    // A shape that may change is copied to where it can be written.
    const size_t bytes = tensor->rank * sizeof(int32_t);
    if (c.room() < bytes) return c.too_small();
    c.dims -= tensor->rank;
    memcpy(c.dims, tensor->sizes, bytes);
    tensor->sizes = c.dims;
  }
  const TableLayout& layout = c.tensor_layout;
  const FlatTable extra =
      c.reader.known_table(table, layout, kinds::kExtra, slots::kExtraTensorInfo);
  uint8_t location = 0;
  uint8_t device = 0;
  if (extra) {
    location = c.reader.scalar<uint8_t>(extra, slots::kLocation);
    device = c.reader.scalar<uint8_t>(extra, slots::kDeviceType);
  }
  const uint32_t index = c.reader.known<uint32_t>(table, layout, kinds::kDataIndex);
  const FlatTable allocation =
      c.reader.enter_field(table, layout, kinds::kAllocation, &c.allocation_layout);
  BERTH_TRY(c.reader.status());
  if (device != 0) return c.fail(Status::kUnsupported, slots::kDeviceType, 0, device);
  if (location > 1) return c.fail(Status::kBadValue, slots::kLocation, 1, location);
  if (allocation) BERTH_TRY(bind_planned(c, allocation, tensor));
  const uint8_t* data = nullptr;
  if (location == 1) {
    BERTH_TRY(find_external(c, extra, *tensor, &data));
  } else if (index == 0) {
    if (kForSpeed) c.any_unplaced |= !allocation;
    return Status::kOk;
  } else if (allocation) {
    BERTH_TRY(
        find_entry(c, c.file.mutable_data, index, slots::kMutableOffsets, tensor->capacity, &data));
  } else {
    BERTH_TRY(find_constant(c, index, tensor->capacity, &data));
  }
  if (!allocation) {
    return bind_constant(c, data, location == 1 ? slots::kSegmentOffset : slots::kConstantOffsets,
                         tensor);
  }
  value->flags |= kInitialBytes;
  if (tensor->capacity != 0) memcpy(tensor->data, data, tensor->capacity);
  return Status::kOk;
}

// List elements in place.
Status build_list(LoadContext& c, FlatTable table, const Slot& slot, EValue* value) {
  const FlatVector items = c.reader.vector(table, slot);
  BERTH_TRY(c.reader.status());
  if (!c.count_list(items.count, slot.element_shift())) {
    return c.fail(Status::kBadCount, slots::kItems, c.list_bytes, items.count);
  }
  value->int_list = reinterpret_cast<const int64_t*>(c.reader.data() + items.position);
  value->count = items.count;
  return Status::kOk;
}

// Elements of tensor lists stand before the list, so they are built already.
Status check_tensor_list(LoadContext& c, const EValue& list) {
  const bool optional = list.tag == Tag::kOptionalTensorList;
  for (uint32_t e = 0; e < list.count; ++e) {
    const int32_t element = list.tensor_list[e];
    if (optional && element == -1) continue;
    if (static_cast<uint32_t>(element) >= c.faults.item) {
      return c.fail(Status::kBadIndex, slots::kItems, c.faults.item, element);
    }
    const Tag tag = c.method->values[element].tag;
    if (tag != Tag::kTensor && !(optional && tag == Tag::kNone)) {
      return c.fail(Status::kBadValue, slots::kItems, Tag::kTensor, tag);
    }
  }
  return Status::kOk;
}

// Int lists may name values that come later.
Status check_int_lists(LoadContext& c) {
  const LoadedMethod& method = *c.method;
  if (kForSpeed && !c.any_early_list) return Status::kOk;
  for (uint32_t i = 0; i < method.value_count; ++i) {
    const EValue& list = method.values[i];
    if (list.tag != Tag::kIntList) continue;
    c.faults.item = i;
    for (uint32_t e = 0; e < list.count; ++e) {
      const int64_t element = list.int_list[e];
      if (element < 0 || element >= int64_t{method.value_count}) {
        return c.fail(Status::kBadIndex, slots::kItems, method.value_count, element);
      }
      const Tag tag = method.values[element].tag;
      if (tag != Tag::kInt) {
        return c.fail(Status::kBadValue, slots::kItems, Tag::kInt, tag);
      }
    }
  }
  return Status::kOk;
}

// Whether an int list is right as far as the values go that are built already.
inline bool names_numbers_before(const LoadContext& c, const EValue& list) {
  for (uint32_t e = 0; e < list.count; ++e) {
    const uint64_t element = static_cast<uint64_t>(list.int_list[e]);
    if (element >= c.faults.item || c.method->values[element].tag != Tag::kInt) return false;
  }
  return true;
}

// What the value is, by the layout of the kinds of which there are most.
inline FlatTable open_body(LoadContext& c, FlatTable entry, uint8_t type) {
  const TableLayout& layout = c.value_layout;
  if (type == static_cast<uint8_t>(Tag::kTensor)) {
    return c.reader.enter_field(entry, layout, kinds::kBody, &c.tensor_layout);
  }
#ifndef __OPTIMIZE_SIZE__
  if (type == static_cast<uint8_t>(Tag::kInt)) {
    return c.reader.enter_field(entry, layout, kinds::kBody, &c.int_layout);
  }
#endif
  return c.reader.known_table(entry, layout, kinds::kBody, slots::kValue);
}

inline int64_t read_int(LoadContext& c, FlatTable table) {
#ifndef __OPTIMIZE_SIZE__
  return c.reader.known_long(table, c.int_layout, 0, slots::kIntValue);
#else
  return c.reader.scalar<int64_t>(table, slots::kIntValue);
#endif
}

#ifndef __OPTIMIZE_SIZE__
// What nearly all values of a file are, in few instructions: numbers, lists of them and tensors
// that lie as those before them do. Each answers false for any other, wrong ones included, of which
// build_value finds out what it is. `reader`: the context's, where it may stay in registers. `at`:
// of the offset that leads to the table.

// enter(), of which the second half is rare.
inline bool find_table(LoadContext& c, const FlatReader& reader, uint32_t at, TableLayout* layout,
                       const EValue* value, FlatTable* out) {
  if (reader.is_at_hand(at, *layout, out)) return true;
  c.faults.item = static_cast<uint32_t>(value - c.method->values);
  *out = c.reader.enter_other(at, layout);
  return static_cast<bool>(*out);
}

inline bool take_number(LoadContext& c, const FlatReader& reader, uint32_t at, EValue* value) {
  FlatTable table;
  if (!find_table(c, reader, at, &c.int_layout, value, &table)) return false;
  const uint32_t field = c.int_layout.now.at[0];
  if (field == 0 || ((table.position + field) & 7) != 0) return false;
  value->integer = reader.number_at<int64_t>(table.position + field);
  value->count = 0;
  value->tag = Tag::kInt;
  value->flags = 0;
  return true;
}

// The layout of a number holds of a list too: one field, whose offset is the shorter.
inline bool take_list(LoadContext& c, const FlatReader& reader, uint32_t at, EValue* value) {
  FlatTable table;
  FlatVector items;
  if (!reader.is_at_hand(at, c.int_layout, &table) || c.int_layout.now.at[0] == 0) return false;
  if (!reader.is_vector_at_hand(table, c.int_layout, 0, 3, &items)) return false;
  if ((items.position & 7) != 0 || !c.count_list(items.count, 3)) return false;
  value->int_list = reinterpret_cast<const int64_t*>(reader.data() + items.position);
  value->count = items.count;
  value->tag = Tag::kIntList;
  value->flags = 0;
  c.any_early_list |= !names_numbers_before(c, *value);
  return true;
}

// A constant of the constants' segment, or a planned tensor without bytes from the file.
__attribute__((noinline)) bool take_tensor(LoadContext& c, uint32_t at, EValue* value) {
  const FlatReader reader = c.reader;
  const TableLayout& layout = c.tensor_layout;
  FlatTable table;
  if (!find_table(c, reader, at, &c.tensor_layout, value, &table)) return false;
  if (layout.now.at[kinds::kExtra] != 0 || c.room() < sizeof(Tensor)) return false;
  Tensor* const tensor = c.next_tensor;
  if (!read_plain_shape(reader, table, layout, tensor)) return false;
  const uint32_t index = reader.known<uint32_t>(table, layout, kinds::kDataIndex);
  const uint32_t allocation_at = layout.now.at[kinds::kAllocation];
  if (allocation_at == 0) {
    const EntryTable& constants = c.file.constants;
    if (index == 0 || index >= constants.offsets.count) return false;
    const uint8_t* data = nullptr;
    if (!has_entry(reader, constants, index, tensor->capacity, &data)) return false;
    if ((reinterpret_cast<uintptr_t>(data) & (element_alignment(tensor->dtype) - 1)) != 0) {
      return false;
    }
    tensor->data = const_cast<uint8_t*>(data);
    tensor->home = Home::kConstant;
  } else {
    FlatTable allocation;
    if (index != 0 || !find_table(c, reader, table.position + allocation_at, &c.allocation_layout,
                                  value, &allocation)) {
      return false;
    }
    if (bind_planned(c, allocation, tensor) != Status::kOk) return false;
  }
  ++c.next_tensor;
  value->integer = 0;
  value->tensor = tensor;
  value->count = 0;
  value->tag = Tag::kTensor;
  value->flags = 0;
  return true;
}

inline bool take_plain(LoadContext& c, const FlatReader& reader, uint32_t at, EValue* value) {
  FlatTable entry;
  if (!find_table(c, reader, at, &c.value_layout, value, &entry)) return false;
  const uint32_t type_at = c.value_layout.now.at[kinds::kType];
  const uint32_t body_at = c.value_layout.now.at[kinds::kBody];
  if (type_at == 0 || body_at == 0) return false;
  const uint8_t type = reader.number_at<uint8_t>(entry.position + type_at);
  const uint32_t body = entry.position + body_at;
  if (type == static_cast<uint8_t>(Tag::kInt)) return take_number(c, reader, body, value);
  c.faults.item = static_cast<uint32_t>(value - c.method->values);
  if (type == static_cast<uint8_t>(Tag::kTensor)) return take_tensor(c, body, value);
  return type == static_cast<uint8_t>(Tag::kIntList) && take_list(c, reader, body, value);
}
#endif

Status build_value(LoadContext& c, EValue* value) {
  const FlatTable entry =
      c.reader.enter(c.tables.values.position + 4 * c.faults.item, &c.value_layout);
  BERTH_TRY(c.reader.status());
  const uint8_t type = c.reader.known<uint8_t>(entry, c.value_layout, kinds::kType);
  const FlatTable table = open_body(c, entry, type);
  BERTH_TRY(c.reader.status());
  *value = EValue();
  if (type == static_cast<uint8_t>(Tag::kNone)) return Status::kOk;
  if (type == 0 || type > static_cast<uint8_t>(Tag::kOptionalTensorList)) {
    return c.fail(Status::kBadValue, slots::kValueType, Tag::kOptionalTensorList, type);
  }
  if (!table) return c.fail(Status::kMissingField, slots::kValue);
  value->tag = static_cast<Tag>(type);
  switch (value->tag) {
    case Tag::kInt:
      value->integer = read_int(c, table);
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
      value->string = c.reader.chars(text);
      value->count = text.count;
      break;
    }
    case Tag::kTensor:
      return build_tensor(c, table, value);
    case Tag::kIntList:
      BERTH_TRY(build_list(c, table, slots::kLongItems, value));
      if (kForSpeed) c.any_early_list |= !names_numbers_before(c, *value);
      return Status::kOk;
    case Tag::kDoubleList:
      return build_list(c, table, slots::kLongItems, value);
    case Tag::kBoolList:
      return build_list(c, table, slots::kByteItems, value);
    case Tag::kTensorList:
    case Tag::kOptionalTensorList:
      BERTH_TRY(build_list(c, table, slots::kItems, value));
      return check_tensor_list(c, *value);
    case Tag::kNone:
      break;
  }
  return c.reader.status();
}

}  // namespace

Status build_values(LoadContext& context) {
  const uint32_t count = context.method->value_count;
#ifdef __OPTIMIZE_SIZE__
  for (uint32_t i = 0; i < count; ++i) {
    context.faults.item = i;
    BERTH_TRY(build_value(context, &context.method->values[i]));
  }
#else
  const FlatReader reader = context.reader;  // which nobody else knows: it may stay in registers
  uint32_t at = context.tables.values.position;
  EValue* const values = context.method->values;
  for (EValue* value = values; value != values + count; ++value, at += 4) {
    if (take_plain(context, reader, at, value)) continue;
    context.faults.item = static_cast<uint32_t>(value - values);
    BERTH_TRY(build_value(context, value));
  }
#endif
  return check_int_lists(context);
}

}  // namespace berth::runtime
