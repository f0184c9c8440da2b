// Tensors in files of their own: found by name, the same tensor there as here, and whatever else a
// .ptd may hold is refused with its field.
#include "runtime/load/external_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "runtime/load/method_loader.h"
#include "tests/support/ptd_builder.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime {
namespace {

namespace make = berth::testing;

make::TestDataFile sample_data() {
  make::TestDataFile file;
  make::TestEntry opaque;
  opaque.key = "blob";
  opaque.bytes = {1, 2, 3};
  file.entries = {make::external_floats("weight", {2, 2}, {1, 2, 3, 4}), opaque,
                  make::external_floats("state", {4}, {5, 6, 7, 8})};
  return file;
}

// out = input + weight; state is kept in the pool and starts with the file's bytes.
make::TestFile sample_program() {
  make::TestFile file;
  make::TestMethod& m = file.method();
  m.operators = {{"test::add", "out"}};
  m.values = {make::planned({2, 2}, 0), make::tensor_value({2, 2}), make::planned({2, 2}, 16),
              make::planned({4}, 32)};
  m.values[1].location = 1;
  m.values[1].qualified_name = "weight";
  m.values[3].location = 1;
  m.values[3].qualified_name = "state";
  m.inputs = {0};
  m.outputs = {2};
  m.code() = {make::call(0, {0, 1, 2, 2})};
  m.pool_sizes = {0, 48};
  return file;
}

struct Outcome {
  Status status = Status::kOk;
  LoadFault fault;
  std::vector<uint8_t> pool;
  std::vector<float> weight;
};

Outcome load(const make::TestFile& file, const std::vector<std::vector<uint8_t>>& data_files) {
  Outcome outcome;
  LoadFaults faults(&outcome.fault);
  const make::AlignedBytes bytes(build_file(file));
  std::vector<make::AlignedBytes> contents(data_files.begin(), data_files.end());
  std::vector<ExternalData> external(contents.size());
  for (size_t i = 0; i < contents.size(); ++i) {
    outcome.status = external[i].open({contents[i].data(), contents[i].size()}, &outcome.fault);
    if (outcome.status != Status::kOk) return outcome;
  }
  ProgramFile program;
  EXPECT_EQ(open_program({bytes.data(), bytes.size()}, &program, faults), Status::kOk);
  make::AlignedBytes pool(48), own(4096);
  const PoolMemory pools[] = {{1, {pool.data(), pool.size()}}};
  const Span<const Kernel> kernels[] = {make::kernels()};
  LoadOptions options;
  options.kernels = kernels;
  options.external_data = {external.data(), external.size()};
  LoadedMethod* method = nullptr;
  outcome.status =
      load_method(program, "forward", options, {{own.data(), own.size()}, pools}, &method, faults);
  if (outcome.status != Status::kOk) return outcome;
  outcome.pool.assign(pool.data(), pool.data() + pool.size());
  const float* weight = method->values[1].tensor->as<float>();
  outcome.weight.assign(weight, weight + 4);
  return outcome;
}

Outcome load_with(const make::TestDataFile& data) {
  return load(sample_program(), {build_data_file(data)});
}

TEST(ExternalDataTest, ConstantsPointIntoItAndStateStartsWithItsBytes) {
  const Outcome outcome = load_with(sample_data());
  ASSERT_EQ(outcome.status, Status::kOk) << outcome.fault.field << " " << outcome.fault.index;
  EXPECT_EQ(outcome.weight, (std::vector<float>{1, 2, 3, 4}));
  float state[4];
  memcpy(state, &outcome.pool[32], sizeof state);
  EXPECT_EQ(state[3], 8.0f);
}

TEST(ExternalDataTest, TheFirstFileThatHasTheTensorCounts) {
  make::TestDataFile first, second = sample_data();
  first.entries = {make::external_floats("weight", {2, 2}, {9, 9, 9, 9})};
  const Outcome outcome = load(sample_program(), {build_data_file(first), build_data_file(second)});
  ASSERT_EQ(outcome.status, Status::kOk) << outcome.fault.field;
  EXPECT_EQ(outcome.weight[0], 9.0f);
}

TEST(ExternalDataTest, LongerHeadersAreRead) {
  make::TestDataFile file = sample_data();
  file.header_length = 64;
  EXPECT_EQ(load_with(file).status, Status::kOk);
}

TEST(ExternalDataTest, AMissingTensorIsTheCallersFault) {
  Outcome outcome = load(sample_program(), {});
  EXPECT_EQ(outcome.status, Status::kNoSuchData);
  EXPECT_STREQ(outcome.fault.field, "values.extra_tensor_info.fully_qualified_name");
  EXPECT_EQ(outcome.fault.index, 1u);
  make::TestDataFile file = sample_data();
  file.entries[0].layout = {};  // bytes for somebody else
  EXPECT_EQ(load_with(file).status, Status::kNoSuchData);
  make::TestFile program = sample_program();
  program.method().values[1].qualified_name = {};
  outcome = load(program, {build_data_file(sample_data())});
  EXPECT_EQ(outcome.status, Status::kMissingField);
}

struct HostileCase {
  Status status;
  const char* field;
  std::function<void(make::TestDataFile&)> spoil;
};

TEST(ExternalDataTest, NamesTheFieldOfEveryHostileValue) {
  using make::TestDataFile;
  std::vector<HostileCase> cases;
  const auto add = [&](Status status, const char* field, std::function<void(TestDataFile&)> spoil) {
    cases.push_back({status, field, std::move(spoil)});
  };
  const auto bytes = [&](Status status, const char* field, size_t at, uint64_t content,
                         size_t width) {
    add(status, field, [=](TestDataFile& f) {
      f.spoil_bytes = [=](std::vector<uint8_t>& b) { memcpy(&b[at], &content, width); };
    });
  };
  bytes(Status::kBadMagic, "file identifier", 4, 0x32305446, 4);
  bytes(Status::kBadMagic, "file identifier", 8, 0x32304846, 4);
  bytes(Status::kBadMagic, "header.length", 12, 39, 4);
  bytes(Status::kTruncated, "header.program_size", 16, UINT64_MAX, 8);
  bytes(Status::kTruncated, "header.program_size", 24, UINT64_MAX, 8);
  add(Status::kBadValue, "header.program_size", [](TestDataFile& f) {
    f.spoil_bytes = [](std::vector<uint8_t>& b) { std::fill(&b[16], &b[32], uint8_t{0}); };
  });
  bytes(Status::kTruncated, "header.segment_base_offset", 32, uint64_t{1} << 40, 8);
  bytes(Status::kTruncated, "header.segment_data_size", 40, UINT64_MAX, 8);
  bytes(Status::kTruncated, "root", 0, 0x7fffffff, 4);
  add(Status::kMissingField, "segments", [](TestDataFile& f) { f.missing = "segments"; });
  add(Status::kMissingField, "named_data", [](TestDataFile& f) { f.missing = "named_data"; });
  add(Status::kMissingField, "named_data.key",
      [](TestDataFile& f) { f.entries[1].has_key = false; });
  add(Status::kBadIndex, "named_data.segment_index",
      [](TestDataFile& f) { f.entries[2].segment_index = 3; });
  add(Status::kTruncated, "segments.size", [](TestDataFile& f) {
    f.spoil_segment = [](uint32_t i, uint64_t*, uint64_t* size) { *size += i == 2 ? 1 : 0; };
  });
  add(Status::kTruncated, "segments.offset", [](TestDataFile& f) {
    f.spoil_segment = [](uint32_t, uint64_t* offset, uint64_t*) { *offset = UINT64_MAX; };
  });
  add(Status::kBadValue, "named_data.tensor_layout.scalar_type",
      [](TestDataFile& f) { f.entries[2].layout->dtype = 30; });
  add(Status::kMissingField, "named_data.tensor_layout.sizes",
      [](TestDataFile& f) { f.entries[2].layout->has_sizes = false; });
  add(Status::kBadCount, "named_data.tensor_layout.dim_order",
      [](TestDataFile& f) { f.entries[2].layout->dim_order.push_back(1); });
  // Sound, and another tensor than the program's.
  add(Status::kBadValue, "named_data.tensor_layout.scalar_type",
      [](TestDataFile& f) { f.entries[0].layout->dtype = 3; });
  add(Status::kBadValue, "named_data.tensor_layout.sizes", [](TestDataFile& f) {
    f.entries[0].layout->sizes = {4, 1};
  });
  add(Status::kBadCount, "named_data.tensor_layout.sizes", [](TestDataFile& f) {
    f.entries[0].layout->sizes = {4};
    f.entries[0].layout->dim_order = {0};
  });
  add(Status::kBadValue, "named_data.tensor_layout.dim_order", [](TestDataFile& f) {
    f.entries[0].layout->dim_order = {1, 0};
  });
  add(Status::kTruncated, "segments.size", [](TestDataFile& f) { f.entries[0].bytes.resize(15); });
  // The constant's bytes must lie as floats do.
  add(Status::kBadValue, "segments.offset", [](TestDataFile& f) {
    f.spoil_segment = [](uint32_t i, uint64_t* offset, uint64_t*) { *offset += i == 0 ? 2 : 0; };
  });
  int number = 0;
  for (const HostileCase& c : cases) {
    SCOPED_TRACE(std::to_string(number++) + " " + c.field);
    make::TestDataFile file = sample_data();
    c.spoil(file);
    const Outcome outcome = load_with(file);
    EXPECT_EQ(outcome.status, c.status) << status_words(outcome.status);
    EXPECT_STREQ(outcome.fault.field, c.field);
  }
}

TEST(ExternalDataTest, TellsWhatTheProgramNeedsAndWhatTheFileHas) {
  const auto fault = [](const std::function<void(make::TestLayout&)>& spoil) {
    make::TestDataFile file = sample_data();
    spoil(*file.entries[0].layout);
    const LoadFault found = load_with(file).fault;
    return std::make_pair(found.need, found.have);
  };
  using Numbers = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(fault([](make::TestLayout& l) { l.dtype = 3; }), Numbers(6, 3));
  EXPECT_EQ(fault([](make::TestLayout& l) { l.sizes = {2, 5}; }), Numbers(2, 5));
  EXPECT_EQ(fault([](make::TestLayout& l) {
              l.sizes = {4};
              l.dim_order = {0};
            }),
            Numbers(2, 1));
}

TEST(ExternalDataTest, ACutFileIsRefusedAtEveryByteAndAnyByteMayBeAnything) {
  const std::vector<uint8_t> whole = build_data_file(sample_data());
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<int64_t>(size));
    const Outcome outcome = load(sample_program(), {cut});
    ASSERT_NE(outcome.status, Status::kOk) << size;
    ASSERT_STRNE(outcome.fault.field, "") << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int content : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> bytes = whole;
      bytes[at] = static_cast<uint8_t>(content);
      const Outcome outcome = load(sample_program(), {bytes});
      if (outcome.status != Status::kOk) {
        ASSERT_STRNE(outcome.fault.field, "") << at;
      }
    }
  }
}

}  // namespace
}  // namespace berth::runtime
