#include "tests/support/ptd_builder.h"

#include <cstring>
#include <utility>

#include "format/external_data_generated.h"
#include "tests/support/pte_builder.h"

namespace berth::testing {
namespace {

namespace fb = flatbuffers;
namespace ptd = berth::format::ptd;

}  // namespace

TestEntry external_floats(std::string key, std::vector<int32_t> sizes,
                          const std::vector<float>& values) {
  TestEntry entry;
  entry.key = std::move(key);
  entry.bytes.resize(values.size() * sizeof(float));
  memcpy(entry.bytes.data(), values.data(), entry.bytes.size());
  entry.layout = TestLayout();
  for (size_t d = 0; d < sizes.size(); ++d) {
    entry.layout->dim_order.push_back(static_cast<uint8_t>(d));
  }
  entry.layout->sizes = std::move(sizes);
  return entry;
}

std::vector<uint8_t> build_data_file(const TestDataFile& file) {
  fb::FlatBufferBuilder b;
  std::vector<fb::Offset<ptd::DataSegment>> segments;
  std::vector<fb::Offset<ptd::NamedData>> entries;
  std::vector<uint64_t> places;
  uint64_t end = 0;
  for (uint32_t i = 0; i < file.entries.size(); ++i) {
    const TestEntry& entry = file.entries[i];
    uint64_t offset = round_up(end, 16);
    uint64_t size = entry.bytes.size();
    places.push_back(offset);
    end = offset + size;
    if (file.spoil_segment) file.spoil_segment(i, &offset, &size);
    segments.push_back(ptd::CreateDataSegment(b, offset, size));
    fb::Offset<ptd::TensorLayout> layout;
    if (entry.layout) {
      const auto sizes = b.CreateVector(entry.layout->sizes);
      layout = ptd::CreateTensorLayout(b, static_cast<int8_t>(entry.layout->dtype),
                                       entry.layout->has_sizes ? sizes : 0,
                                       b.CreateVector(entry.layout->dim_order));
    }
    const auto key = b.CreateString(entry.key);
    entries.push_back(
        ptd::CreateNamedData(b, entry.has_key ? key : 0, entry.segment_index.value_or(i), layout));
  }
  auto segment_list = b.CreateVector(segments);
  auto entry_list = b.CreateVector(entries);
  if (file.missing == "segments") segment_list = 0;
  if (file.missing == "named_data") entry_list = 0;
  b.Finish(ptd::CreateFlatTensor(b, 0, segment_list, entry_list), "FT01");
  std::vector<uint8_t> bytes(b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize());
  // Spliced in behind the identifier; only the root offset is counted from before it.
  const uint64_t tables = bytes.size();
  const uint64_t padded = round_up(file.header_length, 16);
  uint32_t root = 0;
  memcpy(&root, bytes.data(), 4);
  root += static_cast<uint32_t>(padded);
  memcpy(bytes.data(), &root, 4);
  bytes.insert(bytes.begin() + 8, padded, 0);
  const uint64_t base = round_up(bytes.size(), 128);
  const uint64_t numbers[] = {padded, tables, base, end};
  memcpy(&bytes[8], "FH01", 4);
  memcpy(&bytes[12], &file.header_length, 4);
  memcpy(&bytes[16], numbers, sizeof numbers);
  for (size_t i = 0; i < file.entries.size(); ++i) {
    bytes.resize(base + places[i], 0);
    bytes.insert(bytes.end(), file.entries[i].bytes.begin(), file.entries[i].bytes.end());
  }
  if (file.spoil_bytes) file.spoil_bytes(bytes);
  return bytes;
}

}  // namespace berth::testing
