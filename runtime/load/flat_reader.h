// A bounded reader of FlatBuffers: the bytes come from a stranger, so every offset is checked in
// 64-bit arithmetic before it is followed.
//
// A fault sticks: the first one is remembered with its field and position, and from then on
// whatever could not be read reads as absent (null table, empty vector, default). So a walk reads a
// whole record and asks `ok()` once, instead of branching after every field; nothing read after a
// fault may be kept.
//
//        slot ----> vtable: [bytes][table bytes][offset of slot 0][offset of slot 1]...
//                     ^ 0 or past the vtable's end: the field is absent
//   table: [-> vtable][field][field]...      vector: [count][element][element]...
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "contract/status.h"

namespace berth::runtime {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "FlatBuffers are little-endian and are read in place");

// A field of a table: where its offset stands in the vtable, and its name for faults.
struct Slot {
  uint16_t offset;
#ifndef BERTH_NO_LOAD_FAULT
  const char* words;
  constexpr Slot(int id, const char* name)
      : offset(static_cast<uint16_t>(4 + 2 * id)), words(name) {}
  constexpr const char* name() const { return words; }
#else
  constexpr Slot(int id, const char*) : offset(static_cast<uint16_t>(4 + 2 * id)) {}
  constexpr const char* name() const { return ""; }
#endif
};

// A table whose vtable lies inside the buffer. position 0: absent (the root offset stands there, so
// no table can).
struct FlatTable {
  uint32_t position = 0;
  uint32_t vtable = 0;
  uint32_t vtable_bytes = 0;
  explicit operator bool() const { return position != 0; }
};

// A vector that lies inside the buffer as a whole. position: of the first element; 0: absent.
struct FlatVector {
  uint32_t position = 0;
  uint32_t count = 0;
  explicit operator bool() const { return position != 0; }
};

class FlatReader {
 public:
  FlatReader() = default;
  FlatReader(const uint8_t* data, uint32_t size) : data_(data), size_(size) {}

  bool ok() const { return fault_ == Status::kOk; }
  // The first fault: which field, and the position that was wanted beside the bytes there are.
  Status fault() const { return fault_; }
  const char* fault_field() const { return fault_slot_ == nullptr ? "" : fault_slot_->name(); }
  uint64_t fault_position() const { return fault_position_; }
  uint32_t size() const { return size_; }
  const uint8_t* data() const { return data_; }

  // The table that the offset at `at` leads to. REQUIRES: at + 4 <= size.
  FlatTable root(uint32_t at, const Slot& slot);
  FlatTable table(const FlatTable& table, const Slot& slot);
  // Elements of `element_bytes` each; their start is aligned to `alignment` within the buffer, so
  // that it may be pointed into where the buffer itself is aligned.
  FlatVector vector(const FlatTable& table, const Slot& slot, uint32_t element_bytes,
                    uint32_t alignment);
  // A vector of bytes with a NUL behind it.
  FlatVector text(const FlatTable& table, const Slot& slot);
  // Element i of a vector of tables. REQUIRES: i < vector.count.
  FlatTable table_at(const FlatVector& vector, uint32_t i, const Slot& slot);

  template <typename T>
  T scalar(const FlatTable& table, const Slot& slot, T absent = T()) {
    const uint8_t* at = field(table, slot, sizeof(T));
    return at == nullptr ? absent : load<T>(at);
  }

  // Element i of a vector of scalars. REQUIRES: i < vector.count.
  template <typename T>
  T at(const FlatVector& vector, uint32_t i) const {
    return load<T>(data_ + vector.position + static_cast<size_t>(i) * sizeof(T));
  }
  // The elements in place. REQUIRES: present, read with the alignment of T from a buffer that is
  // aligned likewise.
  template <typename T>
  const T* elements(const FlatVector& vector) const {
    return reinterpret_cast<const T*>(data_ + vector.position);
  }
  const char* chars(const FlatVector& text) const { return elements<char>(text); }
  // Whether the text has exactly these characters.
  bool same(const FlatVector& text, const char* other) const;

 private:
  template <typename T>
  static T load(const uint8_t* at) {
    T value;
    memcpy(&value, at, sizeof(T));
    return value;
  }
  // The field's bytes, or null when it is absent or does not fit.
  const uint8_t* field(const FlatTable& table, const Slot& slot, uint32_t bytes);
  // Where the offset at `at` leads, or 0.
  uint32_t follow(uint32_t at, uint32_t bytes_there, const Slot& slot);
  FlatTable open(uint32_t position, const Slot& slot);
  void note(Status status, const Slot& slot, uint64_t position);

  const uint8_t* data_ = nullptr;
  uint32_t size_ = 0;
  Status fault_ = Status::kOk;
  const Slot* fault_slot_ = nullptr;
  uint64_t fault_position_ = 0;
};

}  // namespace berth::runtime
