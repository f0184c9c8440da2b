// Program structs -> the bytes of a .pte. Same program, same bytes: with any compiler, on any day.
#pragma once

#include <cstdint>

#include "contract/result.h"
#include "program/program.h"

namespace berth::program {

struct WriteOptions {
  bool record = true;                // false: no plan record (--strip)
  uint32_t constant_alignment = 16;  // of each constant in its segment; a storage may ask for more
  uint32_t segment_alignment = 128;  // of the segments and their start; a blob may ask for more
};

// A file that stock runtimes load. The plan record is written when Program::record is set (and the
// options allow it); then every method must have its plan. Fails when the program breaks a rule of
// program/validate_program.h (everything must have its place) or is too large for the format.
[[nodiscard]] Result<Bytes> write(const Program& program, const WriteOptions& options = {});

}  // namespace berth::program
