#include "runtime/load/flat_reader.h"

namespace berth::runtime {

#ifndef BERTH_NO_LOAD_FAULT
void LoadFaults::write(const Slot& field, FaultNumber need, FaultNumber have) {
  if (out_ != nullptr) *out_ = {Status::kOk, field.words(), item, 0, need, have};
}
void LoadFaults::write(const Slot& field) { write(field, 0, 0); }
#endif

#ifndef BERTH_TRUST_FILE
// Answers 0, "absent", for its callers to pass on.
uint32_t FlatReader::note(Status status, const Slot& slot, FaultNumber position) {
  if (ok()) status_ = faults_->fail(status, slot, position, size_);
  return 0;
}

const uint8_t* FlatReader::note_absent(const Slot& slot) {
  if (ok()) status_ = faults_->fail(Status::kMissingField, slot);
  return nullptr;
}

#endif

// The table at the offset at `at`, of whose vtable nothing is known yet.
uint32_t FlatReader::find_fields(uint32_t at, TableLayout* layout) {
#ifndef __OPTIMIZE_SIZE__
  KnownFields* const before = layout->before.fields;
  const uint32_t position = at + load<uint32_t>(data_ + at);
  if (position > at && position <= size_ - 4 && (position & 3) == 0) {
    const uint32_t its_vtable = position - load<uint32_t>(data_ + position);
    for (uint32_t i = 0; i < TableLayout::Before::kCount; ++i) {
      if (position > before[i].last || its_vtable != before[i].vtable) continue;
      const KnownFields last = layout->now;
      layout->now = before[i];
      before[i] = last;
      return position;
    }
  }
  for (uint32_t i = TableLayout::Before::kCount - 1; i != 0; --i) before[i] = before[i - 1];
  before[0] = layout->now;
#endif
  const TableKind& kind = layout->kind;
  const uint32_t table = open(at, kind.slot);
  if (table == 0) return 0;
  KnownFields& found = layout->now;
  found.last = 0;  // until all fields are found to be right
  uint32_t end = kMostFieldBytes;
  for (uint32_t i = 0; i < kind.count; ++i) {
    const Slot& slot = *kind.fields[i];
    const uint8_t* place = field(table, slot);
    const uint32_t offset = place == nullptr ? 0 : static_cast<uint32_t>(place - data_) - table;
    found.at[i] = static_cast<uint16_t>(offset);
    if (end < offset + kMostFieldBytes) end = offset + kMostFieldBytes;
  }
  if (!ok()) return 0;
  found.vtable = table - load<uint32_t>(data_ + table);
  found.last = size_ - end;
  return table;
}

uint64_t FlatReader::open_text(uint32_t table, const Slot& slot) {
  const uint64_t text = open_vector(table, slot);
  if (text == 0) return 0;
  const uint32_t end = static_cast<uint32_t>(text) + static_cast<uint32_t>(text >> 32);
  if (end == size_) return note(Status::kTruncated, slot, end);
  return data_[end] == 0 ? text : note(Status::kBadValue, slot, end);
}

bool FlatReader::same(const FlatVector& text, const char* other) const {
  const char* mine = chars(text);
  for (uint32_t i = 0; i < text.count; ++i) {
    if (other[i] == '\0' || mine[i] != other[i]) return false;
  }
  return other[text.count] == '\0';
}

}  // namespace berth::runtime
