// The bytes of a .pte -> program structs. The bytes come from a stranger: everything is checked,
// the error names the field in the words of the format.
#pragma once

#include <cstddef>
#include <span>

#include "contract/result.h"
#include "program/program.h"

namespace berth::program {

// Reads a whole file. What it needs in memory is a small multiple of the file's size, whatever the
// file says.
//
// How the structs come from a file that has no plan record:
//   - Planned tensors with the same (memory_id, offset, bytes) are values of one storage, all
//     others have their own. Lifetimes are not known here; compiler/place finds them.
//   - Constants that share bytes of the constant segment (equal or overlapping ranges) are values
//     of one storage; a constant's size is what its tensors need. A constant that no tensor uses is
//     left out.
//   - An INLINE delegate blob and an inline (older) constant read like those in segments; the
//     writer makes segments.
// With a record, its buffers are the storages of the method, in its order, followed by those it
// does not speak of.
//
// Fields of newer formats, and known ones that the structs have no room for, are named in
// Program::unknown_fields.
[[nodiscard]] Result<Program> read(std::span<const std::byte> file);

// The same, without copying what most of a large file is: the program's blobs stay where they are.
// REQUIRES: the file's bytes outlive the program and all copies of it.
[[nodiscard]] Result<Program> read_in_place(std::span<const std::byte> file);

}  // namespace berth::program
