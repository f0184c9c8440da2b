// A .pte from plain structs, for tests of readers: every field can be given a wrong value on
// purpose, which the project's writer would refuse. Hosted; nothing of the runtime is used.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace berth::testing {

inline uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The numbers of KernelTypes and of InstructionArguments, any other number for a wrong one.
enum ValueKind : uint8_t {
  kNone = 1,
  kInt,
  kBool,
  kDouble,
  kTensor,
  kString,
  kIntList,
  kDoubleList,
  kBoolList,
  kTensorList,
  kOptionalTensorList,
};
enum CallKind : uint8_t { kKernelCall = 1, kDelegateCall, kMoveCall, kJumpFalseCall, kFreeCall };

struct Place {
  uint32_t mem_id = 1;
  uint32_t offset = 0;
  uint32_t offset_high = 0;
};

struct TestValue {
  uint8_t kind = kNone;
  bool has_payload = true;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<double> doubles;
  std::vector<int64_t> items;  // of all other lists
  bool has_items = true;

  // Tensors
  int dtype = 6;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;  // as long as sizes unless set apart
  bool has_sizes = true;
  bool has_dim_order = true;
  int dynamism = 0;
  int32_t storage_offset = 0;
  uint32_t data = 0;
  std::optional<Place> place;
  int location = 0;
  int device = 0;
  std::optional<std::string> qualified_name;
};

TestValue int_value(int64_t value);
TestValue bool_value(bool value);
TestValue double_value(double value);
TestValue string_value(std::string text);
TestValue list_value(ValueKind kind, std::vector<int64_t> items);
// A float tensor unless dtype says otherwise; dim order 0, 1, ...
TestValue tensor_value(std::vector<int32_t> sizes, int dtype = 6);
TestValue planned(std::vector<int32_t> sizes, uint32_t offset, int dtype = 6, uint32_t mem_id = 1);
TestValue constant(std::vector<int32_t> sizes, uint32_t data, int dtype = 6);

struct TestInstruction {
  uint8_t kind = kKernelCall;
  bool has_payload = true;
  int32_t first = 0;   // op_index, delegate_index, move_from, cond_value_index or value_index
  int32_t second = 0;  // move_to or destination_instruction
  std::vector<int32_t> args;
  bool has_args = true;
  bool has_newer_field = false;  // of a delegate call
};

TestInstruction call(int32_t op, std::vector<int32_t> args);
TestInstruction delegate_call(int32_t delegate, std::vector<int32_t> args);
TestInstruction move(int32_t from, int32_t to);
TestInstruction jump_false(int32_t condition, int32_t target);
TestInstruction free_value(int32_t value);

struct TestDelegate {
  std::string id;
  int location = 0;    // of the blob: 0 in inline_blobs, 1 in a segment
  uint32_t index = 0;  // there
  std::vector<std::pair<std::string, std::vector<uint8_t>>> specs = {};
  // Fields left out: "id", "processed", "spec_key"
  std::string missing = {};
};

struct TestMethod {
  std::string name = "forward";
  bool has_name = true;
  std::vector<TestValue> values;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<std::vector<TestInstruction>> chains{{}};
  uint32_t chain_repeats = 1;  // how often the chains are listed: the same tables again
  std::vector<std::pair<std::string, std::string>> operators;
  std::vector<TestDelegate> delegates;
  std::vector<int64_t> pool_sizes{0};
  std::vector<std::pair<int32_t, int>> pool_devices;  // index, device type
  // Fields left out: "values", "inputs", "outputs", "chains", "delegates", "pool_sizes",
  // "instructions", "op_name"
  std::string missing;

  std::vector<TestInstruction>& code() { return chains[0]; }
};

struct TestInterval {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct TestBuffer {
  uint32_t extent = 0;
  std::vector<TestInterval> live;
  uint8_t role = 2;  // activation
  uint32_t alignment = 16;
};

// A delegate call's arguments; behind them persistent memory.
struct TestCallRoles {
  uint32_t instruction = 0;
  uint32_t inputs = 0;
  uint32_t outputs = 0;
  uint32_t scratch = 0;
};

struct TestMethodRecord {
  std::string name = "forward";
  uint32_t instruction_count = 0;
  std::vector<int32_t> value_buffer;
  std::vector<TestBuffer> buffers;
  std::vector<TestCallRoles> calls;
};

struct TestRecord {
  uint32_t version = 1;
  bool has_newer_field = false;  // one more than are known, in the record and in each method
  uint64_t feature_flags = 0;
  uint8_t isa = 0;
  std::string identifier = "BPR1";
  struct Pool {
    std::string name;
    uint32_t mem_id;
    uint32_t alignment;
  };
  std::vector<Pool> pools;
  std::vector<TestMethodRecord> methods;
  // Fields to spoil: one more entry than right, or one less.
  std::string longer;
  std::string missing;
};

struct TestSegments {
  uint32_t index = 0;
  std::vector<uint64_t> offsets;
};

struct TestFile {
  std::vector<TestMethod> methods{TestMethod()};
  std::vector<std::vector<uint8_t>> segments;
  std::optional<TestSegments> constants;  // constant_segment
  std::vector<TestSegments> mutable_data;
  std::vector<std::vector<uint8_t>> inline_constants;
  std::vector<std::vector<uint8_t>> inline_blobs;  // backend_delegate_data
  std::vector<std::pair<std::string, uint32_t>> named_data;
  std::optional<TestRecord> record;  // put behind the other segments
  uint32_t header_length = 32;       // 0: none
  std::string missing;               // "execution_plan"
  // Last touches: on the offset and size of segments, and on the finished bytes.
  std::function<void(uint32_t index, uint64_t* offset, uint64_t* size)> spoil_segment;
  std::function<void(std::vector<uint8_t>&)> spoil_bytes;

  TestMethod& method() { return methods[0]; }
};

std::vector<uint8_t> build_record(const TestRecord& record);
std::vector<uint8_t> build_file(const TestFile& file);

// Bytes that start at a multiple of 64.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(size_t size, uint8_t fill = 0);
  explicit AlignedBytes(const std::vector<uint8_t>& bytes);
  uint8_t* data() { return storage_.data() + shift_; }
  const uint8_t* data() const { return storage_.data() + shift_; }
  size_t size() const { return size_; }

 private:
  std::vector<uint8_t> storage_;
  size_t shift_ = 0;
  size_t size_ = 0;
};

}  // namespace berth::testing
