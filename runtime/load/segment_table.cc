#include "runtime/load/segment_table.h"

#include "runtime/load/pte_slots.h"

namespace berth::runtime {

Status SegmentTable::find(FlatReader& reader, uint32_t index, Span<const uint8_t>* out) const {
  const FlatTable segment = reader.table_at(list, index, slots::kSegments);
  const uint64_t segment_offset = reader.scalar<uint64_t>(segment, slots::kSegmentOffset);
  const uint64_t segment_size = reader.scalar<uint64_t>(segment, slots::kSegmentSize);
  BERTH_TRY(reader.status());
  LoadFaults& faults = reader.faults();
  if (segment_offset > size) {
    return faults.fail(Status::kTruncated, slots::kSegmentOffset, segment_offset, size);
  }
  const size_t left = size - static_cast<size_t>(segment_offset);
  if (segment_size > left) {
    return faults.fail(Status::kTruncated, slots::kSegmentSize, segment_size, left);
  }
  *out = {base + static_cast<size_t>(segment_offset), static_cast<size_t>(segment_size)};
  return Status::kOk;
}

Status SegmentTable::follow(FlatReader& reader, FlatTable table, const Slot& slot,
                            Span<const uint8_t>* out) const {
  const uint32_t index = reader.scalar<uint32_t>(table, slot);
  BERTH_TRY(reader.status());
  if (index >= list.count) {
    return reader.faults().fail(Status::kBadIndex, slot, list.count, index);
  }
  return find(reader, index, out);
}

}  // namespace berth::runtime
