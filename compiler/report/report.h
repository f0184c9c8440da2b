// What is inside a .pte and who owns which bytes when, as plain data; and that data as text, JSON,
// HTML and a C header.
//
//   report::Report r = report::build_report(program, "kws.pte", file_bytes);
//   std::string words = report::text_report(r, {});
//
// Everything is computed from the program and its recorded plan: the numbers of compile and of
// inspect are the same because they come from here. A file without a record has no recorded plan; a
// caller that can find lifetimes may fill Method::plan first, and then only the figures that nobody
// can know (what greedy would need) are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/report/blob_kind.h"
#include "compiler/target/board.h"
#include "contract/isa.h"
#include "contract/result.h"
#include "contract/runtime_sizes.h"
#include "program/program.h"

namespace berth::report {

// A method's input or output.
struct Port {
  int32_t value = 0;
  std::string name;
  std::string kind;  // "tensor", "int", "double", "bool", "string", "none"
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int32_t> shape;
  std::vector<uint8_t> dim_order;
  uint64_t bytes = 0;
  bool planned = false;  // lies in a pool; else the caller binds it
  bool dynamic = false;  // shape and bytes are upper bounds
};

struct InstructionRow {
  std::string kind;  // "kernel", "delegate", "move", "jump_false", "free"
  std::string name;  // "cortex_m::pad.out", the delegate's id, or the kind again
  std::vector<int32_t> args;
  int32_t target = -1;  // of a jump
};

struct BufferRow {
  std::vector<int32_t> values;  // that lie in it, ascending
  int32_t pool = -1;            // index into MethodReport::pools
  uint64_t offset = 0;
  uint64_t bytes = 0;    // what the values need
  uint64_t rounded = 0;  // with the alignment: what the plan counts
  uint32_t alignment = 1;
  std::vector<program::Interval> live;
  Role role = Role::kActivation;
  int32_t owner = -1;  // instruction, or -1: the method's own
  std::string name;
};

// One of the buffers that end above the lower bound, and what keeps it there: at the fullest
// instruction of its life there are `live` bytes in the pool, and `free_below` of those below its
// end are nobody's.
struct AboveBoundRow {
  int32_t buffer = 0;
  uint32_t instruction = 0;
  uint64_t live = 0;
  uint64_t free_below = 0;
};

// Bytes of a pool that another method keeps from run to run: this one's plan goes around them, so
// they count in its bytes and its lower bound, and are live at none of its instructions.
struct KeptElsewhereRow {
  std::string method;
  std::string owner;  // an instruction there, as messages call it
  BufferRow buffer;   // its pool is that method's
};

struct PoolRow {
  std::string name;
  uint32_t mem_id = 0;
  uint64_t bytes = 0;
  uint64_t lower_bound = 0;
  std::optional<uint64_t> greedy_bytes;  // none: no record says it
  uint64_t tail = 0;
  uint32_t alignment = 1;
  std::optional<uint64_t> capacity;
  std::optional<uint64_t> cost;      // of a byte here, as add_costs() was told
  std::vector<uint64_t> live_bytes;  // rounded bytes live, per instruction
  uint32_t peak_step = 0;            // the first fullest instruction
  std::vector<int32_t> peak;         // buffers live there, largest first
  uint64_t padding = 0;              // rounding of the sizes live there
  std::vector<AboveBoundRow> above;  // the highest ends first, not more than 8
  std::vector<KeptElsewhereRow> kept_elsewhere;
  uint64_t kept_elsewhere_bytes = 0;  // of them all, rounded, each byte once
};

struct DelegateRow {
  std::string id;
  int32_t blob = -1;  // which of the program's; delegates may share one
  BlobKind kind;
  std::vector<int32_t> calls;  // instructions
  uint64_t processed_bytes = 0;
  std::vector<int32_t> scratch;     // buffers
  std::vector<int32_t> persistent;  // buffers
};

// What replan --share-handles made of several entries of the delegate table.
struct SharedHandleRow {
  int32_t delegate = 0;          // the row of `delegates` that stayed
  std::vector<int32_t> entries;  // as they were numbered before
};

// What compile's order of operators bought, in rounded live bytes at the fullest moment.
struct ScheduleRow {
  uint64_t peak_before = 0;  // in the model's order
  uint64_t peak_after = 0;
  uint64_t lower_bound = 0;  // no order has a lower peak
};

// Where the plan is wrong: an instruction that writes a value over another one that is needed
// there.
struct ClobberRow {
  int32_t instruction = 0;
  int32_t writer = 0;  // values
  int32_t victim = 0;
  std::string words;
};

// Constants that the compiler made for the ISA: sums of the weights of linear layers, for MVE.
struct KernelSumsRow {
  uint64_t operators = 0;
  uint64_t bytes = 0;
};

struct MethodReport {
  std::string name;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<InstructionRow> instructions;
  std::vector<PoolRow> pools;
  std::vector<BufferRow> buffers;  // empty when no plan is known
  std::vector<DelegateRow> delegates;
  std::vector<SharedHandleRow> shared_handles;  // left to the caller: the file does not say
  std::optional<ScheduleRow> schedule;          // left to the caller, likewise
  std::optional<KernelSumsRow> kernel_sums;     // likewise
  bool has_plan = false;
  bool certified = false;            // the file's plan record tells the plan
  std::string not_certified;         // why no record could; empty when one could, or does
  std::vector<ClobberRow> clobbers;  // the earliest; left to the caller, as not_certified is
  std::string planner;
  bool proven_optimal = false;
  std::optional<uint64_t> cost;  // rounded bytes of all buffers x the cost of their pools
  MethodCounts counts;
  uint64_t runtime_bytes(Abi abi) const { return method_bytes(counts, abi); }
};

struct InstructionRef {
  int32_t method = 0;
  int32_t instruction = 0;
  bool operator==(const InstructionRef&) const = default;
};

// Distinct contents: a constant that two instructions use is stored once.
struct ConstantRow {
  int32_t index = 0;  // into Program::constants
  uint64_t bytes = 0;
  std::string name;
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int32_t> shape;
  std::vector<InstructionRef> users;
};

struct NamedDataRow {
  std::string key;
  uint64_t bytes = 0;
};

// A part of the model that a backend compiled. Only the compiler knows which nodes went into it.
struct LoweredRow {
  std::string name;  // of the lowered module
  std::string backend;
  std::string method;              // where the nodes were
  std::vector<std::string> nodes;  // operators
  uint64_t processed_bytes = 0;
  uint64_t scratch_bytes = 0;     // of one call, not rounded
  uint64_t persistent_bytes = 0;  // of one handle, not rounded
  bool share_handle = false;
  // That a call takes from elsewhere, as its backend measured; none: it could not.
  std::optional<uint64_t> hidden_bytes = 0;
  std::vector<std::string> notes;  // of the backend
};

struct Report {
  std::string file;
  uint64_t file_bytes = 0;
  uint64_t constant_bytes = 0;
  bool has_record = false;
  std::string board;
  Isa isa = Isa::kHost;
  std::vector<MethodReport> methods;
  std::vector<ConstantRow> constants;    // largest first
  std::vector<NamedDataRow> named_data;  // largest first, without the plan record
  std::vector<LoweredRow> lowered;       // left to the caller
  uint64_t initial_state_bytes = 0;
  std::vector<std::string> unknown_fields;
};

// Pools of a file without a record are called mem1, mem2, ...
// REQUIRES: program::validate found nothing.
Report build_report(const program::Program& program, std::string file, uint64_t file_bytes);

// Says what the plan costs on this board, which no file knows. Pools that the board has not are
// taken as free.
void add_costs(const target::Board& board, Report* report);

// What the runtime counts when it asks for method memory.
MethodCounts count_method(const program::Method& method);

// "forward: 3 cortex_m::pad.out"
std::string user_label(const Report& report, const InstructionRef& user);

// "3 cortex_m::pad.out": an instruction as messages call it; "the method" for -1.
std::string instruction_label(const MethodReport& method, int32_t instruction);

struct TextOptions {
  bool instructions = false;  // list instructions and buffers too
  size_t constants = 12;      // how many of them, and of named data, to list
};
std::string text_report(const Report& report, const TextOptions& options);

bool is_live_at(const BufferRow& buffer, uint32_t instruction);

// What is live at one instruction. REQUIRES: it is one of the method's.
std::string text_at(const MethodReport& method, uint32_t instruction);

// The summary, and inspect's longer form of it.
std::string json_summary(const Report& report);
// `moment`: also what is live at that instruction. REQUIRES: every method has it.
std::string json_report(const Report& report, std::optional<uint32_t> moment = std::nullopt);

// One page that needs nothing else: a memory map per pool, and tables. The same report gives the
// same bytes.
std::string html_report(const Report& report);

// Macros for firmware: bytes and alignment of each pool, method memory, inputs and outputs. C and
// C++ can read it. `name` becomes part of every macro. Fails when two pools or methods have the
// same name in capitals.
Result<std::string> c_header(const Report& report, const std::string& name);

}  // namespace berth::report
