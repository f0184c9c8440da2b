// For tests with hostile files: reads one and tells how much memory that took at most. Linking
// measured_read.cc replaces the global allocator by one that counts.
#pragma once

#include <cstddef>
#include <span>

#include "contract/result.h"
#include "program/program.h"

namespace berth::program {

struct Outcome {
  bool ok;
  Error error;  // where not ok
  size_t peak;  // bytes above what was allocated before
};

Outcome read_measured(std::span<const std::byte> file);

// A small multiple of the file's size: what the reader may take.
constexpr size_t allowed_bytes(size_t file_size) { return 12 * file_size + (size_t{2} << 20); }

}  // namespace berth::program
