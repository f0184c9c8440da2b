#include "runtime/load/flat_reader.h"

#include "runtime/load/load_fault_note.h"

namespace berth::runtime {

#ifndef BERTH_NO_LOAD_FAULT
Status FaultNote::fail(Status status, const char* field, uint32_t index, uint64_t need,
                       uint64_t have) {
  if (out_ != nullptr) {
    out_->status = status;
    out_->field = field;
    out_->index = index;
    out_->need = need;
    out_->have = have;
  }
  return status;
}
#endif

void FlatReader::note(Status status, const Slot& slot, uint64_t position) {
  if (fault_ != Status::kOk) return;
  fault_ = status;
  fault_slot_ = &slot;
  fault_position_ = position;
}

const uint8_t* FlatReader::field(const FlatTable& table, const Slot& slot, uint32_t bytes) {
  if (slot.offset + 2u > table.vtable_bytes) return nullptr;
  const uint16_t offset = load<uint16_t>(data_ + table.vtable + slot.offset);
  if (offset == 0) return nullptr;
  const uint64_t at = uint64_t{table.position} + offset;
  if (at + bytes > size_) {
    note(Status::kTruncated, slot, at + bytes);
    return nullptr;
  }
  if ((at & (bytes - 1)) != 0) {
    note(Status::kBadValue, slot, at);
    return nullptr;
  }
  return data_ + at;
}

uint32_t FlatReader::follow(uint32_t at, uint32_t bytes_there, const Slot& slot) {
  const uint32_t offset = load<uint32_t>(data_ + at);
  const uint64_t target = uint64_t{at} + offset;
  if (offset == 0 || target + bytes_there > size_) {
    note(Status::kTruncated, slot, target + bytes_there);
    return 0;
  }
  if ((target & 3) != 0) {
    note(Status::kBadValue, slot, target);
    return 0;
  }
  return static_cast<uint32_t>(target);
}

FlatTable FlatReader::open(uint32_t position, const Slot& slot) {
  if (position == 0) return {};
  const int64_t vtable = int64_t{position} - load<int32_t>(data_ + position);
  if (vtable < 0 || vtable + 4 > int64_t{size_}) {
    note(Status::kTruncated, slot, position);
    return {};
  }
  const uint32_t bytes = load<uint16_t>(data_ + vtable);
  if (vtable + bytes > int64_t{size_}) {
    note(Status::kTruncated, slot, static_cast<uint64_t>(vtable) + bytes);
    return {};
  }
  if (((static_cast<uint32_t>(vtable) | bytes) & 1) != 0 || bytes < 4) {
    note(Status::kBadValue, slot, static_cast<uint64_t>(vtable));
    return {};
  }
  FlatTable table;
  table.position = position;
  table.vtable = static_cast<uint32_t>(vtable);
  table.vtable_bytes = bytes;
  return table;
}

FlatTable FlatReader::root(uint32_t at, const Slot& slot) {
  return open(follow(at, 4, slot), slot);
}

FlatTable FlatReader::table(const FlatTable& table, const Slot& slot) {
  const uint8_t* at = field(table, slot, 4);
  if (at == nullptr) return {};
  return open(follow(static_cast<uint32_t>(at - data_), 4, slot), slot);
}

FlatTable FlatReader::table_at(const FlatVector& vector, uint32_t i, const Slot& slot) {
  return open(follow(vector.position + 4 * i, 4, slot), slot);
}

FlatVector FlatReader::vector(const FlatTable& table, const Slot& slot, uint32_t element_bytes,
                              uint32_t alignment) {
  const uint8_t* at = field(table, slot, 4);
  if (at == nullptr) return {};
  const uint32_t position = follow(static_cast<uint32_t>(at - data_), 4, slot);
  if (position == 0) return {};
  const uint32_t count = load<uint32_t>(data_ + position);
  const uint64_t end = uint64_t{position} + 4 + uint64_t{count} * element_bytes;
  if (end > size_) {
    note(Status::kTruncated, slot, end);
    return {};
  }
  // Writers leave empty vectors where they fall.
  if (count != 0 && ((position + 4) & (alignment - 1)) != 0) {
    note(Status::kBadValue, slot, position + 4);
    return {};
  }
  FlatVector vector;
  vector.position = position + 4;
  vector.count = count;
  return vector;
}

FlatVector FlatReader::text(const FlatTable& table, const Slot& slot) {
  const FlatVector text = vector(table, slot, 1, 1);
  if (!text) return {};
  const uint64_t end = uint64_t{text.position} + text.count;
  if (end >= size_) {
    note(Status::kTruncated, slot, end + 1);
    return {};
  }
  if (data_[end] != 0) {
    note(Status::kBadValue, slot, end);
    return {};
  }
  return text;
}

bool FlatReader::same(const FlatVector& text, const char* other) const {
  const char* mine = chars(text);
  for (uint32_t i = 0; i < text.count; ++i) {
    if (other[i] == '\0' || mine[i] != other[i]) return false;
  }
  return other[text.count] == '\0';
}

}  // namespace berth::runtime
