#include "tools/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "contract/operator_schema.h"

namespace berth::tools {
namespace {

using report::DebugEvent;
using report::EventPlace;
using report::ProfileEvent;
using report::TracedTensor;
using runtime::InstructionKind;
using runtime::Tag;

// The stock Inspector matches these names.
constexpr const char* kLoadRun = "Default";
constexpr const char* kExecuteRun = "Execute";

// Where stock writers put each tensor's bytes.
constexpr size_t kValueAlignment = 64;

uint64_t now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

// What the stock Inspector can make of a value; of others it would refuse the whole file.
bool is_readable(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::kByte:
    case ScalarType::kChar:
    case ScalarType::kShort:
    case ScalarType::kInt:
    case ScalarType::kLong:
    case ScalarType::kHalf:
    case ScalarType::kFloat:
    case ScalarType::kDouble:
    case ScalarType::kBool:
    case ScalarType::kBits16:
    case ScalarType::kUInt16:
      return true;
    default:
      return false;
  }
}

// "native_call_add.out" for aten::add.out.
std::string call_name(const OperatorSchema& schema) {
  std::string_view name = schema.name;
  if (const size_t colon = name.rfind(':'); colon != std::string_view::npos) {
    name.remove_prefix(colon + 1);
  }
  const std::string overload = *schema.overload == '\0' ? "" : std::string(".") + schema.overload;
  return fmt::format("native_call_{}{}", name, overload);
}

// Operators of the executor, and those that give a number and no tensor, are registered by hand in
// stock runtimes, and have no event of their own there.
bool has_call_event(const OperatorSchema& schema) {
  if (is_prim(schema)) return false;
  return std::any_of(schema.args, schema.args + std::strlen(schema.args), is_returned);
}

const char* instruction_name(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::kDelegate:
      return "DELEGATE_CALL";
    case InstructionKind::kMove:
      return "MOVE_CALL";
    case InstructionKind::kJumpFalse:
      return "JF_CALL";
    case InstructionKind::kFree:
      return "FREE_CALL";
    default:
      return "OPERATOR_CALL";
  }
}

}  // namespace

TraceRecorder::TraceRecorder(bool keep_bytes, uint64_t limit)
    : writer_(limit), limit_(limit), keep_bytes_(keep_bytes) {}

void TraceRecorder::add_method(const std::string& name, std::vector<int32_t> chain_begins) {
  chain_begins_.emplace(name, std::move(chain_begins));
}

EventPlace TraceRecorder::place_of(const runtime::LoadedMethod& method,
                                   uint32_t instruction) const {
  const std::vector<int32_t>& begins = chain_begins_.at(method.name);
  const auto index = static_cast<int32_t>(instruction);
  const auto next = std::upper_bound(begins.begin(), begins.end(), index);
  const auto chain = next - begins.begin() - 1;
  EventPlace place;
  place.chain = static_cast<int32_t>(chain);
  place.instruction = index - begins[static_cast<size_t>(chain)];
  return place;
}

void TraceRecorder::add_time(const EventPlace& place, std::string name, uint64_t start,
                             uint64_t end) {
  writer_.add(ProfileEvent{place, std::move(name), start, end});
}

void TraceRecorder::load_begins() {
  writer_.begin_run(kLoadRun);
  load_begin_ = now();
}

// One walk verifies and builds a method here, so that the two have the same times.
void TraceRecorder::load_ends() {
  const uint64_t end = now();
  add_time(EventPlace(), "Method::init", load_begin_, end);
  add_time(EventPlace(), "Program::load_method", load_begin_, end);
}

void TraceRecorder::run_begins() {
  writer_.begin_run(kExecuteRun, bundled_input_);
  run_begin_ = now();
}

void TraceRecorder::run_ends(const runtime::Method& method) {
  add_time(EventPlace(), "Method::execute", run_begin_, now());
  const runtime::LoadedMethod& records = method.records();
  for (uint32_t i = 0; i < records.output_count; ++i) {
    add_value(EventPlace(), records, records.outputs[i], true);
  }
}

void TraceRecorder::instruction_begins(const runtime::LoadedMethod& method, uint32_t instruction) {
  place_ = place_of(method, instruction);
  instruction_begin_ = now();
}

void TraceRecorder::step_begins() { step_begin_ = now(); }

// Stock runtimes name a delegate's own events by its id for them, and have no other name.
void TraceRecorder::step_ends(const char* name) {
  const uint64_t end = now();
  EventPlace place = place_;
  place.delegate_name = name;
  add_time(place, "", step_begin_, end);
}

void TraceRecorder::instruction_ends(const runtime::LoadedMethod& method, uint32_t index,
                                     Status status) {
  const uint64_t end = now();
  if (status != Status::kOk) return;  // nobody will see this trace
  const EventPlace& place = place_;
  const runtime::Instruction& instruction = method.instructions[index];
  if (instruction.what() == InstructionKind::kDelegate) {
    // Inputs and outputs alike; not what the record calls work memory.
    const runtime::DelegateEntry& entry = *instruction.delegate;
    const uint32_t named =
        entry.has_roles ? uint32_t{entry.inputs} + entry.outputs : instruction.count;
    for (uint32_t j = 0; j < named; ++j) add_value(place, method, instruction.args[j], false);
  }
  if (instruction.is_kernel() && has_call_event(*instruction.kernel->schema)) {
    const OperatorSchema& schema = *instruction.kernel->schema;
    for (uint32_t j = 0; schema.args[j] != '\0'; ++j) {
      if (is_returned(schema.args[j])) add_value(place, method, instruction.args[j], false);
    }
    add_time(place, call_name(schema), instruction_begin_, end);
  }
  add_time(place, instruction_name(instruction.what()), instruction_begin_, end);
}

void TraceRecorder::add_value(const EventPlace& place, const runtime::LoadedMethod& method,
                              const int32_t& value, bool is_output) {
  const runtime::EValue& cell = method.values[value];
  DebugEvent event;
  event.place = place;
  event.is_output = is_output;
  if (is_tensor_list(cell) || cell.tag == Tag::kTensor) {
    std::vector<TracedTensor> tensors;
    for (const int32_t entry : method.entries(value)) {
      if (entry < 0 || method.values[entry].tag != Tag::kTensor) return;
      const runtime::Tensor& tensor = *method.values[entry].tensor;
      if (!is_readable(tensor.dtype)) return;
      tensors.push_back(trace(tensor));
    }
    if (is_tensor_list(cell)) {
      event.value = std::move(tensors);
    } else {
      event.value = std::move(tensors.front());
    }
  } else {
    // Stock runtimes do not mark numbers as outputs.
    event.is_output = false;
    if (cell.tag == Tag::kInt) {
      event.value = cell.integer;
    } else if (cell.tag == Tag::kBool) {
      event.value = cell.boolean;
    } else if (cell.tag == Tag::kDouble) {
      event.value = cell.number;
    } else {
      return;
    }
  }
  writer_.add(event);
}

TracedTensor TraceRecorder::trace(const runtime::Tensor& tensor) {
  TracedTensor out;
  out.dtype = tensor.dtype;
  size_t strides[runtime::kMaxRank];
  compute_strides(tensor, strides);
  for (int d = 0; d < tensor.rank; ++d) {
    out.sizes.push_back(tensor.sizes[d]);
    out.strides.push_back(static_cast<int64_t>(strides[d]));
  }
  const size_t bytes = tensor.nbytes();
  if (!keep_bytes_ || bytes == 0) return out;
  const size_t begin = (values_.size() + kValueAlignment - 1) / kValueAlignment * kValueAlignment;
  values_full_ = values_full_ || begin + bytes > limit_;
  if (values_full_) return out;
  values_.resize(begin + bytes);
  std::memcpy(values_.data() + begin, tensor.data, bytes);
  out.offset = static_cast<int64_t>(begin);
  return out;
}

MaybeError TraceRecorder::finish(Bytes* etdump, Bytes* values) {
  const auto too_large = [&](const char* what) {
    return Error{what, fmt::format("the trace takes more than {} bytes; trace fewer runs", limit_)};
  };
  if (writer_.is_full()) return too_large("--etdump");
  if (values_full_) return too_large("--debug-buffer");
  *etdump = writer_.finish();
  *values = std::move(values_);
  return std::nullopt;
}

}  // namespace berth::tools
