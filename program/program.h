// The .pte as plain structs. One method is a table of values and a list of linear instructions with
// jumps. A tensor value is (storage, offset): views, parts of a concatenation and the two sides of
// an in-place operator are values of one storage. The planner places storages; the writer turns a
// place into allocation_info of each value. What must hold between these structs is checked in one
// place: program/validate_program.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "contract/checked.h"
#include "contract/isa.h"
#include "contract/plan_record.h"
#include "contract/roles.h"
#include "contract/scalar_type.h"
#include "program/blob.h"

namespace berth::program {

enum class Dynamism : int8_t { kStatic = 0, kBound = 1, kUnbound = 2 };

struct Tensor {
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int32_t> sizes;      // elements; upper bounds when dynamism is kBound
  std::vector<uint8_t> dim_order;  // outermost to innermost, same length
  Dynamism dynamism = Dynamism::kStatic;
  int32_t storage = -1;  // index into Method::storages
  uint64_t offset = 0;   // bytes from the start of the storage
  bool requires_grad = false;
  int8_t layout = 0;
  // extra_tensor_info, where the file has it
  bool has_extra = false;
  uint64_t mutable_data_segments_idx = 0;
  std::string fully_qualified_name;
  bool external = false;  // location EXTERNAL: bytes come from a .ptd
  int8_t device_type = 0;
  int8_t device_index = 0;
  bool operator==(const Tensor&) const = default;
};

// Elements times their size: the upper bound when sizes are one. False where a size is negative,
// the type is none or the number does not fit.
[[nodiscard]] inline bool tensor_nbytes(const Tensor& tensor, uint64_t* out) {
  if (!is_scalar_type(static_cast<int>(tensor.dtype))) return false;
  uint64_t nbytes = element_size(tensor.dtype);
  bool empty = false;
  for (int32_t size : tensor.sizes) {
    if (size < 0) return false;
    if (size == 0) empty = true;
    if (size != 0 && !checked_mul(nbytes, static_cast<uint64_t>(size), &nbytes)) return false;
  }
  *out = empty ? 0 : nbytes;
  return true;
}

// The same, of a tensor that validate() has let through.
inline uint64_t tensor_nbytes(const Tensor& tensor) {
  uint64_t nbytes = 0;
  (void)!tensor_nbytes(tensor, &nbytes);
  return nbytes;
}

struct IntList {
  std::vector<int64_t> values;  // indices of Int values
  bool operator==(const IntList&) const = default;
};
struct DoubleList {
  std::vector<double> items;
  bool operator==(const DoubleList&) const = default;
};
struct BoolList {
  std::vector<uint8_t> items;
  bool operator==(const BoolList&) const = default;
};
struct TensorList {
  std::vector<int32_t> values;  // value indices, each before the list itself
  bool operator==(const TensorList&) const = default;
};
struct OptionalTensorList {
  std::vector<int32_t> values;  // the same; -1 or the index of a None: none
  bool operator==(const OptionalTensorList&) const = default;
};

struct Value {
  // monostate is None.
  std::variant<std::monostate, int64_t, bool, double, std::string, Tensor, IntList, DoubleList,
               BoolList, TensorList, OptionalTensorList>
      data;
  std::string name;  // for people; not in the file except through the plan record's buffer names
  const Tensor* tensor() const { return std::get_if<Tensor>(&data); }
  Tensor* tensor() { return std::get_if<Tensor>(&data); }
  bool operator==(const Value&) const = default;
};

enum class StorageKind : uint8_t {
  kPlanned,   // in a pool
  kState,     // in a pool, kept between runs; may have initial bytes
  kConstant,  // bytes in the file
  kExternal,  // bytes in a .ptd, found by the tensor's fully_qualified_name
  kCaller,  // bound at run time (unplanned input or output) or made by et_view; one value each, for
            // the file cannot say that two of them share bytes
};

// nbytes is what the values need, not rounded. mem_id 0: no place yet. A state's initial bytes go
// to the first value that covers all of the storage; there must be one.
struct Storage {
  StorageKind kind = StorageKind::kPlanned;
  uint64_t nbytes = 0;
  uint32_t alignment = kDefaultAlignment;
  Role role = Role::kActivation;
  int32_t owner = -1;  // instruction it belongs to: the producer, the scratch's user
  std::string name;
  std::string pool;  // asked for by name; empty: the board's default
  uint32_t mem_id = 0;
  uint64_t offset = 0;  // in the pool
  // kConstant, or kState with initial bytes: index into Program::constants or mutable_data.
  int32_t data = -1;
  bool operator==(const Storage&) const = default;
};

inline bool in_pool(const Storage& storage) {
  return storage.kind == StorageKind::kPlanned || storage.kind == StorageKind::kState;
}

struct KernelCall {
  int32_t op = 0;
  std::vector<int32_t> args;
  bool operator==(const KernelCall&) const = default;
};
struct DelegateCall {
  int32_t delegate = 0;
  std::vector<int32_t> args;
  bool newer_fields = false;  // the file holds fields of this table that are not known here
  bool operator==(const DelegateCall&) const = default;
};
struct MoveCall {
  int32_t from = 0;
  int32_t to = 0;
  bool operator==(const MoveCall&) const = default;
};
struct JumpFalseCall {
  int32_t condition = 0;
  int32_t target = 0;  // index into Method::instructions, in or at the end of the jump's own chain
  bool operator==(const JumpFalseCall&) const = default;
};
struct FreeCall {
  int32_t value = 0;
  bool operator==(const FreeCall&) const = default;
};

// `output` may take the bytes of `input`, which dies at this instruction. Value indices.
struct InPlaceOption {
  int32_t output = 0;
  int32_t input = 0;
  bool operator==(const InPlaceOption&) const = default;
};

struct Instruction {
  std::variant<KernelCall, DelegateCall, MoveCall, JumpFalseCall, FreeCall> call;
  std::vector<InPlaceOption> in_place;
  // Delegate calls with a record: how many arguments are inputs and outputs; the rest is scratch,
  // then memory that the delegate keeps: state with the role kPersistent.
  std::optional<uint32_t> input_count;
  std::optional<uint32_t> output_count;
  bool operator==(const Instruction&) const = default;
};

struct Operator {
  std::string name;
  std::string overload;
  bool operator==(const Operator&) const = default;
};
struct CompileSpec {
  std::string key;
  Bytes value;
  bool operator==(const CompileSpec&) const = default;
};
struct Delegate {
  std::string id;
  int32_t data = 0;  // index into Program::delegate_data
  std::vector<CompileSpec> compile_specs;
  bool operator==(const Delegate&) const = default;
};

// One line of a stack trace: where an instruction came from, in the source of the model.
struct Frame {
  std::string filename;
  int32_t lineno = 0;
  std::string name;
  std::string context;
  bool operator==(const Frame&) const = default;
};
using FrameList = std::vector<Frame>;

struct PoolSize {
  uint32_t mem_id = 0;
  uint64_t bytes = 0;
  int8_t device_type = 0;
  int8_t device_index = 0;
  bool operator==(const PoolSize&) const = default;
};

// Figures a plan leaves behind, per pool of a method (reports and the record).
struct PoolUse {
  uint32_t mem_id = 0;
  uint64_t bytes = 0;
  uint64_t lower_bound = 0;
  uint64_t greedy_bytes = 0;
  uint64_t tail = 0;
  bool operator==(const PoolUse&) const = default;
};

// A buffer as the plan record tells it: the storage, and when it is live. Half-open, in
// instructions.
struct Interval {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const Interval&) const = default;
};
struct RecordedBuffer {
  int32_t extent = 0;          // value whose bytes are the buffer's
  std::vector<Interval> live;  // ascending, apart; at least one
  Role role = Role::kActivation;
  uint32_t alignment = kDefaultAlignment;
  int32_t owner = -1;
  std::string name;
  bool operator==(const RecordedBuffer&) const = default;
};
struct RecordedPlan {
  std::vector<int32_t> value_buffer;    // per value, -1 none
  std::vector<RecordedBuffer> buffers;  // sorted by live[0].begin, then by extent
  std::vector<PoolUse> pool_use;        // sorted by mem_id
  std::string planner;
  bool proven_optimal = false;
  bool operator==(const RecordedPlan&) const = default;
};

struct Method {
  std::string name;
  std::string input_tree;  // container_meta_type, opaque
  std::string output_tree;
  std::vector<Value> values;
  std::vector<Storage> storages;
  std::vector<int32_t> inputs;  // value indices
  std::vector<int32_t> outputs;
  std::vector<Instruction> instructions;  // all chains, one after the other
  std::vector<int32_t> chain_begins{0};   // where each chain starts in `instructions`
  std::vector<Operator> operators;
  std::vector<Delegate> delegates;
  std::vector<PoolSize> pools;        // sorted by mem_id, gaps allowed (written as size 0)
  std::vector<FrameList> stacktrace;  // empty, or one list per instruction
  // What the record says; made by compiler/place, read by program/read.
  std::optional<RecordedPlan> plan;
  bool operator==(const Method&) const = default;
};

// Equal bytes are written once, whatever number of keys they have.
struct NamedData {
  std::string key;
  Blob bytes;
  uint32_t alignment = kDefaultAlignment;  // not in the file: a reader finds the default
  bool operator==(const NamedData&) const = default;
};

struct Pool {
  std::string name;
  uint32_t mem_id = 1;
  uint32_t alignment = kDefaultAlignment;
  uint64_t capacity = 0;  // 0: none stated
  std::vector<std::string> attributes;
  bool operator==(const Pool&) const = default;
};

// The program-wide part of the plan record.
struct Record {
  uint32_t version = kPlanRecordVersion;
  uint64_t feature_flags = 0;
  Isa isa = Isa::kHost;
  std::string board;
  std::vector<Pool> pools;
  // False: one set of pools serves all methods. True, in replanned files of someone else: each
  // method has its own memory for each pool, but for state that several methods have in one.
  bool separate_methods = false;
  bool operator==(const Record&) const = default;
};

struct Program {
  uint32_t version = 0;
  std::vector<Method> methods;
  std::vector<Blob> constants;        // distinct contents; Storage::data points here
  std::vector<Blob> mutable_data;     // initial bytes of state
  std::vector<Blob> delegate_data;    // distinct blobs
  std::vector<NamedData> named_data;  // without the plan record
  std::optional<Record> record;
  // "execution_plan[0] slot 10": replan refuses, inspect shows.
  std::vector<std::string> unknown_fields;
  bool operator==(const Program&) const = default;
};

}  // namespace berth::program
