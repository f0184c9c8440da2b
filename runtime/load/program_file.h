// A .pte in memory, opened: the header and the tables that all methods share are checked here,
// once. Nothing is copied; methods, constants and strings point into the caller's bytes.
//
//   0        8                    program_size        segments.base
//   | root, ET12 | eh00 header | FlatBuffers program | padding | segment 0 | segment 1 | ...
//
// Files without the header have no segments; older ones of them keep their constants inside the
// FlatBuffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/isa.h"
#include "contract/status.h"
#include "runtime/core/span.h"
#include "runtime/load/flat_reader.h"
#include "runtime/load/load_faults.h"
#include "runtime/load/segment_table.h"

namespace berth::runtime {

// Where FlatBuffers and constants must start for their elements to be aligned.
constexpr uint32_t kProgramAlignment = 16;

// Bytes of the file with the offsets of entries in them; entry i starts at offsets[i].
struct EntryTable {
  Span<const uint8_t> bytes;
  FlatVector offsets;
};

struct ProgramFile {
  const uint8_t* data = nullptr;
  size_t size = 0;
  uint32_t program_size = 0;
  FlatVector plans;
  SegmentTable segments;
  EntryTable constants;         // constant_segment
  FlatVector inline_constants;  // constant_buffer, in files of before 2024-09
  EntryTable mutable_data;      // mutable_data_segments[0]

  // The plan record, where the file has one.
  Span<const uint8_t> record;
  FlatTable record_root;
  FlatVector record_pools;
  FlatVector record_methods;
  Isa record_isa = Isa::kHost;

  FlatReader reader(LoadFaults& faults) const { return FlatReader(data, program_size, faults); }
  FlatReader record_reader(LoadFaults& faults) const {
    return FlatReader(record.data(), static_cast<uint32_t>(record.size()), faults);
  }
  bool has_record() const { return !record.empty(); }
};

// Checks header, segment table, constants' tables and the head of the plan record; fills *out on
// success. `bytes` start at kProgramAlignment and stay with the caller, who keeps them as long as
// anything made from them lives.
Status open_program(Span<const uint8_t> bytes, ProgramFile* out, LoadFaults& faults);

}  // namespace berth::runtime
