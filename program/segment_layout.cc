// Layout of what is written:
//
//   root offset, "ET12" · extended header (32) · the rest of the FlatBuffer · zeros · segments,
//   zeros between them
//
// The header is spliced in after the FlatBuffer is made: offsets inside are relative, only the root
// offset moves.
#include "program/segment_layout.h"

#include <algorithm>
#include <cstring>

#include "contract/checked.h"
#include "program/record.h"

namespace berth::program {
namespace {

constexpr uint32_t kHeaderBytes = 32;
constexpr size_t kSplicePoint = 8;    // after the root offset and the identifier
constexpr size_t kMinFileBytes = 64;  // stock loaders read this much before they look

void put_u32(std::byte* at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}
void put_u64(std::byte* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace

SegmentLayout::SegmentLayout(const Program& program, const WriteOptions& options)
    : program_(program), options_(options) {
  lay_out_constants();
  lay_out_mutable_data();
  lay_out_delegates();
  lay_out_named_data();
}

uint32_t SegmentLayout::add_segment(Segment segment, uint32_t alignment) {
  uint64_t end = 0;
  if (!segments_.empty()) end = segments_.back().offset + segments_.back().size;
  alignment = std::max(options_.segment_alignment, alignment);
  base_alignment_ = std::max(base_alignment_, alignment);
  segment.offset = align_up(end, alignment);
  segments_.push_back(std::move(segment));
  return static_cast<uint32_t>(segments_.size() - 1);
}

uint32_t SegmentLayout::add_blob(std::span<const std::byte> bytes, uint32_t alignment) {
  Segment segment;
  segment.size = bytes.size();
  segment.pieces.push_back({0, bytes});
  return add_segment(std::move(segment), alignment);
}

// data_buffer_idx i + 1 is constant i; numbers above are for tensors that lie inside a constant,
// not at its start.
void SegmentLayout::lay_out_constants() {
  std::vector<uint32_t> alignments(program_.constants.size(), options_.constant_alignment);
  for (const Method& method : program_.methods) {
    for (const Storage& storage : method.storages) {
      if (storage.kind != StorageKind::kConstant) continue;
      uint32_t& alignment = alignments[static_cast<size_t>(storage.data)];
      alignment = std::max(alignment, storage.alignment);
    }
    for (const Value& value : method.values) {
      const Tensor* tensor = value.tensor();
      if (tensor == nullptr || tensor->offset == 0) continue;
      const Storage& storage = method.storages[static_cast<size_t>(tensor->storage)];
      if (storage.kind != StorageKind::kConstant) continue;
      inner_constants_.emplace(std::pair(storage.data, tensor->offset), 0);
    }
  }
  Segment segment;
  uint32_t alignment = options_.constant_alignment;
  constant_offsets_.push_back(0);
  for (size_t i = 0; i < program_.constants.size(); ++i) {
    const uint64_t offset = align_up(segment.size, alignments[i]);
    constant_offsets_.push_back(offset);
    segment.pieces.push_back({offset, program_.constants[i]});
    segment.size = offset + program_.constants[i].size();
    alignment = std::max(alignment, alignments[i]);
  }
  for (auto& [place, index] : inner_constants_) {
    index = static_cast<uint32_t>(constant_offsets_.size());
    constant_offsets_.push_back(constant_offsets_[static_cast<size_t>(place.first) + 1] +
                                place.second);
  }
  // Some loaders give a null pointer for 0 bytes, which the stock runtime takes for "no constant
  // segment".
  if (!program_.constants.empty() && segment.size == 0) {
    segment.size = padding_.size();
    segment.pieces.push_back({0, padding_});
  }
  add_segment(std::move(segment), alignment);
}

void SegmentLayout::lay_out_mutable_data() {
  if (program_.mutable_data.empty()) return;
  Segment segment;
  mutable_offsets_.push_back(0);
  for (const Blob& bytes : program_.mutable_data) {
    mutable_offsets_.push_back(segment.size);
    segment.pieces.push_back({segment.size, bytes});
    segment.size += bytes.size();
  }
  mutable_segment_ = add_segment(std::move(segment), 1);
}

void SegmentLayout::lay_out_delegates() {
  std::vector<bool> used(program_.delegate_data.size(), false);
  for (const Method& method : program_.methods) {
    for (const Delegate& delegate : method.delegates)
      used[static_cast<size_t>(delegate.data)] = true;
  }
  delegate_segments_.resize(used.size());
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) delegate_segments_[i] = add_blob(program_.delegate_data[i], 1);
  }
}

void SegmentLayout::lay_out_named_data() {
  std::map<std::string_view, size_t> first;  // content -> the entry that has it first
  std::vector<size_t> source(program_.named_data.size());
  std::vector<uint32_t> alignments(program_.named_data.size());
  for (size_t i = 0; i < program_.named_data.size(); ++i) {
    const NamedData& entry = program_.named_data[i];
    const std::string_view content(reinterpret_cast<const char*>(entry.bytes.data()),
                                   entry.bytes.size());
    source[i] = first.emplace(content, i).first->second;
    alignments[source[i]] = std::max(alignments[source[i]], entry.alignment);
  }
  for (size_t i = 0; i < program_.named_data.size(); ++i) {
    const NamedData& entry = program_.named_data[i];
    const bool is_first = source[i] == i;
    named_.emplace_back(entry.key,
                        is_first ? add_blob(entry.bytes, alignments[i]) : named_[source[i]].second);
  }
  if (!options_.record || !program_.record) return;
  record_ = write_record(program_);
  named_.emplace_back(kPlanRecordKey, add_blob(record_, kDefaultAlignment));
}

uint64_t SegmentLayout::file_bytes(size_t program_bytes) const {
  const uint64_t data_bytes = segments_.back().offset + segments_.back().size;
  return align_up(uint64_t{program_bytes} + kHeaderBytes, base_alignment_) + data_bytes;
}

Bytes SegmentLayout::assemble(std::span<const std::byte> program) const {
  const uint64_t data_bytes = segments_.back().offset + segments_.back().size;
  if (data_bytes == 0) {  // no segment has bytes: then there is no header either
    Bytes out(program.begin(), program.end());
    if (out.size() < kMinFileBytes) out.resize(kMinFileBytes);
    return out;
  }
  const size_t spliced = program.size() + kHeaderBytes;
  Bytes out(static_cast<size_t>(file_bytes(program.size())));
  const size_t base = out.size() - static_cast<size_t>(data_bytes);
  std::memcpy(out.data(), program.data(), kSplicePoint);
  uint32_t root = 0;
  for (size_t i = 0; i < 4; ++i) root |= std::to_integer<uint32_t>(program[i]) << (8 * i);
  put_u32(out.data(), root + kHeaderBytes);
  std::byte* header = out.data() + kSplicePoint;
  std::memcpy(header, "eh00", 4);
  put_u32(header + 4, kHeaderBytes);
  put_u64(header + 8, spliced);
  put_u64(header + 16, base);
  put_u64(header + 24, data_bytes);
  std::memcpy(header + kHeaderBytes, program.data() + kSplicePoint, program.size() - kSplicePoint);
  for (const Segment& segment : segments_) {
    for (const Piece& piece : segment.pieces) {
      if (piece.bytes.empty()) continue;
      const size_t at = base + static_cast<size_t>(segment.offset + piece.offset);
      std::memcpy(out.data() + at, piece.bytes.data(), piece.bytes.size());
    }
  }
  return out;
}

}  // namespace berth::program
