// Compares a result with what was expected, and says in words where they part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tools/tensor_files.h"

namespace berth::tools {

// |got - expected| <= absolute + relative x |expected|; the relative part counts for floats alone.
// Without a tolerance the bytes must be the same.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  bool exact() const { return absolute == 0 && relative == 0; }
};

struct Mismatch {
  std::string element;  // of the first one: "[0, 3]", in the axes of the tensor
  std::string got;
  std::string expected;
  uint64_t count = 0;  // elements that differ
  uint64_t total = 0;
};

// The element at `at` as text: "-3", "0.25".
std::string element_text(const std::byte* at, ScalarType type);

// Both in dim order. REQUIRES: both have spec.bytes() bytes.
std::optional<Mismatch> compare(const Bytes& got, const Bytes& expected, const TensorSpec& spec,
                                const Tolerance& tolerance);

}  // namespace berth::tools
