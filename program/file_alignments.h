// How a file aligns its data: not written anywhere in it, but seen from where things are.
#pragma once

#include <cstddef>
#include <span>

#include "program/program.h"
#include "program/write.h"

namespace berth::program {

// What to write `program` with so that constants, segments and named data stay aligned as they are
// in `file`: the largest powers of two that all their offsets have. Sets the alignments of
// program->named_data, entry by entry.
// REQUIRES: *program is what read(file) gave.
WriteOptions find_alignments(std::span<const std::byte> file, Program* program);

}  // namespace berth::program
