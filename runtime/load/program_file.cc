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
constexpr uint32_t kOldHeaderBytes = 24;  // without the size of the segment data
constexpr uint32_t kHeaderBytes = 32;     // longer ones have fields appended

template <typename T>
T load_at(const uint8_t* data, size_t at) {
  T value;
  __builtin_memcpy(&value, data + at, sizeof(T));
  return value;
}

// The four characters of an identifier, as the number that stands in the file.
constexpr uint32_t four_characters(const char (&text)[5]) {
  uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<uint8_t>(text[i]);
  return number;
}

// One of the header's sizes, between `least` and `most`. 64 bits in the file on every machine.
Status read_size(const ProgramFile& file, size_t at, const Slot& field, size_t least, size_t most,
                 size_t* out, LoadFaults& faults) {
  const uint64_t value = load_at<uint64_t>(file.data, at);
  if (value > most) return faults.fail(Status::kTruncated, field, value, most);
  if (value < least) return faults.fail(Status::kBadValue, field, least, value);
  *out = static_cast<size_t>(value);
  return Status::kOk;
}

// Identifier, then header: how long the FlatBuffer is and where the segments lie.
Status read_header(ProgramFile* file, LoadFaults& faults) {
  size_t program_size = file->size;
  if (program_size < kHeaderAt) {
    return faults.fail(Status::kTruncated, slots::kIdentifier, kHeaderAt, program_size);
  }
  if (load_at<uint32_t>(file->data, 4) != four_characters("ET12")) {
    return faults.fail(Status::kBadMagic, slots::kIdentifier);
  }
  if (file->size >= kHeaderAt + 8 &&
      load_at<uint32_t>(file->data, kHeaderAt) == four_characters("eh00")) {
    const uint32_t length = load_at<uint32_t>(file->data, kHeaderAt + 4);
    if (length < kOldHeaderBytes) {
      return faults.fail(Status::kBadMagic, slots::kHeaderLength, kOldHeaderBytes, length);
    }
    if (length > file->size - kHeaderAt) {
      return faults.fail(Status::kTruncated, slots::kHeaderLength, length, file->size - kHeaderAt);
    }
    BERTH_TRY(read_size(*file, 16, slots::kProgramSize, kHeaderAt + length, file->size,
                        &program_size, faults));
    size_t base = program_size;
    if (load_at<uint64_t>(file->data, 24) != 0) {
      BERTH_TRY(read_size(*file, 24, slots::kSegmentBase, program_size, file->size, &base, faults));
      file->segments.base = file->data + base;
      file->segments.size = file->size - base;
    }
    if (length >= kHeaderBytes) {
      size_t bytes = 0;
      BERTH_TRY(
          read_size(*file, 32, slots::kSegmentDataSize, 0, file->size - base, &bytes, faults));
      if (file->segments.base != nullptr) file->segments.size = bytes;
    }
  }
  if (program_size > kMaxFlatBuffer) {
    return faults.fail(Status::kUnsupported, slots::kProgramSize, kMaxFlatBuffer, program_size);
  }
  file->program_size = static_cast<uint32_t>(program_size);
  return Status::kOk;
}

// Constants of today's files lie in one segment, those of older files inside the FlatBuffer; never
// both.
Status open_constants(ProgramFile* file, FlatReader& reader, FlatTable root, LoadFaults& faults) {
  file->inline_constants = reader.vector(root, slots::kConstantBuffer);
  const FlatTable table = reader.table(root, slots::kConstantSegment);
  const FlatVector offsets = reader.vector(table, slots::kConstantOffsets);
  if (offsets.count <= 1) return Status::kOk;  // entry 0 is reserved
  if (file->inline_constants.count != 0) {
    return faults.fail(Status::kBadCount, slots::kConstantBuffer, 0, file->inline_constants.count);
  }
  file->constants.offsets = offsets;
  return file->segments.follow(reader, table, slots::kConstantSegmentIndex, &file->constants.bytes);
}

// Stock runtimes use entry 0 whatever the values say, and stock tools write no other.
Status open_mutable_data(ProgramFile* file, FlatReader& reader, FlatTable root) {
  const FlatVector tables = reader.vector(root, slots::kMutableDataSegments);
  if (tables.count == 0) return Status::kOk;
  const FlatTable table = reader.table_at(tables, 0, slots::kMutableDataSegments);
  file->mutable_data.offsets = reader.vector(table, slots::kMutableOffsets);
  if (file->mutable_data.offsets.count <= 1) return Status::kOk;
  return file->segments.follow(reader, table, slots::kMutableSegmentIndex,
                               &file->mutable_data.bytes);
}

// What every use of the record needs: no unknown meaning, a known ISA, its pools and methods.
Status open_record(ProgramFile* file, LoadFaults& faults) {
  if (file->record.size() < 8) {
    return faults.fail(Status::kTruncated, slots::kRecordRoot, 8, file->record.size());
  }
  if (file->record.size() > kMaxFlatBuffer ||
      load_at<uint32_t>(file->record.data(), 4) != four_characters(kPlanRecordIdentifier)) {
    return faults.fail(Status::kBadMagic, slots::kRecordRoot);
  }
  FlatReader reader = file->record_reader(faults);
  file->record_root = reader.root(0, slots::kRecordRoot);
  const uint64_t flags = reader.scalar<uint64_t>(file->record_root, slots::kFeatureFlags);
  const uint8_t isa = reader.scalar<uint8_t>(file->record_root, slots::kRecordIsa);
  file->record_pools = reader.vector(file->record_root, slots::kRecordPools);
  file->record_methods = reader.vector(file->record_root, slots::kRecordMethods);
  BERTH_TRY(reader.status());
  if ((flags & ~kKnownFeatureFlags) != 0) {
    return faults.fail(Status::kNewerFeature, slots::kFeatureFlags, kKnownFeatureFlags, flags);
  }
  if (isa >= kIsaCount) {
    return faults.fail(Status::kBadValue, slots::kRecordIsa, kIsaCount, isa);
  }
  file->record_isa = static_cast<Isa>(isa);
  return Status::kOk;
}

Status find_record(ProgramFile* file, FlatReader& reader, FlatTable root, LoadFaults& faults) {
  const FlatVector entries = reader.vector(root, slots::kNamedData);
  for (uint32_t i = 0; i < entries.count; ++i) {
    faults.item = i;
    const FlatTable entry = reader.table_at(entries, i, slots::kNamedData);
    const FlatVector key = reader.text(entry, slots::kNamedKey);
    BERTH_TRY(reader.status());
    Span<const uint8_t> bytes;
    BERTH_TRY(file->segments.follow(reader, entry, slots::kNamedSegmentIndex, &bytes));
    if (!reader.same(key, kPlanRecordKey)) continue;
    if (file->has_record()) return faults.fail(Status::kBadCount, slots::kNamedKey, 1, 2);
    file->record = bytes;
    BERTH_TRY(open_record(file, faults));
  }
  return Status::kOk;
}

}  // namespace

Status open_program(Span<const uint8_t> bytes, ProgramFile* out, LoadFaults& faults) {
  const uintptr_t misplaced = reinterpret_cast<uintptr_t>(bytes.data()) % kProgramAlignment;
  if (misplaced != 0) {
    return faults.fail(Status::kMisaligned, slots::kProgramBytes, kProgramAlignment, misplaced);
  }
  ProgramFile file;
  file.data = bytes.data();
  file.size = bytes.size();
  BERTH_TRY(read_header(&file, faults));
  FlatReader reader = file.reader(faults);
  const FlatTable root = reader.root(0, slots::kRoot);
  file.plans = reader.vector(root, slots::kExecutionPlan);
  file.segments.list = reader.vector(root, slots::kSegments);
  BERTH_TRY(reader.status());
  for (uint32_t i = 0; !kTrustFile && i < file.segments.list.count; ++i) {
    faults.item = i;
    Span<const uint8_t> segment;
    BERTH_TRY(file.segments.find(reader, i, &segment));
  }
  faults.item = 0;
  BERTH_TRY(open_constants(&file, reader, root, faults));
  BERTH_TRY(open_mutable_data(&file, reader, root));
  BERTH_TRY(find_record(&file, reader, root, faults));
  BERTH_TRY(reader.status());
  *out = file;
  return Status::kOk;
}

}  // namespace berth::runtime
