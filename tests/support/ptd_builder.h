// A .ptd from plain structs, for tests of readers: every field can be given a wrong value on
// purpose.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::testing {

struct TestLayout {
  int dtype = 6;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  bool has_sizes = true;
};

struct TestEntry {
  std::string key;
  std::vector<uint8_t> bytes;  // a segment of its own
  std::optional<TestLayout> layout;
  std::optional<uint32_t> segment_index;  // another one
  bool has_key = true;
};

struct TestDataFile {
  std::vector<TestEntry> entries;
  uint32_t header_length = 40;
  std::string missing;  // "segments", "named_data"
  std::function<void(uint32_t index, uint64_t* offset, uint64_t* size)> spoil_segment;
  std::function<void(std::vector<uint8_t>&)> spoil_bytes;
};

// A float tensor with dim order 0, 1, ...
TestEntry external_floats(std::string key, std::vector<int32_t> sizes,
                          const std::vector<float>& values);

std::vector<uint8_t> build_data_file(const TestDataFile& file);

}  // namespace berth::testing
