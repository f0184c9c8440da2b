#include "runtime/load/flat_reader.h"

namespace berth::runtime {

#ifndef BERTH_NO_LOAD_FAULT
void LoadFaults::write(const Slot& field, FaultNumber need, FaultNumber have) {
  if (out_ != nullptr) *out_ = {Status::kOk, field.words(), item, 0, need, have};
}
#endif

// Answers 0, "absent", for its callers to pass on.
uint32_t FlatReader::note(Status status, const Slot& slot, FaultNumber position) {
  if (ok()) status_ = faults_->fail(status, slot, position, size_);
  return 0;
}

uint64_t FlatReader::open_text(uint32_t table, const Slot& slot) {
  const uint64_t text = open_vector(table, slot, 1, 1);
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
