// The outer shell of a .pte: identifier, extended header, a verified FlatBuffer, and where each
// segment's bytes lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contract/result.h"
#include "format/program_generated.h"
#include "program/field_path.h"

namespace berth::program {

// FlatBuffers may use one part of a file many times over; copied out, a small file could then fill
// the memory. Every copy is taken from this budget.
class Budget {
 public:
  static constexpr uint64_t kTimesFileSize = 8;
  explicit Budget(uint64_t file_bytes) : left_(kTimesFileSize * file_bytes + (uint64_t{1} << 20)) {}

  // False when `count` things of `size` bytes are more than what is left. REQUIRES: size is small.
  bool take(uint64_t count, uint64_t size = 1) {
    if (size != 0 && count > left_ / size) return false;
    left_ -= count * size;
    return true;
  }
  static Error exhausted(const FieldPath& path) {
    return path.error(
        "", "the file uses the same bytes again and again; reading it would take more than " +
                std::to_string(kTimesFileSize) + " times its size");
  }

 private:
  uint64_t left_;
};

// Bytes of a FlatBuffer at an address that its fields can be read from; copies them when they are
// not at one.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::span<const std::byte> bytes);
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<uint64_t[]> copy_;
  const uint8_t* data_;
  size_t size_;
};

// Limits of the FlatBuffers verifier for a buffer of this size: tables that are not shared take 8
// bytes each.
flatbuffers::Verifier::Options verifier_options(size_t bytes);

// The verifier looks at where a vector's length lies, not its elements. REQUIRES: the vector lies
// in AlignedBytes.
template <typename Number>
bool is_misaligned(const flatbuffers::Vector<Number>& numbers) {
  return numbers.size() != 0 && reinterpret_cast<uintptr_t>(numbers.Data()) % sizeof(Number) != 0;
}
constexpr char kMisaligned[] =
    "does not begin at a multiple of 8 bytes; 64-bit numbers are aligned";

struct Container {
  AlignedBytes program_bytes;
  const format::pte::Program* program;               // in program_bytes
  std::vector<std::span<const std::byte>> segments;  // as Program.segments, in the file
  uint64_t segment_base = 0;                         // offsets of segments count from here
};

// `file` must outlive the result.
[[nodiscard]] Result<Container> open_container(std::span<const std::byte> file);

}  // namespace berth::program
