// Every field of a .pte set to something hostile: the loader names the field and the reason. Then
// files cut at every byte, and every byte changed.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/load/method_loader_test_util.h"

namespace berth::runtime::loader_tests {
namespace {

// Whether a size_t has 32 bits.
constexpr bool kIsSmall = sizeof(size_t) == 4;

struct HostileCase {
  Status status;
  const char* field;
  std::function<void(TestFile&)> spoil;
};

void put(std::vector<uint8_t>& bytes, size_t at, uint64_t value, size_t width) {
  memcpy(&bytes[at], &value, width);
}

std::vector<HostileCase> hostile_cases() {
  std::vector<HostileCase> cases;
  const auto add = [&](Status status, const char* field, std::function<void(TestFile&)> spoil) {
    cases.push_back({status, field, std::move(spoil)});
  };
  // The value at index v of the method.
  const auto value = [&](Status status, const char* field, int v, void (*spoil)(make::TestValue&)) {
    add(status, field,
        [v, spoil](TestFile& f) { spoil(f.method().values[static_cast<size_t>(v)]); });
  };
  const auto code = [&](Status status, const char* field, size_t k,
                        void (*spoil)(make::TestInstruction&)) {
    add(status, field, [k, spoil](TestFile& f) { spoil(f.method().code()[k]); });
  };
  const auto bytes = [&](Status status, const char* field, size_t at, uint64_t content,
                         size_t width) {
    add(status, field, [=](TestFile& f) {
      f.spoil_bytes = [=](std::vector<uint8_t>& b) { put(b, at, content, width); };
    });
  };
  using make::TestInstruction;
  using make::TestValue;

  // Header and file.
  bytes(Status::kBadMagic, "file identifier", 4, 0x31315445, 4);
  bytes(Status::kBadMagic, "header.length", 12, 23, 4);
  bytes(Status::kTruncated, "header.length", 12, 0xffffffff, 4);
  bytes(Status::kTruncated, "header.program_size", 16, uint64_t{1} << 62, 8);
  bytes(Status::kBadValue, "header.program_size", 16, 39, 8);
  bytes(Status::kTruncated, "header.segment_base_offset", 24, uint64_t{1} << 63, 8);
  bytes(Status::kBadValue, "header.segment_base_offset", 24, 64, 8);
  bytes(Status::kTruncated, "header.segment_data_size", 32, UINT64_MAX, 8);
  bytes(Status::kTruncated, "header.segment_data_size", 32, 1 << 20, 8);
  bytes(Status::kTruncated, "root", 0, 0x7fffffff, 4);
  bytes(Status::kTruncated, "root", 0, 0, 4);
  bytes(Status::kBadValue, "root", 0, 50, 4);
  add(Status::kMissingField, "execution_plan", [](TestFile& f) { f.missing = "execution_plan"; });
  add(Status::kNoSuchMethod, "execution_plan", [](TestFile& f) { f.method().name = "backward"; });
  add(Status::kNoSuchMethod, "execution_plan", [](TestFile& f) { f.methods.clear(); });
  add(Status::kMissingField, "execution_plan.name",
      [](TestFile& f) { f.method().has_name = false; });

  // Segments and the tables over them.
  add(Status::kTruncated, "segments.size", [](TestFile& f) {
    f.spoil_segment = [](uint32_t i, uint64_t*, uint64_t* size) { *size += i == 1 ? 1 : 0; };
  });
  add(Status::kTruncated, "segments.offset", [](TestFile& f) {
    f.spoil_segment = [](uint32_t i, uint64_t* offset, uint64_t*) {
      if (i == 0) *offset = UINT64_MAX;
    };
  });
  add(Status::kTruncated, "segments.size", [](TestFile& f) { f.header_length = 0; });
  add(Status::kBadIndex, "constant_segment.segment_index",
      [](TestFile& f) { f.constants->index = 2; });
  add(Status::kBadIndex, "mutable_data_segments.segment_index",
      [](TestFile& f) { f.mutable_data[0].index = UINT32_MAX; });
  add(Status::kTruncated, "constant_segment.offsets",
      [](TestFile& f) { f.constants->offsets[1] = 65; });
  add(Status::kTruncated, "constant_segment.offsets",
      [](TestFile& f) { f.constants->offsets[1] = UINT64_MAX - 7; });
  add(Status::kBadValue, "constant_segment.offsets",
      [](TestFile& f) { f.constants->offsets[1] = 18; });
  add(Status::kBadIndex, "values.data_buffer_idx", [](TestFile& f) { f.constants->offsets = {0}; });
  add(Status::kBadIndex, "values.data_buffer_idx", [](TestFile& f) { f.constants = {}; });
  add(Status::kBadCount, "constant_buffer", [](TestFile& f) { f.inline_constants = {{}}; });
  add(Status::kTruncated, "mutable_data_segments.offsets",
      [](TestFile& f) { f.mutable_data[0].offsets[1] = 33; });
  add(Status::kBadIndex, "values.data_buffer_idx", [](TestFile& f) { f.mutable_data.clear(); });
  add(Status::kBadIndex, "named_data.segment_index", [](TestFile& f) {
    f.named_data = {{"x", 2}};
  });
  add(Status::kBadMagic, "plan_record", [](TestFile& f) {
    f.named_data = {{"berth.plan_record", 0}};
  });
  add(Status::kBadMagic, "plan_record", [](TestFile& f) {
    f.record = make::TestRecord();
    f.record->identifier = "BPR2";
  });
  add(Status::kNewerFeature, "plan_record.feature_flags", [](TestFile& f) {
    f.record = make::TestRecord();
    f.record->feature_flags = uint64_t{1} << 40;
  });
  add(Status::kBadValue, "plan_record.isa", [](TestFile& f) {
    f.record = make::TestRecord();
    f.record->isa = 5;
  });
  add(Status::kMissingField, "plan_record.pools", [](TestFile& f) {
    f.record = make::TestRecord();
    f.record->missing = "pools";
  });
  add(Status::kMissingField, "plan_record.methods", [](TestFile& f) {
    f.record = make::TestRecord();
    f.record->missing = "methods";
  });
  add(Status::kBadValue, "plan_record.pools.alignment", [](TestFile& f) {
    f.record = make::TestRecord();
    f.record->pools = {{"main", 1, 24}};
  });

  // The method's vectors.
  for (const auto& [missing, field] :
       std::vector<std::pair<const char*, const char*>>{{"values", "values"},
                                                        {"inputs", "inputs"},
                                                        {"outputs", "outputs"},
                                                        {"chains", "chains"},
                                                        {"delegates", "delegates"},
                                                        {"pool_sizes", "non_const_buffer_sizes"},
                                                        {"instructions", "instructions"},
                                                        {"op_name", "operators.name"}}) {
    add(Status::kMissingField, field,
        [missing = missing](TestFile& f) { f.method().missing = missing; });
  }
  add(Status::kBadIndex, "instructions.op_index",
      [](TestFile& f) { f.method().missing = "operators"; });
  add(Status::kBadCount, "chains", [](TestFile& f) { f.method().chains.clear(); });
  add(Status::kNoSuchBackend, "delegates",
      [](TestFile& f) { f.method().delegates = {{"XnnpackBackend"}}; });
  add(Status::kUnsupported, "non_const_buffer_device.device_type", [](TestFile& f) {
    f.method().pool_devices = {{1, 1}};
  });
  add(Status::kBadValue, "non_const_buffer_sizes",
      [](TestFile& f) { f.method().pool_sizes[1] = -1; });
  // A pool that this machine could not even address is the file's fault.
  const Status huge = kIsSmall ? Status::kBadValue : Status::kTooSmall;
  const char* blamed = kIsSmall ? "non_const_buffer_sizes" : "memory.pools";
  add(huge, blamed, [](TestFile& f) { f.method().pool_sizes[1] = int64_t{1} << 40; });
  add(huge, blamed, [](TestFile& f) { f.method().pool_sizes[1] = INT64_MAX; });
  // One whose low 32 bits are what the method needs.
  add(huge, blamed, [](TestFile& f) { f.method().pool_sizes[1] += int64_t{1} << 32; });
  add(Status::kUnsupported, "non_const_buffer_sizes",
      [](TestFile& f) { f.method().pool_sizes.resize(20, 16); });
  add(Status::kBadIndex, "inputs", [](TestFile& f) { f.method().inputs = {20}; });
  add(Status::kBadIndex, "inputs", [](TestFile& f) { f.method().inputs = {-1}; });
  add(Status::kBadValue, "inputs", [](TestFile& f) { f.method().inputs = {kConstant}; });
  add(Status::kBadIndex, "outputs", [](TestFile& f) { f.method().outputs = {INT32_MIN}; });
  add(Status::kNoSuchOperator, "operators.name",
      [](TestFile& f) { f.method().operators[0].second = "other"; });

  // Values.
  value(Status::kBadValue, "values.val_type", kOne, [](TestValue& v) { v.kind = 0; });
  value(Status::kBadValue, "values.val_type", kOne, [](TestValue& v) { v.kind = 12; });
  value(Status::kMissingField, "values.val", kOne, [](TestValue& v) { v.has_payload = false; });
  value(Status::kMissingField, "values.string_val", kText,
        [](TestValue& v) { v.has_items = false; });
  value(Status::kMissingField, "values.items", kInts, [](TestValue& v) { v.has_items = false; });
  value(Status::kMissingField, "values.items", kList, [](TestValue& v) { v.has_items = false; });
  value(Status::kBadIndex, "values.items", kInts, [](TestValue& v) { v.items = {20}; });
  value(Status::kBadIndex, "values.items", kInts, [](TestValue& v) { v.items = {INT64_MIN}; });
  value(Status::kBadValue, "values.items", kInts, [](TestValue& v) { v.items = {kHalf}; });
  value(Status::kBadIndex, "values.items", kList, [](TestValue& v) { v.items = {kList}; });
  value(Status::kBadIndex, "values.items", kList, [](TestValue& v) { v.items = {kMask}; });
  value(Status::kBadIndex, "values.items", kList, [](TestValue& v) { v.items = {-1}; });
  value(Status::kBadValue, "values.items", kList, [](TestValue& v) { v.items = {kOne}; });
  value(Status::kBadIndex, "values.items", 17, [](TestValue& v) { v.items = {-2}; });
  value(Status::kBadValue, "values.items", 17, [](TestValue& v) { v.items = {kOne}; });
  value(Status::kBadValue, "values.scalar_type", kA, [](TestValue& v) { v.dtype = 30; });
  value(Status::kBadValue, "values.scalar_type", kA, [](TestValue& v) { v.dtype = -1; });
  value(Status::kUnsupported, "values.storage_offset", kA,
        [](TestValue& v) { v.storage_offset = 1; });
  value(Status::kUnsupported, "values.shape_dynamism", kA, [](TestValue& v) { v.dynamism = 2; });
  value(Status::kBadValue, "values.shape_dynamism", kA, [](TestValue& v) { v.dynamism = 3; });
  value(Status::kMissingField, "values.sizes", kA, [](TestValue& v) { v.has_sizes = false; });
  value(Status::kBadValue, "values.sizes", kA, [](TestValue& v) { v.sizes = {-1}; });
  value(Status::kBadCount, "values.sizes", kA,
        [](TestValue& v) { v = make::planned(std::vector<int32_t>(17, 1), 0); });
  value(Status::kBadValue, "values.sizes", kA, [](TestValue& v) {
    v = make::planned({INT32_MAX, INT32_MAX, INT32_MAX}, 0);
  });
  value(Status::kBadValue, "values.sizes", kA, [](TestValue& v) {
    v = make::planned({INT32_MAX, INT32_MAX}, 0);
  });
  value(kIsSmall ? Status::kBadValue : Status::kOutOfPlan,
        kIsSmall ? "values.sizes" : "values.allocation_info.memory_offset_low", kA,
        [](TestValue& v) { v = make::planned({INT32_MAX}, 0); });
  // 2^32 elements: none at all where a size_t has 32 bits.
  value(kIsSmall ? Status::kBadValue : Status::kOutOfPlan,
        kIsSmall ? "values.sizes" : "values.allocation_info.memory_offset_low", kA,
        [](TestValue& v) {
          v = make::planned({65536, 65536}, 0);
        });
  value(Status::kMissingField, "values.dim_order", kA,
        [](TestValue& v) { v.has_dim_order = false; });
  value(Status::kBadCount, "values.dim_order", kB, [](TestValue& v) { v.dim_order = {0}; });
  value(Status::kBadValue, "values.dim_order", kB, [](TestValue& v) { v.dim_order = {0, 0}; });
  value(Status::kBadValue, "values.dim_order", kB, [](TestValue& v) { v.dim_order = {0, 2}; });
  value(Status::kBadValue, "values.dim_order", kB, [](TestValue& v) { v.dim_order = {0, 255}; });
  value(Status::kMissingField, "values.extra_tensor_info.fully_qualified_name", kConstant,
        [](TestValue& v) { v.location = 1; });
  value(Status::kNoSuchData, "values.extra_tensor_info.fully_qualified_name", kConstant,
        [](TestValue& v) {
          v.location = 1;
          v.qualified_name = "weight";
        });
  value(Status::kBadValue, "values.extra_tensor_info.location", kConstant,
        [](TestValue& v) { v.location = 2; });
  value(Status::kUnsupported, "values.extra_tensor_info.device_type", kA,
        [](TestValue& v) { v.device = 1; });
  value(Status::kBadIndex, "values.data_buffer_idx", kConstant, [](TestValue& v) { v.data = 2; });
  value(Status::kBadIndex, "values.data_buffer_idx", kState,
        [](TestValue& v) { v.data = UINT32_MAX; });
  value(Status::kMissingField, "values.allocation_info", kB, [](TestValue& v) { v.place = {}; });
  value(Status::kBadIndex, "values.allocation_info.memory_id", kA,
        [](TestValue& v) { v.place->mem_id = 0; });
  value(Status::kBadIndex, "values.allocation_info.memory_id", kA,
        [](TestValue& v) { v.place->mem_id = 2; });
  value(Status::kOutOfPlan, "values.allocation_info.memory_offset_low", kA,
        [](TestValue& v) { v.place->offset = 100; });
  value(Status::kOutOfPlan, "values.allocation_info.memory_offset_low", kA,
        [](TestValue& v) { v.place->offset_high = 1; });
  value(Status::kOutOfPlan, "values.allocation_info.memory_offset_low", kA,
        [](TestValue& v) { v.place->offset = v.place->offset_high = UINT32_MAX; });
  value(Status::kBadValue, "values.allocation_info.memory_offset_low", kA,
        [](TestValue& v) { v.place->offset = 2; });

  // Instructions.
  code(Status::kBadValue, "instructions.instr_args_type", 0,
       [](TestInstruction& i) { i.kind = 0; });
  code(Status::kBadValue, "instructions.instr_args_type", 0,
       [](TestInstruction& i) { i.kind = 6; });
  code(Status::kNoSuchBackend, "instructions.instr_args_type", 0,
       [](TestInstruction& i) { i.kind = 2; });
  code(Status::kMissingField, "instructions.instr_args", 0,
       [](TestInstruction& i) { i.has_payload = false; });
  code(Status::kMissingField, "instructions.args", 0,
       [](TestInstruction& i) { i.has_args = false; });
  code(Status::kBadIndex, "instructions.op_index", 0, [](TestInstruction& i) { i.first = 7; });
  code(Status::kBadIndex, "instructions.op_index", 0, [](TestInstruction& i) { i.first = -1; });
  code(Status::kBadIndex, "instructions.args", 0, [](TestInstruction& i) { i.args[1] = 20; });
  code(Status::kBadIndex, "instructions.args", 0, [](TestInstruction& i) { i.args[1] = -1; });
  code(Status::kBadCount, "instructions.args", 0, [](TestInstruction& i) { i.args = {}; });
  code(Status::kBadCount, "instructions.args", 0, [](TestInstruction& i) { i.args.pop_back(); });
  code(Status::kBadCount, "instructions.args", 0,
       [](TestInstruction& i) { i.args.push_back(kOut); });
  code(Status::kBadArguments, "instructions.args", 0, [](TestInstruction& i) { i.args[3] = kA; });
  code(Status::kBadArguments, "instructions.args", 0,
       [](TestInstruction& i) { i.args[2] = i.args[3] = kConstant; });
  code(Status::kBadArguments, "instructions.args", 2, [](TestInstruction& i) { i.args[1] = kB; });
  code(Status::kBadArguments, "instructions.args", 4, [](TestInstruction& i) {
    i.args = {kConstant, kConstant};
  });
  code(Status::kBadArguments, "instructions.args", 4, [](TestInstruction& i) {
    i.args = {kState, kOut};
  });
  // One argument of each kind given where another belongs.
  const std::vector<std::pair<size_t, int32_t>> wrong_kinds = {
      {0, kOne},  {1, kOne},      {2, kA},       {3, kHalf}, {4, kHalf},  {5, kText},
      {6, kA},    {7, kA},        {8, kOne},     {9, kOne},  {10, kInts}, {11, kInts},
      {12, kOne}, {13, kA},       {14, kTrue},   {15, kOne}, {16, kOne},  {17, kInts},
      {18, kOne}, {19, kNothing}, {20, kNothing}};
  for (const auto& [position, wrong] : wrong_kinds) {
    add(Status::kBadArguments, "instructions.args",
        [position = position, wrong = wrong](TestFile& f) {
          f.method().code()[7].args[position] = wrong;
        });
  }
  // Lists of outs: of tensors that may be written, and the same ones again.
  code(Status::kBadArguments, "instructions.args", 8, [](TestInstruction& i) { i.args[1] = kOut; });
  code(Status::kBadArguments, "instructions.args", 8, [](TestInstruction& i) { i.args[1] = 17; });
  code(Status::kBadArguments, "instructions.args", 8,
       [](TestInstruction& i) { i.args[1] = i.args[2] = kList; });
  code(Status::kBadArguments, "instructions.args", 8, [](TestInstruction& i) { i.args[2] = kB; });
  code(Status::kBadArguments, "instructions.args", 8,
       [](TestInstruction& i) { i.args[2] = kList; });
  code(Status::kBadCount, "instructions.args", 8, [](TestInstruction& i) { i.args.pop_back(); });
  value(Status::kBadArguments, "instructions.args", 19, [](TestValue& v) { v.items = {kB}; });
  value(Status::kBadArguments, "instructions.args", 18, [](TestValue& v) {
    v.items = {kB, kOut, kDynamic};
  });
  code(Status::kBadIndex, "instructions.move_from", 5, [](TestInstruction& i) { i.first = 20; });
  code(Status::kBadIndex, "instructions.move_to", 5, [](TestInstruction& i) { i.second = -1; });
  code(Status::kBadArguments, "instructions.move_to", 5,
       [](TestInstruction& i) { i.first = kOne; });
  code(Status::kBadArguments, "instructions.move_to", 5,
       [](TestInstruction& i) { i.first = kScratch; });
  code(Status::kBadArguments, "instructions.move_to", 5, [](TestInstruction& i) { i.second = kA; });
  code(Status::kBadIndex, "instructions.cond_value_index", 3,
       [](TestInstruction& i) { i.first = 20; });
  code(Status::kBadArguments, "instructions.cond_value_index", 3,
       [](TestInstruction& i) { i.first = kOne; });
  code(Status::kBadArguments, "instructions.cond_value_index", 3,
       [](TestInstruction& i) { i.first = kA; });
  code(Status::kBadIndex, "instructions.destination_instruction", 3,
       [](TestInstruction& i) { i.second = 10; });
  code(Status::kBadIndex, "instructions.destination_instruction", 3,
       [](TestInstruction& i) { i.second = -1; });
  code(Status::kBadIndex, "instructions.value_index", 6,
       [](TestInstruction& i) { i.first = INT32_MAX; });
  code(Status::kBadArguments, "instructions.value_index", 6,
       [](TestInstruction& i) { i.first = kOne; });
  return cases;
}

TEST(HostileFieldsTest, NamesTheFieldOfEveryHostileValue) {
  int number = 0;
  for (const HostileCase& c : hostile_cases()) {
    SCOPED_TRACE(std::to_string(number++) + " " + c.field);
    TestFile file = sample_file();
    c.spoil(file);
    expect_fault(load(build_file(file)), c.status, c.field);
  }
}

TEST(HostileFieldsTest, ItemsThatShareTheirBytesDoNotCountFar) {
  TestFile file = sample_file();
  file.method().chain_repeats = 2;  // two chains, one table
  EXPECT_EQ(load(build_file(file)).status, Status::kOk);
  file.method().chain_repeats = 5000;  // 40,000 instructions in 25 kB
  expect_fault(load(build_file(file)), Status::kBadCount, "values");
}

TEST(HostileFieldsTest, ACutFileIsRefusedAtEveryByte) {
  TestFile with_record = sample_file();
  with_record.record = make::TestRecord();
  with_record.record->pools = {{"main", 1, 16}};
  for (const TestFile& file : {sample_file(), with_record}) {
    const std::vector<uint8_t> whole = build_file(file);
    ASSERT_EQ(load(whole).status, Status::kOk);
    for (size_t size = 0; size < whole.size(); ++size) {
      const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<int64_t>(size));
      const Outcome outcome = load(cut);
      ASSERT_NE(outcome.status, Status::kOk) << size;
      ASSERT_STRNE(outcome.fault.field, "") << size;
    }
  }
}

// Whatever stands in the file: a status, and no access outside (which the sanitizers of `./dev
// test-all` would see).
TEST(HostileFieldsTest, AnyByteMayBeAnything) {
  TestFile file = sample_file();
  file.record = make::TestRecord();
  file.record->pools = {{"main", 1, 16}};
  make::TestMethodRecord method;
  method.instruction_count = 8;
  file.record->methods = {method};
  const std::vector<uint8_t> whole = build_file(file);
  int loaded = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int content : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> bytes = whole;
      bytes[at] = static_cast<uint8_t>(content);
      const Outcome outcome = load(bytes);
      loaded += outcome.status == Status::kOk;
      if (outcome.status != Status::kOk) {
        ASSERT_STRNE(outcome.fault.field, "") << at;
      }
    }
  }
  EXPECT_GT(loaded, 0) << "padding and names do not matter";
}

}  // namespace
}  // namespace berth::runtime::loader_tests
