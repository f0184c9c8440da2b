// The .pte as plain structs. One method is a table of values and a list of linear instructions with jumps.
// A tensor value is (storage, offset): views, parts of a concatenation and the two sides of an in-place operator are
// values of one storage. The planner places storages; the writer turns a place into allocation_info of each value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "contract/isa.h"
#include "contract/plan_record.h"
#include "contract/roles.h"
#include "contract/scalar_type.h"

namespace berth::program {

using Bytes = std::vector<std::byte>;

enum class Dynamism : int8_t { kStatic = 0, kBound = 1, kUnbound = 2 };

struct Tensor {
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int32_t> sizes;      // elements; upper bounds when dynamism is kBound
  std::vector<uint8_t> dim_order;  // outermost to innermost, same length
  Dynamism dynamism = Dynamism::kStatic;
  int32_t storage = -1;            // index into Method::storages
  uint64_t offset = 0;             // bytes from the start of the storage
  bool requires_grad = false;
  int8_t layout = 0;
  // extra_tensor_info, where the file has it
  bool has_extra = false;
  uint64_t mutable_data_segments_idx = 0;
  std::string fully_qualified_name;
  bool external = false;           // location EXTERNAL: bytes come from a .ptd
  int8_t device_type = 0;
  int8_t device_index = 0;
};

struct IntList { std::vector<int64_t> values; };                 // indices of Int values
struct DoubleList { std::vector<double> items; };
struct BoolList { std::vector<uint8_t> items; };
struct TensorList { std::vector<int32_t> values; };              // value indices
struct OptionalTensorList { std::vector<int32_t> values; };      // value indices, -1 = none

struct Value {
  // monostate is None.
  std::variant<std::monostate, int64_t, bool, double, std::string, Tensor, IntList, DoubleList, BoolList, TensorList,
               OptionalTensorList>
      data;
  std::string name;  // for people; not in the file except through the plan record's buffer names
  const Tensor* tensor() const { return std::get_if<Tensor>(&data); }
  Tensor* tensor() { return std::get_if<Tensor>(&data); }
};

enum class StorageKind : uint8_t {
  kPlanned,   // in a pool
  kState,     // in a pool, kept between runs; may have initial bytes
  kConstant,  // bytes in the file
  kExternal,  // bytes in a .ptd
  kCaller,    // bound at run time (unplanned input or output) or made by et_view
};

// nbytes is what the values need, not rounded. mem_id 0: no place yet.
struct Storage {
  StorageKind kind = StorageKind::kPlanned;
  uint64_t nbytes = 0;
  uint32_t alignment = kDefaultAlignment;
  Role role = Role::kActivation;
  int32_t owner = -1;        // instruction it belongs to: the producer, the scratch's user
  std::string name;
  std::string pool;          // asked for by name; empty: the board's default
  uint32_t mem_id = 0;
  uint64_t offset = 0;       // in the pool
  int32_t data = -1;         // kConstant, or kState with initial bytes: index into Program::constants / mutable_data
};

struct KernelCall { int32_t op = 0; std::vector<int32_t> args; };
struct DelegateCall {
  int32_t delegate = 0;
  std::vector<int32_t> args;
  bool newer_fields = false;  // the file holds fields of this table that are not known here
};
struct MoveCall { int32_t from = 0; int32_t to = 0; };
struct JumpFalseCall { int32_t condition = 0; int32_t target = 0; };  // target: index into Method::instructions
struct FreeCall { int32_t value = 0; };

// `output` may take the bytes of `input`, which dies at this instruction. Value indices.
struct InPlaceOption { int32_t output = 0; int32_t input = 0; };

struct Instruction {
  std::variant<KernelCall, DelegateCall, MoveCall, JumpFalseCall, FreeCall> call;
  std::vector<InPlaceOption> in_place;
  // Delegate calls with a record: how many arguments are inputs and outputs; the rest is scratch.
  std::optional<uint32_t> input_count;
  std::optional<uint32_t> output_count;
};

struct Operator { std::string name; std::string overload; };
struct CompileSpec { std::string key; Bytes value; };
struct Delegate {
  std::string id;
  int32_t data = 0;  // index into Program::delegate_data
  std::vector<CompileSpec> compile_specs;
};

struct PoolSize {
  uint32_t mem_id = 0;
  uint64_t bytes = 0;
  int8_t device_type = 0;
  int8_t device_index = 0;
};

// Figures a plan leaves behind, per pool of a method (reports and the record).
struct PoolUse {
  uint32_t mem_id = 0;
  uint64_t bytes = 0;
  uint64_t lower_bound = 0;
  uint64_t greedy_bytes = 0;
  uint64_t tail = 0;
};

// A buffer as the plan record tells it: the storage, and when it is live.
struct Interval { uint32_t begin = 0; uint32_t end = 0; };
struct RecordedBuffer {
  int32_t extent = 0;  // value whose bytes are the buffer's
  std::vector<Interval> live;
  Role role = Role::kActivation;
  uint32_t alignment = kDefaultAlignment;
  int32_t owner = -1;
  std::string name;
};
struct RecordedPlan {
  std::vector<int32_t> value_buffer;  // per value, -1 none
  std::vector<RecordedBuffer> buffers;
  std::vector<PoolUse> pool_use;
  std::string planner;
  bool proven_optimal = false;
};

struct Method {
  std::string name;
  std::string input_tree;   // container_meta_type, opaque
  std::string output_tree;
  std::vector<Value> values;
  std::vector<Storage> storages;
  std::vector<int32_t> inputs;   // value indices
  std::vector<int32_t> outputs;
  std::vector<Instruction> instructions;  // all chains, one after the other
  std::vector<int32_t> chain_begins{0};   // where each chain starts in `instructions`
  std::vector<Operator> operators;
  std::vector<Delegate> delegates;
  std::vector<PoolSize> pools;            // sorted by mem_id, gaps allowed (written as size 0)
  std::optional<RecordedPlan> plan;       // what the record says; made by compiler/place, read by program/read
};

struct NamedData {
  std::string key;
  Bytes bytes;
  uint32_t alignment = kDefaultAlignment;
};

struct Pool {
  std::string name;
  uint32_t mem_id = 1;
  uint32_t alignment = kDefaultAlignment;
  uint64_t capacity = 0;  // 0: none stated
  std::vector<std::string> attributes;
};

// The program-wide part of the plan record.
struct Record {
  uint32_t version = kPlanRecordVersion;
  uint64_t feature_flags = 0;
  Isa isa = Isa::kHost;
  std::string board;
  std::vector<Pool> pools;
};

struct Program {
  uint32_t version = 0;
  std::vector<Method> methods;
  std::vector<Bytes> constants;       // distinct contents; Storage::data points here
  std::vector<Bytes> mutable_data;    // initial bytes of state
  std::vector<Bytes> delegate_data;   // distinct blobs
  std::vector<NamedData> named_data;  // without the plan record
  std::optional<Record> record;
  std::vector<std::string> unknown_fields;  // "Program.execution_plan[0] slot 10": replan refuses, inspect shows
};

}  // namespace berth::program
