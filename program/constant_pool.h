// The constants of a file as distinct pieces. The file tells only where each constant starts; how
// long it is, the tensors say. Ranges that overlap or start together become one piece, so that
// nothing is copied twice and views of one weight stay views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contract/result.h"
#include "format/program_generated.h"
#include "program/container.h"
#include "program/field_path.h"
#include "program/program.h"

namespace berth::program {

struct ReadContext;

class ConstantPool {
 public:
  // Finds where the file keeps its constants: in a segment, or (older files) inline. `used_segment`
  // is marked.
  [[nodiscard]] MaybeError open(const Container& container, std::vector<bool>* used_segments);

  // The range that constant `index` takes with `nbytes` bytes, to be asked for again after `build`.
  // Fails when there is no such constant or it is shorter; `path` leads to the tensor.
  struct Range {
    uint64_t begin = 0, end = 0;  // in an address space of the pool's own
  };
  [[nodiscard]] Result<Range> add(uint32_t index, uint64_t nbytes, const FieldPath& path);

  // Makes the pieces from all ranges added.
  [[nodiscard]] MaybeError build(ReadContext& context, std::vector<Blob>* pieces);

  struct Place {
    int32_t piece = 0;
    uint64_t offset = 0;
  };
  Place find(Range range) const;

 private:
  std::span<const std::byte> bytes_;  // the segment, or the whole FlatBuffer for inline constants
  const flatbuffers::Vector<uint64_t>* offsets_ = nullptr;
  const flatbuffers::Vector<flatbuffers::Offset<format::pte::Buffer>>* inline_ = nullptr;
  std::vector<Range> ranges_;
};

}  // namespace berth::program
