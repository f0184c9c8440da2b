// Which bytes of a program go into which segment of the file, and where: 0 constants, then initial
// state (if any), delegate blobs, named data, and the plan record last. Used by write.cc alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "program/write.h"

namespace berth::program {

class SegmentLayout {
 public:
  struct Piece {
    uint64_t offset;  // in its segment
    std::span<const std::byte> bytes;
  };
  struct Segment {
    uint64_t offset = 0;  // from the segment base
    uint64_t size = 0;
    std::vector<Piece> pieces;
  };

  // REQUIRES: a valid, placed program, which outlives this.
  SegmentLayout(const Program& program, const WriteOptions& options);
  SegmentLayout(const SegmentLayout&) = delete;  // pieces point into it
  SegmentLayout& operator=(const SegmentLayout&) = delete;

  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<uint64_t>& constant_offsets() const { return constant_offsets_; }
  const std::vector<uint64_t>& mutable_offsets() const { return mutable_offsets_; }
  uint32_t mutable_segment() const { return mutable_segment_; }
  uint32_t delegate_segment(int32_t data) const {
    return delegate_segments_[static_cast<size_t>(data)];
  }
  // Key and segment, in the order of the file.
  const std::vector<std::pair<std::string_view, uint32_t>>& named_data() const { return named_; }

  // data_buffer_idx of a tensor `offset` bytes into constant `data`.
  uint32_t constant_index(int32_t data, uint64_t offset) const {
    return offset == 0 ? static_cast<uint32_t>(data) + 1 : inner_constants_.at({data, offset});
  }

  // What the file takes around a FlatBuffer of `program_bytes`: shared blobs can make it more than
  // a machine with a size_t of 32 bits can hold.
  uint64_t file_bytes(size_t program_bytes) const;
  // REQUIRES: file_bytes() fits a vector.
  // The file: `program` (a FlatBuffer) with the header spliced in, and the segments.
  Bytes assemble(std::span<const std::byte> program) const;

 private:
  uint32_t add_segment(Segment segment, uint32_t alignment);
  uint32_t add_blob(std::span<const std::byte> bytes, uint32_t alignment);
  void lay_out_constants();
  void lay_out_mutable_data();
  void lay_out_delegates();
  void lay_out_named_data();

  const Program& program_;
  const WriteOptions options_;
  std::vector<Segment> segments_;
  uint32_t base_alignment_ = 1;
  const Bytes padding_ = Bytes(16);
  Bytes record_;
  std::vector<uint64_t> constant_offsets_;
  std::map<std::pair<int32_t, uint64_t>, uint32_t> inner_constants_;
  std::vector<uint64_t> mutable_offsets_;
  uint32_t mutable_segment_ = 0;
  std::vector<uint32_t> delegate_segments_;
  std::vector<std::pair<std::string_view, uint32_t>> named_;
};

}  // namespace berth::program
