// The segments of a .pte or .ptd: bytes behind the FlatBuffer that tables inside it name by number.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/status.h"
#include "runtime/core/span.h"
#include "runtime/load/flat_reader.h"

namespace berth::runtime {

struct SegmentTable {
  const uint8_t* base = nullptr;  // where offsets count from; null: the file has no segments
  size_t size = 0;                // bytes behind base that segments may lie in
  FlatVector list;

  // The bytes of segment `index`. REQUIRES: index < list.count.
  Status find(FlatReader& reader, uint32_t index, Span<const uint8_t>* out) const;
  // Those of the segment that a field of `table` names. kBadIndex when there is no such segment.
  Status follow(FlatReader& reader, FlatTable table, const Slot& slot,
                Span<const uint8_t>* out) const;
};

}  // namespace berth::runtime
