#include "runtime/load/program_file.h"

#include <cstddef>
#include <cstring>

#include "contract/checked.h"
#include "contract/plan_record.h"
#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

// The extended header stands behind the identifier; its length counts from its magic.
constexpr uint32_t kHeaderAt = 8;
constexpr uint32_t kOldHeaderBytes = 24;         // without the size of the segment data
constexpr uint32_t kHeaderBytes = 32;            // longer ones have fields appended
constexpr uint64_t kMaxFlatBuffer = 0x7fffffff;  // offsets are signed 32-bit numbers

template <typename T>
T load_at(const uint8_t* data, uint64_t at) {
  T value;
  memcpy(&value, data + at, sizeof(T));
  return value;
}

// Identifier, then header: how long the FlatBuffer is and where the segments lie.
Status read_header(ProgramFile* file, FaultNote note) {
  if (file->size < kHeaderAt) {
    return note.fail(Status::kTruncated, "header", 0, kHeaderAt, file->size);
  }
  if (memcmp(file->data + 4, "ET12", 4) != 0) {
    return note.fail(Status::kBadMagic, "file identifier");
  }
  uint64_t program_size = file->size;
  if (file->size >= kHeaderAt + 8 && memcmp(file->data + kHeaderAt, "eh00", 4) == 0) {
    const uint32_t length = load_at<uint32_t>(file->data, kHeaderAt + 4);
    if (length < kOldHeaderBytes) {
      return note.fail(Status::kBadMagic, "header.length", 0, kOldHeaderBytes, length);
    }
    const uint64_t header_end = uint64_t{kHeaderAt} + length;
    if (header_end > file->size) {
      return note.fail(Status::kTruncated, "header.length", 0, header_end, file->size);
    }
    program_size = load_at<uint64_t>(file->data, 16);
    if (program_size > file->size) {
      return note.fail(Status::kTruncated, "header.program_size", 0, program_size, file->size);
    }
    if (program_size < header_end) {
      return note.fail(Status::kBadValue, "header.program_size", 0, header_end, program_size);
    }
    file->segment_base = load_at<uint64_t>(file->data, 24);
    if (file->segment_base != 0 && file->segment_base < program_size) {
      return note.fail(Status::kBadValue, "header.segment_base_offset", 0, program_size,
                       file->segment_base);
    }
    if (file->segment_base > file->size) {
      return note.fail(Status::kTruncated, "header.segment_base_offset", 0, file->segment_base,
                       file->size);
    }
    file->segment_end = file->segment_base == 0 ? 0 : file->size;
    if (length >= kHeaderBytes) {
      const uint64_t bytes = load_at<uint64_t>(file->data, 32);
      uint64_t end = 0;
      if (!checked_add(file->segment_base == 0 ? program_size : file->segment_base, bytes, &end) ||
          end > file->size) {
        return note.fail(Status::kTruncated, "header.segment_data_size", 0, bytes,
                         file->size - file->segment_base);
      }
      if (file->segment_base != 0) file->segment_end = end;
    }
  }
  if (program_size > kMaxFlatBuffer) {
    return note.fail(Status::kUnsupported, "header.program_size", 0, kMaxFlatBuffer, program_size);
  }
  file->program_size = static_cast<uint32_t>(program_size);
  return Status::kOk;
}

// All segments lie between segment_base and segment_end.
Status check_segments(const ProgramFile& file, FlatReader& reader, FaultNote note) {
  const uint64_t room = file.segment_end - file.segment_base;
  for (uint32_t i = 0; i < file.segments.count; ++i) {
    const FlatTable segment = reader.table_at(file.segments, i, slots::kSegments);
    const uint64_t offset = reader.scalar<uint64_t>(segment, slots::kSegmentOffset);
    const uint64_t size = reader.scalar<uint64_t>(segment, slots::kSegmentSize);
    if (!reader.ok()) return fail_reading(note, reader, i);
    uint64_t end = 0;
    if (!checked_add(offset, size, &end)) {
      return note.fail(Status::kBadValue, slots::kSegmentOffset.name(), i, size, offset);
    }
    if (end > room) {
      return note.fail(Status::kTruncated, slots::kSegmentSize.name(), i, end, room);
    }
  }
  return Status::kOk;
}

// REQUIRES: check_segments has passed and index < segments.count.
Span<const uint8_t> segment_bytes(const ProgramFile& file, FlatReader& reader, uint32_t index) {
  const FlatTable segment = reader.table_at(file.segments, index, slots::kSegments);
  const uint64_t offset = reader.scalar<uint64_t>(segment, slots::kSegmentOffset);
  const uint64_t size = reader.scalar<uint64_t>(segment, slots::kSegmentSize);
  return {file.data + file.segment_base + offset, static_cast<size_t>(size)};
}

Status find_segment(const ProgramFile& file, FlatReader& reader, uint32_t index, const Slot& slot,
                    uint32_t item, Span<const uint8_t>* out, FaultNote note) {
  if (index >= file.segments.count) {
    return note.fail(Status::kBadIndex, slot.name(), item, file.segments.count, index);
  }
  *out = segment_bytes(file, reader, index);
  return Status::kOk;
}

// Constants of today's files lie in one segment, those of older files inside the FlatBuffer; never
// both.
Status open_constants(ProgramFile* file, FlatReader& reader, const FlatTable& root,
                      FaultNote note) {
  file->inline_constants = reader.vector(root, slots::kConstantBuffer, 4, 4);
  const FlatTable table = reader.table(root, slots::kConstantSegment);
  const FlatVector offsets = reader.vector(table, slots::kConstantOffsets, 8, 8);
  const uint32_t index = reader.scalar<uint32_t>(table, slots::kConstantSegmentIndex);
  if (!reader.ok()) return fail_reading(note, reader);
  if (offsets.count <= 1) return Status::kOk;  // entry 0 is reserved
  if (file->inline_constants.count != 0) {
    return note.fail(Status::kBadCount, slots::kConstantBuffer.name(), 0, 0,
                     file->inline_constants.count);
  }
  file->constants.offsets = offsets;
  return find_segment(*file, reader, index, slots::kConstantSegmentIndex, 0, &file->constants.bytes,
                      note);
}

// Stock runtimes use entry 0 whatever the values say, and stock tools write no other.
Status open_mutable_data(ProgramFile* file, FlatReader& reader, const FlatTable& root,
                         FaultNote note) {
  const FlatVector tables = reader.vector(root, slots::kMutableDataSegments, 4, 4);
  if (tables.count == 0) return reader.ok() ? Status::kOk : fail_reading(note, reader);
  const FlatTable table = reader.table_at(tables, 0, slots::kMutableDataSegments);
  file->mutable_data.offsets = reader.vector(table, slots::kMutableOffsets, 8, 8);
  const uint32_t index = reader.scalar<uint32_t>(table, slots::kMutableSegmentIndex);
  if (!reader.ok()) return fail_reading(note, reader);
  if (file->mutable_data.offsets.count <= 1) return Status::kOk;
  return find_segment(*file, reader, index, slots::kMutableSegmentIndex, 0,
                      &file->mutable_data.bytes, note);
}

// What every use of the record needs: no unknown meaning, a known ISA, its pools and methods.
Status open_record(ProgramFile* file, FaultNote note) {
  if (file->record.size() < 8) {
    return note.fail(Status::kTruncated, slots::kRecordRoot.name(), 0, 8, file->record.size());
  }
  if (file->record.size() > kMaxFlatBuffer ||
      memcmp(file->record.data() + 4, kPlanRecordIdentifier, 4) != 0) {
    return note.fail(Status::kBadMagic, "plan_record identifier");
  }
  FlatReader reader = file->record_reader();
  file->record_root = reader.root(0, slots::kRecordRoot);
  const uint64_t flags = reader.scalar<uint64_t>(file->record_root, slots::kFeatureFlags);
  const uint8_t isa = reader.scalar<uint8_t>(file->record_root, slots::kRecordIsa);
  file->record_pools = reader.vector(file->record_root, slots::kRecordPools, 4, 4);
  file->record_methods = reader.vector(file->record_root, slots::kRecordMethods, 4, 4);
  if (!reader.ok()) return fail_reading(note, reader);
  if ((flags & ~kKnownFeatureFlags) != 0) {
    return note.fail(Status::kNewerFeature, slots::kFeatureFlags.name(), 0, kKnownFeatureFlags,
                     flags);
  }
  if (isa >= kIsaCount) {
    return note.fail(Status::kBadValue, slots::kRecordIsa.name(), 0, kIsaCount, isa);
  }
  if (!file->record_pools || !file->record_methods) {
    const Slot& slot = file->record_pools ? slots::kRecordMethods : slots::kRecordPools;
    return note.fail(Status::kMissingField, slot.name());
  }
  file->record_isa = static_cast<Isa>(isa);
  return Status::kOk;
}

Status find_record(ProgramFile* file, FlatReader& reader, const FlatTable& root, FaultNote note) {
  const FlatVector entries = reader.vector(root, slots::kNamedData, 4, 4);
  for (uint32_t i = 0; i < entries.count; ++i) {
    const FlatTable entry = reader.table_at(entries, i, slots::kNamedData);
    const FlatVector key = reader.text(entry, slots::kNamedKey);
    const uint32_t index = reader.scalar<uint32_t>(entry, slots::kNamedSegmentIndex);
    if (!reader.ok()) return fail_reading(note, reader, i);
    if (!key) return note.fail(Status::kMissingField, slots::kNamedKey.name(), i);
    Span<const uint8_t> bytes;
    BERTH_TRY(find_segment(*file, reader, index, slots::kNamedSegmentIndex, i, &bytes, note));
    if (!reader.same(key, kPlanRecordKey)) continue;
    if (file->has_record()) return note.fail(Status::kBadCount, slots::kNamedKey.name(), i, 1, 2);
    file->record = bytes;
    BERTH_TRY(open_record(file, note));
  }
  return reader.ok() ? Status::kOk : fail_reading(note, reader);
}

}  // namespace

Status fail_reading(FaultNote note, const FlatReader& reader, uint32_t index) {
  return note.fail(reader.fault(), reader.fault_field(), index, reader.fault_position(),
                   reader.size());
}

Status open_program(Span<const uint8_t> bytes, ProgramFile* out, FaultNote note) {
  const uintptr_t misplaced = reinterpret_cast<uintptr_t>(bytes.data()) % kProgramAlignment;
  if (misplaced != 0) {
    return note.fail(Status::kMisaligned, "program", 0, kProgramAlignment, misplaced);
  }
  ProgramFile file;
  file.data = bytes.data();
  file.size = bytes.size();
  BERTH_TRY(read_header(&file, note));
  FlatReader reader = file.reader();
  const FlatTable root = reader.root(0, slots::kRoot);
  file.plans = reader.vector(root, slots::kExecutionPlan, 4, 4);
  file.segments = reader.vector(root, slots::kSegments, 4, 4);
  if (!reader.ok()) return fail_reading(note, reader);
  if (!file.plans) return note.fail(Status::kMissingField, slots::kExecutionPlan.name());
  BERTH_TRY(check_segments(file, reader, note));
  BERTH_TRY(open_constants(&file, reader, root, note));
  BERTH_TRY(open_mutable_data(&file, reader, root, note));
  BERTH_TRY(find_record(&file, reader, root, note));
  *out = file;
  return Status::kOk;
}

}  // namespace berth::runtime
