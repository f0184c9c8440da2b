// A bounded reader of FlatBuffers: the bytes come from a stranger, so every offset is checked in
// 64-bit arithmetic before it is followed.
//
// A fault sticks: the first one is told with its field and position, and from then on
// whatever could not be read reads as absent (null table, empty vector, default). So a walk reads a
// whole record and asks `ok()` once, instead of branching after every field; nothing read after a
// fault may be kept.
//
//        slot ----> vtable: [bytes][table bytes][offset of slot 0][offset of slot 1]...
//                     ^ 0 or past the vtable's end: the field is absent
//   table: [-> vtable][field][field]...      vector: [count][element][element]...
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "contract/status.h"
#include "runtime/core/build_kind.h"
#include "runtime/load/load_faults.h"

namespace berth::runtime {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "FlatBuffers are little-endian and are read in place");

constexpr size_t kMaxFlatBuffer = 0x7fffffff;  // bytes: its offsets are signed 32-bit numbers

// A table whose vtable lies inside the buffer. 0: absent (the root offset stands there, so no table
// can).
struct FlatTable {
  uint32_t position = 0;
  explicit operator bool() const { return position != 0; }
};

// A vector that lies inside the buffer as a whole. position: of the first element; 0: absent.
struct FlatVector {
  uint32_t position = 0;
  uint32_t count = 0;
  explicit operator bool() const { return position != 0; }
};

// A kind of table: where it hangs, and its fields, which are known by number from then on.
constexpr size_t kMostFields = 8, kMostFieldBytes = 8;
struct TableKind {
  const Slot& slot;
  const Slot* const* fields;
  uint32_t count;
};

// Where the fields of a kind stand in tables that share a vtable.
struct KnownFields {
  uint32_t vtable;           // its position; 0 for none
  uint32_t last;             // where the last of them may start for all fields to lie in the buffer
  uint16_t at[kMostFields];  // from there; 0: absent
};
// Nearly all tables of a kind share a vtable: it is looked up and checked once for all of them. In
// a build for speed those before it are kept too, for lists where several take turns.
struct TableLayout {
  const TableKind& kind;
  KnownFields now = {};
#ifndef __OPTIMIZE_SIZE__
  struct Before {
    static constexpr uint32_t kCount = 3;
    KnownFields fields[kCount];
    Before() {
      for (KnownFields& none : fields) none.last = 0;
    }
  } before = {};
#endif
};

// Inlined in a build for size too: what comes back in two registers would be put into memory.
#define BERTH_IN_REGISTERS __attribute__((always_inline)) inline
// Where a rare case would take the registers of all others.
#ifdef __OPTIMIZE_SIZE__
#define BERTH_APART
#else
#define BERTH_APART __attribute__((noinline))
#endif

class FlatReader {
 public:
  // `faults` is told of the first fault only.
  FlatReader(const uint8_t* data, uint32_t size, LoadFaults& faults)
      : data_(data), size_(size), faults_(&faults) {}

#ifdef BERTH_TRUST_FILE
  static constexpr bool ok() { return true; }
  static constexpr Status status() { return Status::kOk; }
#else
  bool ok() const { return status_ == Status::kOk; }
  Status status() const { return status_; }
#endif
  LoadFaults& faults() const { return *faults_; }
  uint32_t size() const { return size_; }
  const uint8_t* data() const { return data_; }

  // The table that the offset at `at` leads to. REQUIRES: at + 4 <= size.
  FlatTable root(uint32_t at, const Slot& slot) { return {open(at, slot)}; }
  FlatTable table(FlatTable table, const Slot& slot) { return {open_field(table.position, slot)}; }
  // Elements of the slot's bytes; their start is aligned within the buffer as the slot says, so
  // that it may be pointed into where the buffer itself is aligned.
  BERTH_IN_REGISTERS FlatVector vector(FlatTable table, const Slot& slot) {
    return unpack(open_vector(table.position, slot));
  }
  // A vector of bytes with a NUL behind it.
  BERTH_IN_REGISTERS FlatVector text(FlatTable table, const Slot& slot) {
    return unpack(open_text(table.position, slot));
  }
  // Element i of a vector of tables. REQUIRES: i < vector.count.
  FlatTable table_at(const FlatVector& vector, uint32_t i, const Slot& slot) {
    return {open(vector.position + 4 * i, slot)};
  }

  // The table that the offset at `at` leads to; the layout becomes the table's. After a fault what
  // is read by it means nothing, but lies in the buffer. REQUIRES: at + 4 <= size.
  FlatTable enter(uint32_t at, TableLayout* layout) { return {open_known(at, layout)}; }
  // The same where the offset is field `i` of another table.
  FlatTable enter_field(FlatTable table, const TableLayout& outer, uint32_t i,
                        TableLayout* layout) {
    const uint32_t at = outer.now.at[i];
    return {at == 0 ? 0 : open_known(table.position + at, layout)};
  }
  // The same where the layout at hand is the table's; false where it is another or anything is
  // wrong, which enter() finds out. REQUIRES: at + 4 <= size.
  bool is_at_hand(uint32_t at, const TableLayout& layout, FlatTable* out) const {
    const uint32_t position = at + load<uint32_t>(data_ + at);
    if (position <= at || position > layout.now.last || (position & 3) != 0) return false;
    // Checked with the first table that had it.
    if (position - load<uint32_t>(data_ + position) != layout.now.vtable) return false;
    out->position = position;
    return true;
  }
  // enter() where the layout is known to be another.
  FlatTable enter_other(uint32_t at, TableLayout* layout) { return {find_fields(at, layout)}; }
  // The vector that field `i`, which is there, leads to; its elements are aligned to 4. False where
  // anything is wrong, which known_vector() finds out.
  bool is_vector_at_hand(FlatTable table, const TableLayout& layout, uint32_t i,
                         uint32_t element_shift, FlatVector* out) const {
    const uint32_t at = table.position + layout.now.at[i];
    const uint32_t position = at + load<uint32_t>(data_ + at);
    const uint32_t last = size_ - 4;
    if (position <= at || position > last || (position & 3) != 0) return false;
    const uint32_t count = load<uint32_t>(data_ + position);
    if (count > (last - position) >> element_shift) return false;
    *out = {position + 4, count};
    return true;
  }
  // Field `i`. REQUIRES: the layout is the table's.
  template <typename T>
  T known(FlatTable table, const TableLayout& layout, uint32_t i) const {
    const uint32_t at = layout.now.at[i];
    return at == 0 ? T() : load<T>(data_ + table.position + at);
  }
  // REQUIRES: the field at `place` is one of a table that was opened.
  template <typename T>
  T number_at(uint32_t place) const {
    return load<T>(data_ + place);
  }
  // A number of 8 bytes; its place is aligned in some tables of a vtable and not in others.
  int64_t known_long(FlatTable table, const TableLayout& layout, uint32_t i, const Slot& slot) {
    const uint32_t at = layout.now.at[i];
    if (at == 0 || ((table.position + at) & 7) != 0) return scalar<int64_t>(table, slot);
    return load<int64_t>(data_ + table.position + at);
  }
  // A text; `slot` is the field's.
  FlatVector known_text(FlatTable table, const TableLayout& layout, uint32_t i, const Slot& slot) {
    if (layout.now.at[i] == 0) return {};
    FlatVector here;
    const bool is_plain = is_vector_at_hand(table, layout, i, 0, &here) &&
                          here.position + here.count != size_ &&
                          data_[here.position + here.count] == 0;
    return is_plain ? here : text(table, slot);
  }
  // A table or vector; `slot` is the field's, given so that a build for speed knows it.
  FlatTable known_table(FlatTable table, const TableLayout& layout, uint32_t i, const Slot& slot) {
    const uint32_t at = layout.now.at[i];
    return {at == 0 ? 0 : open(table.position + at, slot)};
  }
  // REQUIRES: the field is required, so that every table of the layout has it.
  FlatVector known_vector(FlatTable table, const TableLayout& layout, uint32_t i,
                          const Slot& slot) {
    return unpack(follow_vector(table.position + layout.now.at[i], slot));
  }

  // A number, 0 when it is absent. REQUIRES: the slot is of one with the bytes of T.
  template <typename T>
  T scalar(FlatTable table, const Slot& slot) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8, "no other fields are read");
    assert(slot.bytes() == sizeof(T));
    if constexpr (sizeof(T) == 8) {
      const uint8_t* at = field(table.position, slot);
      return at == nullptr ? T() : load<T>(at);
    } else {
      return static_cast<T>(number(table.position, slot));
    }
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
  // How many slots the table's vtable has: more than are known, in a file that is newer. REQUIRES:
  // a table that was opened.
  uint32_t field_count(FlatTable table) const {
    const uint8_t* vtable = data_ + table.position - load<int32_t>(data_ + table.position);
    return (load<uint16_t>(vtable) - 4u) / 2;
  }
  const char* chars(const FlatVector& text) const { return elements<char>(text); }
  // Whether the text has exactly these characters.
  bool same(const FlatVector& text, const char* other) const;

 private:
  template <typename T>
  static T load(const uint8_t* at) {
    T value;
    __builtin_memcpy(&value, at, sizeof(T));  // a load, even where the library is freestanding
    return value;
  }
  // Positions and pairs travel as plain numbers: two registers, no memory.
  static FlatVector unpack(uint64_t packed) {
    return {static_cast<uint32_t>(packed), static_cast<uint32_t>(packed >> 32)};
  }
  // The field's bytes, or null when it is absent or does not fit.
  const uint8_t* field(uint32_t table, const Slot& slot);
  // A field of 1 or 4 bytes.
  uint32_t number(uint32_t table, const Slot& slot);
  // The table that the offset at `at`, or in a field, leads to; 0 for none.
  uint32_t open(uint32_t at, const Slot& slot);
  uint32_t open_field(uint32_t table, const Slot& slot);
  uint64_t open_vector(uint32_t table, const Slot& slot);
  uint64_t follow_vector(uint32_t at, const Slot& slot);
  uint64_t open_text(uint32_t table, const Slot& slot);
  uint32_t open_known(uint32_t at, TableLayout* layout);
  uint32_t find_fields(uint32_t table, TableLayout* layout);
  // Where the offset at `at` leads, or 0.
  uint32_t follow(uint32_t at, const Slot& slot);
#ifdef BERTH_TRUST_FILE
  [[noreturn]] static uint32_t note(Status, const Slot&, FaultNumber) { __builtin_unreachable(); }
  [[noreturn]] static const uint8_t* note_absent(const Slot&) { __builtin_unreachable(); }
#else
  uint32_t note(Status status, const Slot& slot, FaultNumber position);
  const uint8_t* note_absent(const Slot& slot);
#endif

  const uint8_t* data_;
  uint32_t size_;
#ifndef BERTH_TRUST_FILE
  Status status_ = Status::kOk;
#endif
  LoadFaults* faults_;
};

// In the header, so that a build for speed inlines them; one for size keeps one copy of each.
#ifdef __OPTIMIZE_SIZE__
#define BERTH_READER_INLINE __attribute__((noinline)) inline
#else
#define BERTH_READER_INLINE inline
#endif

BERTH_READER_INLINE const uint8_t* FlatReader::field(uint32_t table, const Slot& slot) {
  if (table == 0) return nullptr;
  const uint8_t* vtable = data_ + table - load<int32_t>(data_ + table);
  const uint32_t slot_offset = slot.offset();
  const uint32_t offset =
      slot_offset + 2 > load<uint16_t>(vtable) ? 0 : load<uint16_t>(vtable + slot_offset);
  if (offset == 0) return slot.is_required() ? note_absent(slot) : nullptr;
  const uint32_t at = table + offset;  // both far below 2^31
  const uint32_t bytes = slot.bytes();
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

BERTH_READER_INLINE uint32_t FlatReader::number(uint32_t table, const Slot& slot) {
  const uint8_t* at = field(table, slot);
  if (at == nullptr) return 0;
  return slot.is_byte() ? *at : load<uint32_t>(at);
}

BERTH_READER_INLINE uint32_t FlatReader::follow(uint32_t at, const Slot& slot) {
  const uint32_t offset = load<uint32_t>(data_ + at);
  // Tables, vectors and strings all start with 4 bytes. size - at is at least 4; an offset of 0
  // becomes the largest number.
  if (offset - 1 >= (size_ - 4) - at) {
    return note(Status::kTruncated, slot, FaultNumber{at} + offset);
  }
  const uint32_t target = at + offset;
  return (target & 3) == 0 ? target : note(Status::kBadValue, slot, target);
}

BERTH_READER_INLINE uint32_t FlatReader::open(uint32_t at, const Slot& slot) {
  const uint32_t position = follow(at, slot);
  if (position == 0) return 0;
  // Sizes are below 2^31, so a vtable before the buffer is one far behind it.
  const uint32_t start = position - load<uint32_t>(data_ + position);
  if (start > size_ - 4) return note(Status::kTruncated, slot, position);
  const uint32_t bytes = load<uint16_t>(data_ + start);
  if (bytes > size_ - start) return note(Status::kTruncated, slot, start + bytes);
  if (((start | bytes) & 1) != 0 || bytes < 4) return note(Status::kBadValue, slot, start);
  return position;
}

BERTH_READER_INLINE uint32_t FlatReader::open_known(uint32_t at, TableLayout* layout) {
  if (kForSpeed) {
    FlatTable table;
    return is_at_hand(at, *layout, &table) ? table.position : find_fields(at, layout);
  }
  const uint32_t position = follow(at, layout->kind.slot);
  if (position == 0) return 0;
  const uint32_t vtable = position - load<uint32_t>(data_ + position);
  // Checked with the first table that had it.
  if (vtable == layout->now.vtable && position <= layout->now.last) return position;
  return find_fields(at, layout);
}

BERTH_READER_INLINE uint32_t FlatReader::open_field(uint32_t table, const Slot& slot) {
  const uint8_t* at = field(table, slot);
  return at == nullptr ? 0 : open(static_cast<uint32_t>(at - data_), slot);
}

BERTH_READER_INLINE uint64_t FlatReader::open_vector(uint32_t table, const Slot& slot) {
  const uint8_t* at = field(table, slot);
  return at == nullptr ? 0 : follow_vector(static_cast<uint32_t>(at - data_), slot);
}

BERTH_READER_INLINE uint64_t FlatReader::follow_vector(uint32_t at, const Slot& slot) {
  uint32_t position = follow(at, slot);
  if (position == 0) return 0;
  const uint32_t count = load<uint32_t>(data_ + position);
  position += 4;
  if (count > (size_ - position) >> slot.element_shift()) {
    return note(Status::kTruncated, slot, count);
  }
  // Writers leave empty vectors where they fall.
  if (count != 0 && (position & (slot.element_alignment() - 1)) != 0) {
    return note(Status::kBadValue, slot, position);
  }
  return uint64_t{count} << 32 | position;
}

}  // namespace berth::runtime
