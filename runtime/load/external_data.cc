#include "runtime/load/external_data.h"

#include <cstring>

#include "runtime/load/external_data_slots.h"
#include "runtime/load/program_file.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

constexpr uint32_t kHeaderAt = 8;
constexpr uint32_t kHeaderBytes = 40;  // longer ones have fields appended
constexpr uint32_t kHeadBytes = kHeaderAt + kHeaderBytes;

}  // namespace

Status ExternalData::read_header(size_t file_size, LoadFaults& faults) {
  if (file_size < kHeadBytes) {
    return faults.fail(Status::kTruncated, slots::kIdentifier, kHeadBytes, file_size);
  }
  if (memcmp(data_ + 4, "FT01", 4) != 0 || memcmp(data_ + kHeaderAt, "FH01", 4) != 0) {
    return faults.fail(Status::kBadMagic, slots::kIdentifier);
  }
  uint32_t length = 0;
  uint64_t sizes[4];  // of the header with padding, of the FlatBuffer; segment base, segment bytes
  memcpy(&length, data_ + 12, sizeof(length));
  memcpy(sizes, data_ + 16, sizeof(sizes));
  if (length < kHeaderBytes) {
    return faults.fail(Status::kBadMagic, slots::kHeaderLength, kHeaderBytes, length);
  }
  // The FlatBuffer's size was counted before the header was spliced in.
  const uint64_t most = file_size < kMaxFlatBuffer ? file_size : kMaxFlatBuffer;
  if (sizes[0] > most || sizes[1] > most - sizes[0]) {
    return faults.fail(Status::kTruncated, slots::kProgramSize, sizes[0] + sizes[1], most);
  }
  metadata_size_ = static_cast<uint32_t>(sizes[0] + sizes[1]);
  if (metadata_size_ < kHeadBytes) {
    return faults.fail(Status::kBadValue, slots::kProgramSize, kHeadBytes, metadata_size_);
  }
  if (sizes[2] > file_size) {
    return faults.fail(Status::kTruncated, slots::kSegmentBase, sizes[2], file_size);
  }
  const size_t room = file_size - static_cast<size_t>(sizes[2]);
  if (sizes[3] > room) {
    return faults.fail(Status::kTruncated, slots::kSegmentDataSize, sizes[3], room);
  }
  segments_.base = data_ + static_cast<size_t>(sizes[2]);
  segments_.size = static_cast<size_t>(sizes[3]);
  return Status::kOk;
}

Status ExternalData::read_entry(FlatReader& reader, FlatTable table, Entry* out) const {
  LoadFaults& faults = reader.faults();
  reader.text(table, slots::kNamedKey);
  const FlatTable layout = reader.table(table, slots::kTensorLayout);
  const int8_t type = reader.scalar<int8_t>(layout, slots::kLayoutScalarType);
  out->sizes = reader.vector(layout, slots::kLayoutSizes);
  out->dim_order = reader.vector(layout, slots::kLayoutDimOrder);
  BERTH_TRY(reader.status());
  if (layout) {
    if (!is_scalar_type(type)) {
      return faults.fail(Status::kBadValue, slots::kLayoutScalarType, kScalarTypeCount - 1, type);
    }
    if (out->dim_order.count != out->sizes.count) {
      return faults.fail(Status::kBadCount, slots::kLayoutDimOrder, out->sizes.count,
                         out->dim_order.count);
    }
  }
  out->dtype = static_cast<ScalarType>(type);
  return segments_.follow(reader, table, slots::kNamedSegmentIndex, &out->bytes);
}

Status ExternalData::read(Span<const uint8_t> bytes, LoadFaults& faults) {
  const uintptr_t misplaced = reinterpret_cast<uintptr_t>(bytes.data()) % kProgramAlignment;
  if (misplaced != 0) {
    return faults.fail(Status::kMisaligned, slots::kProgramBytes, kProgramAlignment, misplaced);
  }
  data_ = bytes.data();
  BERTH_TRY(read_header(bytes.size(), faults));
  FlatReader reader(data_, metadata_size_, faults);
  const FlatTable root = reader.root(0, slots::kRoot);
  segments_.list = reader.vector(root, slots::kExternalSegments);
  entries_ = reader.vector(root, slots::kExternalEntries);
  BERTH_TRY(reader.status());
  for (uint32_t i = 0; i < entries_.count; ++i) {
    faults.item = i;
    Entry unused;
    BERTH_TRY(read_entry(reader, reader.table_at(entries_, i, slots::kExternalEntries), &unused));
  }
  find_ = find_tensor;
  return Status::kOk;
}

Status ExternalData::open(Span<const uint8_t> bytes, LoadFault* fault) {
  LoadFaults faults(fault);
  ExternalData opened;
  const Status status = opened.read(bytes, faults);
  if (status == Status::kOk) *this = opened;
  return faults.tell(status);
}

// Linear: files have as many entries as programs have external tensors, hundreds at the most.
Status ExternalData::find_tensor(const ExternalData& self, const char* name, const Tensor& tensor,
                                 LoadFaults& faults, const uint8_t** out) {
  LoadFaults unused(nullptr);
  FlatReader reader(self.data_, self.metadata_size_, unused);
  for (uint32_t i = 0; i < self.entries_.count; ++i) {
    const FlatTable table = reader.table_at(self.entries_, i, slots::kExternalEntries);
    if (!reader.same(reader.text(table, slots::kNamedKey), name)) continue;
    Entry entry;
    BERTH_TRY(self.read_entry(reader, table, &entry));
    if (!entry.sizes) continue;
    if (entry.dtype != tensor.dtype) {
      return faults.fail(Status::kBadValue, slots::kLayoutScalarType, tensor.dtype, entry.dtype);
    }
    if (entry.sizes.count != tensor.rank) {
      return faults.fail(Status::kBadCount, slots::kLayoutSizes, tensor.rank, entry.sizes.count);
    }
    const int32_t* sizes = reader.elements<int32_t>(entry.sizes);
    for (uint32_t d = 0; d < tensor.rank; ++d) {
      if (sizes[d] == tensor.sizes[d]) continue;
      return faults.fail(Status::kBadValue, slots::kLayoutSizes, tensor.sizes[d], sizes[d]);
    }
    if (memcmp(reader.elements<uint8_t>(entry.dim_order), tensor.dim_order, tensor.rank) != 0) {
      return faults.fail(Status::kBadValue, slots::kLayoutDimOrder);
    }
    if (entry.bytes.size() < tensor.capacity) {
      return faults.fail(Status::kTruncated, slots::kSegmentSize, tensor.capacity,
                         entry.bytes.size());
    }
    *out = entry.bytes.data();
    return Status::kOk;
  }
  return Status::kNoSuchData;
}

}  // namespace berth::runtime
