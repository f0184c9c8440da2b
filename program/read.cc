// Order of reading: the shell (container.cc), then each method's lists, with every number checked
// against the list it points into; then constants are cut into pieces, the plan record is read,
// storages are formed, and the validator looks at the whole. What FlatBuffers' verifier has proven
// (offsets, lengths, strings) is trusted after it.
#include "program/read.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program/constant_pool.h"
#include "program/container.h"
#include "program/field_path.h"
#include "program/record.h"
#include "program/storages.h"
#include "program/unknown_fields.h"
#include "program/validate_program.h"

namespace berth::program {
namespace {

namespace fb = flatbuffers;
namespace pte = format::pte;

using Scope = FieldPath::Scope;

class Reader {
 public:
  Reader(std::span<const std::byte> file, const Container& container)
      : container_(container),
        wire_(*container.program),
        budget_(file.size()),
        unknown_(budget_),
        used_segments_(container.segments.size(), false) {}

  Result<Program> run() {
    if (auto error = read_program()) return *error;
    if (auto error = validate(program_, Placed::kYes)) return *error;
    return std::move(program_);
  }

 private:
  using Range = ConstantPool::Range;

  // --- small helpers ---

  Error missing(const char* field) const { return path_.error(field, "missing"); }
  Error exhausted() const { return Budget::exhausted(path_); }

  MaybeError read_text(const char* field, const fb::String* text, bool required, std::string* out) {
    if (text == nullptr) {
      if (required) return missing(field);
      return {};
    }
    if (!budget_.take(text->size())) return exhausted();
    *out = text->str();
    return {};
  }

  MaybeError read_bytes(std::span<const std::byte> bytes, Bytes* out) {
    if (!budget_.take(bytes.size())) return exhausted();
    out->assign(bytes.begin(), bytes.end());
    return {};
  }

  // A vector of numbers that must be there.
  template <typename To, typename From>
  MaybeError read_numbers(const char* field, const fb::Vector<From>* numbers,
                          std::vector<To>* out) {
    if (numbers == nullptr) return missing(field);
    if (!budget_.take(numbers->size(), sizeof(To))) return exhausted();
    out->resize(numbers->size());
    for (uint32_t i = 0; i < numbers->size(); ++i) (*out)[i] = static_cast<To>(numbers->Get(i));
    return {};
  }

  // --- the program ---

  MaybeError read_program() {
    unknown_.look(wire_, pte::Program::VT_NAMED_DATA, path_);
    program_.version = wire_.version();
    if (wire_.segments() != nullptr) {
      for (uint32_t i = 0; i < wire_.segments()->size(); ++i) {
        Scope scope(path_, "segments", i);
        unknown_.look(*wire_.segments()->Get(i), pte::DataSegment::VT_SIZE, path_);
      }
    }
    if (auto error = constants_.open(container_, &used_segments_)) return error;
    if (auto error = open_mutable_data()) return error;
    if (auto error = read_methods()) return error;
    if (auto error = constants_.build(budget_, &program_.constants)) return error;
    if (auto error = copy_mutable_data()) return error;
    std::span<const std::byte> record;
    if (auto error = read_named_data(&record)) return error;
    if (record.data() != nullptr) {
      if (auto error = read_record(record, budget_, &program_)) return error;
    }
    for (size_t m = 0; m < program_.methods.size(); ++m) {
      if (auto error = finish_tensors(m)) return error;
    }
    note_unused();
    if (unknown_.exhausted()) return exhausted();
    std::vector<std::string> names = unknown_.take();
    std::vector<std::string>& all = program_.unknown_fields;
    all.insert(all.begin(), std::make_move_iterator(names.begin()),
               std::make_move_iterator(names.end()));
    return {};
  }

  MaybeError open_mutable_data() {
    if (const auto* constants = wire_.constant_segment()) {
      Scope scope(path_, "constant_segment");
      unknown_.look(*constants, pte::SubsegmentOffsets::VT_OFFSETS, path_);
    }
    const auto* lists = wire_.mutable_data_segments();
    if (lists == nullptr || lists->size() == 0) return {};
    for (uint32_t i = 0; i < lists->size(); ++i) {
      Scope scope(path_, "mutable_data_segments", i);
      unknown_.look(*lists->Get(i), pte::SubsegmentOffsets::VT_OFFSETS, path_);
      if (i > 0) unknown_.note(path_.text() + " (runtimes read the first only)");
    }
    const pte::SubsegmentOffsets& first = *lists->Get(0);
    if (first.segment_index() >= container_.segments.size()) {
      return Error{"mutable_data_segments[0].segment_index",
                   fmt::format("{}; the file has {} segments", first.segment_index(),
                               container_.segments.size())};
    }
    used_segments_[first.segment_index()] = true;
    mutable_bytes_ = container_.segments[first.segment_index()];
    mutable_offsets_ = first.offsets();
    return {};
  }

  // State has initial bytes at offsets[index]; noted here, copied when all are known.
  MaybeError add_mutable(uint32_t index, uint64_t nbytes) {
    const uint32_t count = mutable_offsets_ == nullptr ? 0 : mutable_offsets_->size();
    if (index >= count) {
      return path_.error("data_buffer_idx",
                         fmt::format("{}, with an allocation: initial state; mutable_data_segments "
                                     "has {}",
                                     index, count == 0 ? 0 : count - 1));
    }
    const uint64_t begin = mutable_offsets_->Get(index);
    if (begin > mutable_bytes_.size() || nbytes > mutable_bytes_.size() - begin) {
      return path_.error("data_buffer_idx",
                         fmt::format("{}: {} bytes of initial state at {}; the segment has {}",
                                     index, nbytes, begin, mutable_bytes_.size()));
    }
    uint64_t& size = mutable_sizes_[index];
    size = std::max(size, nbytes);
    return {};
  }

  MaybeError copy_mutable_data() {
    for (const auto& [index, size] : mutable_sizes_) {
      mutable_places_[index] = static_cast<int32_t>(program_.mutable_data.size());
      program_.mutable_data.emplace_back();
      const auto bytes = mutable_bytes_.subspan(mutable_offsets_->Get(index), size);
      if (auto error = read_bytes(bytes, &program_.mutable_data.back())) return error;
    }
    return {};
  }

  MaybeError read_named_data(std::span<const std::byte>* record) {
    const auto* entries = wire_.named_data();
    if (entries == nullptr) return {};
    if (!budget_.take(entries->size(), sizeof(NamedData))) return exhausted();
    program_.named_data.reserve(entries->size());
    for (uint32_t i = 0; i < entries->size(); ++i) {
      Scope scope(path_, "named_data", i);
      const pte::NamedData& entry = *entries->Get(i);
      unknown_.look(entry, pte::NamedData::VT_SEGMENT_INDEX, path_);
      NamedData out;
      if (auto error = read_text("key", entry.key(), /*required=*/true, &out.key)) return error;
      if (entry.segment_index() >= container_.segments.size()) {
        return path_.error("segment_index",
                           fmt::format("{}; the file has {} segments", entry.segment_index(),
                                       container_.segments.size()));
      }
      used_segments_[entry.segment_index()] = true;
      const auto bytes = container_.segments[entry.segment_index()];
      if (out.key == kPlanRecordKey) {
        if (record->data() != nullptr) return path_.error("key", "a second plan record");
        if (bytes.empty()) return path_.error("segment_index", "a plan record of 0 bytes");
        *record = bytes;
        continue;
      }
      if (auto error = read_bytes(bytes, &out.bytes)) return error;
      program_.named_data.push_back(std::move(out));
    }
    return {};
  }

  // Bytes that nothing points to belong to something we do not know.
  void note_unused() {
    for (size_t i = 0; i < used_segments_.size(); ++i) {
      if (used_segments_[i] || container_.segments[i].empty()) continue;
      unknown_.note(fmt::format("segments[{}] (nothing refers to it)", i));
    }
  }

  // --- methods ---

  MaybeError read_methods() {
    const auto* plans = wire_.execution_plan();
    if (plans == nullptr) return missing("execution_plan");
    if (!budget_.take(plans->size(), sizeof(Method) + sizeof(std::vector<RawTensor>))) {
      return exhausted();
    }
    program_.methods.resize(plans->size());
    tensors_.resize(plans->size());
    for (uint32_t i = 0; i < plans->size(); ++i) {
      Scope scope(path_, "execution_plan", i);
      method_ = &program_.methods[i];
      method_tensors_ = &tensors_[i];
      if (auto error = read_method(*plans->Get(i))) return error;
    }
    return {};
  }

  MaybeError read_method(const pte::ExecutionPlan& plan) {
    unknown_.look(plan, pte::ExecutionPlan::VT_NON_CONST_BUFFER_DEVICE, path_);
    Method& m = *method_;
    if (auto error = read_text("name", plan.name(), /*required=*/true, &m.name)) return error;
    if (const pte::ContainerMetadata* trees = plan.container_meta_type()) {
      Scope scope(path_, "container_meta_type");
      unknown_.look(*trees, pte::ContainerMetadata::VT_ENCODED_OUT_STR, path_);
      if (auto error = read_text("encoded_inp_str", trees->encoded_inp_str(), false, &m.input_tree))
        return error;
      if (auto error =
              read_text("encoded_out_str", trees->encoded_out_str(), false, &m.output_tree))
        return error;
    }
    if (auto error = read_pools(plan)) return error;
    if (auto error = read_values(plan)) return error;
    if (auto error = read_numbers("inputs", plan.inputs(), &m.inputs)) return error;
    if (auto error = read_numbers("outputs", plan.outputs(), &m.outputs)) return error;
    if (auto error = read_operators(plan)) return error;
    if (auto error = read_delegates(plan)) return error;
    return read_chains(plan);
  }

  MaybeError read_pools(const pte::ExecutionPlan& plan) {
    const auto* sizes = plan.non_const_buffer_sizes();
    if (sizes == nullptr) return missing("non_const_buffer_sizes");
    if (sizes->size() > kMaxMemId + 1) {
      return path_.error("non_const_buffer_sizes", fmt::format("{} arenas; must be at most {}",
                                                               sizes->size() - 1, kMaxMemId));
    }
    if (!budget_.take(sizes->size(), sizeof(PoolSize))) return exhausted();
    std::vector<PoolSize>& pools = method_->pools;
    for (uint32_t i = 1; i < sizes->size(); ++i) {
      if (sizes->Get(i) < 0) {
        return path_.error(fmt::format("non_const_buffer_sizes[{}]", i),
                           fmt::format("{}; must not be negative", sizes->Get(i)));
      }
      pools.push_back({i, static_cast<uint64_t>(sizes->Get(i)), 0, 0});
    }
    const auto* devices = plan.non_const_buffer_device();
    if (devices == nullptr) return {};
    for (uint32_t i = 0; i < devices->size(); ++i) {
      Scope scope(path_, "non_const_buffer_device", i);
      const pte::NonConstBufferDevice& device = *devices->Get(i);
      unknown_.look(device, pte::NonConstBufferDevice::VT_DEVICE_INDEX, path_);
      if (device.buffer_idx() < 1 || static_cast<size_t>(device.buffer_idx()) > pools.size()) {
        return path_.error("buffer_idx", fmt::format("{}; must be 1..{} (arenas)",
                                                     device.buffer_idx(), pools.size()));
      }
      PoolSize& pool = pools[static_cast<size_t>(device.buffer_idx()) - 1];
      pool.device_type = static_cast<int8_t>(device.device_type());
      pool.device_index = device.device_index();
    }
    return {};
  }

  MaybeError read_operators(const pte::ExecutionPlan& plan) {
    if (plan.operators() == nullptr) return {};
    if (!budget_.take(plan.operators()->size(), sizeof(Operator))) return exhausted();
    method_->operators.resize(plan.operators()->size());
    for (uint32_t i = 0; i < plan.operators()->size(); ++i) {
      Scope scope(path_, "operators", i);
      const pte::Operator& op = *plan.operators()->Get(i);
      unknown_.look(op, pte::Operator::VT_OVERLOAD, path_);
      Operator& out = method_->operators[i];
      if (auto error = read_text("name", op.name(), /*required=*/true, &out.name)) return error;
      if (auto error = read_text("overload", op.overload(), /*required=*/false, &out.overload))
        return error;
    }
    return {};
  }

  // --- delegates ---

  MaybeError read_delegates(const pte::ExecutionPlan& plan) {
    if (plan.delegates() == nullptr) return missing("delegates");
    if (!budget_.take(plan.delegates()->size(), sizeof(Delegate))) return exhausted();
    method_->delegates.resize(plan.delegates()->size());
    for (uint32_t i = 0; i < plan.delegates()->size(); ++i) {
      Scope scope(path_, "delegates", i);
      const pte::BackendDelegate& delegate = *plan.delegates()->Get(i);
      unknown_.look(delegate, pte::BackendDelegate::VT_COMPILE_SPECS, path_);
      Delegate& out = method_->delegates[i];
      if (auto error = read_text("id", delegate.id(), /*required=*/true, &out.id)) return error;
      if (delegate.processed() == nullptr) return missing("processed");
      if (auto error = read_blob(*delegate.processed(), &out.data)) return error;
      if (auto error = read_compile_specs(delegate, &out)) return error;
    }
    return {};
  }

  MaybeError read_blob(const pte::BackendDelegateDataReference& reference, int32_t* out) {
    Scope scope(path_, "processed");
    unknown_.look(reference, pte::BackendDelegateDataReference::VT_INDEX, path_);
    const auto location = static_cast<int>(reference.location());
    const uint32_t index = reference.index();
    if (location != 0 && location != 1) {
      return path_.error("location",
                         fmt::format("{}; must be 0 (inline) or 1 (segment)", location));
    }
    const bool in_segment = location == 1;
    const auto* inline_blobs = wire_.backend_delegate_data();
    const size_t count = in_segment                ? container_.segments.size()
                         : inline_blobs != nullptr ? inline_blobs->size()
                                                   : 0;
    if (index >= count) {
      return path_.error("index", fmt::format("{}; the file has {} {}", index, count,
                                              in_segment ? "segments" : "inline blobs"));
    }
    auto [entry, is_new] = blobs_.emplace(std::pair(location, index), -1);
    if (is_new) {
      entry->second = static_cast<int32_t>(program_.delegate_data.size());
      program_.delegate_data.emplace_back();
      std::span<const std::byte> bytes;
      if (in_segment) {
        bytes = container_.segments[index];
        used_segments_[index] = true;
      } else {
        const pte::BackendDelegateInlineData& blob = *inline_blobs->Get(index);
        unknown_.look(blob, pte::BackendDelegateInlineData::VT_DATA, path_);
        if (blob.data() != nullptr) bytes = bytes_of(*blob.data());
      }
      if (auto error = read_bytes(bytes, &program_.delegate_data.back())) return error;
    }
    *out = entry->second;
    return {};
  }

  static std::span<const std::byte> bytes_of(const fb::Vector<uint8_t>& bytes) {
    return {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()};
  }

  MaybeError read_compile_specs(const pte::BackendDelegate& delegate, Delegate* out) {
    const auto* specs = delegate.compile_specs();
    if (specs == nullptr) return {};
    if (!budget_.take(specs->size(), sizeof(CompileSpec))) return exhausted();
    out->compile_specs.resize(specs->size());
    for (uint32_t i = 0; i < specs->size(); ++i) {
      Scope scope(path_, "compile_specs", i);
      const pte::CompileSpec& spec = *specs->Get(i);
      unknown_.look(spec, pte::CompileSpec::VT_VALUE, path_);
      CompileSpec& target = out->compile_specs[i];
      if (auto error = read_text("key", spec.key(), /*required=*/true, &target.key)) return error;
      if (spec.value() == nullptr) return missing("value");
      if (auto error = read_bytes(bytes_of(*spec.value()), &target.value)) return error;
    }
    return {};
  }

  // --- instructions ---

  MaybeError read_chains(const pte::ExecutionPlan& plan) {
    if (plan.chains() == nullptr) return missing("chains");
    if (plan.chains()->size() == 0)
      return path_.error("chains", "empty; a method has at least one");
    Method& m = *method_;
    if (!budget_.take(plan.chains()->size(), sizeof(int32_t))) return exhausted();
    m.chain_begins.clear();
    uint64_t total = 0;
    bool traced = false;
    for (uint32_t c = 0; c < plan.chains()->size(); ++c) {
      const pte::Chain& chain = *plan.chains()->Get(c);
      Scope scope(path_, "chains", c);
      if (chain.instructions() == nullptr) return missing("instructions");
      total += chain.instructions()->size();
      traced = traced || (chain.stacktrace() != nullptr && chain.stacktrace()->size() > 0);
    }
    if (!budget_.take(total, sizeof(Instruction) + (traced ? sizeof(FrameList) : 0))) {
      return exhausted();
    }
    m.instructions.reserve(total);
    if (traced) m.stacktrace.resize(total);
    for (uint32_t c = 0; c < plan.chains()->size(); ++c) {
      Scope scope(path_, "chains", c);
      if (auto error = read_chain(*plan.chains()->Get(c))) return error;
    }
    return {};
  }

  MaybeError read_chain(const pte::Chain& chain) {
    unknown_.look(chain, pte::Chain::VT_STACKTRACE, path_);
    if (chain.inputs() != nullptr && chain.inputs()->size() > 0) {
      unknown_.note(path_.text("inputs") + " (unused by all known runtimes, but not empty)");
    }
    if (chain.outputs() != nullptr && chain.outputs()->size() > 0) {
      unknown_.note(path_.text("outputs") + " (unused by all known runtimes, but not empty)");
    }
    Method& m = *method_;
    const size_t begin = m.instructions.size();
    m.chain_begins.push_back(static_cast<int32_t>(begin));
    const uint32_t count = chain.instructions()->size();
    for (uint32_t i = 0; i < count; ++i) {
      Scope scope(path_, "instructions", i);
      m.instructions.emplace_back();
      if (auto error =
              read_instruction(*chain.instructions()->Get(i), begin, count, &m.instructions.back()))
        return error;
    }
    const auto* traces = chain.stacktrace();
    if (traces == nullptr || traces->size() == 0) return {};
    if (traces->size() != count) {
      unknown_.note(fmt::format("{} ({} lists for {} instructions)", path_.text("stacktrace"),
                                traces->size(), count));
      return {};
    }
    for (uint32_t i = 0; i < count; ++i) {
      Scope scope(path_, "stacktrace", i);
      if (auto error = read_frames(*traces->Get(i), &m.stacktrace[begin + i])) return error;
    }
    return {};
  }

  MaybeError read_frames(const pte::FrameList& list, FrameList* out) {
    unknown_.look(list, pte::FrameList::VT_ITEMS, path_);
    if (list.items() == nullptr) return {};
    if (!budget_.take(list.items()->size(), sizeof(Frame))) return exhausted();
    out->resize(list.items()->size());
    for (uint32_t i = 0; i < list.items()->size(); ++i) {
      Scope scope(path_, "items", i);
      const pte::Frame& frame = *list.items()->Get(i);
      unknown_.look(frame, pte::Frame::VT_CONTEXT, path_);
      Frame& target = (*out)[i];
      target.lineno = frame.lineno();
      if (auto error = read_text("filename", frame.filename(), false, &target.filename))
        return error;
      if (auto error = read_text("name", frame.name(), false, &target.name)) return error;
      if (auto error = read_text("context", frame.context(), false, &target.context)) return error;
    }
    return {};
  }

  MaybeError read_instruction(const pte::Instruction& instruction, size_t chain_begin,
                              uint32_t count, Instruction* out) {
    unknown_.look(instruction, pte::Instruction::VT_INSTR_ARGS, path_);
    const auto type = static_cast<int>(instruction.instr_args_type());
    if (type < 1 || type > static_cast<int>(pte::InstructionArguments::MAX)) {
      return path_.error(
          "instr_args_type",
          fmt::format("{}; must be 1..{}", type, static_cast<int>(pte::InstructionArguments::MAX)));
    }
    if (instruction.instr_args() == nullptr) return missing("instr_args");
    Scope scope(path_, "instr_args");
    if (const pte::KernelCall* call = instruction.instr_args_as_KernelCall()) {
      unknown_.look(*call, pte::KernelCall::VT_ARGS, path_);
      KernelCall kernel;
      kernel.op = call->op_index();
      if (auto error = read_numbers("args", call->args(), &kernel.args)) return error;
      out->call = std::move(kernel);
    } else if (const pte::DelegateCall* delegate = instruction.instr_args_as_DelegateCall()) {
      DelegateCall target;
      target.newer_fields = unknown_.look(*delegate, pte::DelegateCall::VT_ARGS, path_);
      target.delegate = delegate->delegate_index();
      if (auto error = read_numbers("args", delegate->args(), &target.args)) return error;
      out->call = std::move(target);
    } else if (const pte::MoveCall* move = instruction.instr_args_as_MoveCall()) {
      unknown_.look(*move, pte::MoveCall::VT_MOVE_TO, path_);
      out->call = MoveCall{move->move_from(), move->move_to()};
    } else if (const pte::JumpFalseCall* jump = instruction.instr_args_as_JumpFalseCall()) {
      unknown_.look(*jump, pte::JumpFalseCall::VT_DESTINATION_INSTRUCTION, path_);
      const int32_t target = jump->destination_instruction();
      if (target < 0 || static_cast<uint32_t>(target) > count) {
        return path_.error("destination_instruction",
                           fmt::format("{}; must be 0..{}", target, count));
      }
      out->call =
          JumpFalseCall{jump->cond_value_index(), static_cast<int32_t>(chain_begin) + target};
    } else if (const pte::FreeCall* free = instruction.instr_args_as_FreeCall()) {
      unknown_.look(*free, pte::FreeCall::VT_VALUE_INDEX, path_);
      out->call = FreeCall{free->value_index()};
    }
    return {};
  }

  // --- values ---

  MaybeError read_values(const pte::ExecutionPlan& plan) {
    if (plan.values() == nullptr) return missing("values");
    if (!budget_.take(plan.values()->size(), sizeof(Value))) return exhausted();
    method_->values.resize(plan.values()->size());
    for (uint32_t i = 0; i < plan.values()->size(); ++i) {
      Scope scope(path_, "values", i);
      if (auto error = read_value(*plan.values()->Get(i), static_cast<int32_t>(i))) return error;
    }
    return {};
  }

  MaybeError read_value(const pte::EValue& value, int32_t index) {
    unknown_.look(value, pte::EValue::VT_VAL, path_);
    Value& out = method_->values[static_cast<size_t>(index)];
    const auto type = static_cast<int>(value.val_type());
    if (type < 1 || type > static_cast<int>(pte::KernelTypes::MAX)) {
      return path_.error("val_type", fmt::format("{}; must be 1..{}", type,
                                                 static_cast<int>(pte::KernelTypes::MAX)));
    }
    if (value.val() == nullptr) {
      if (value.val_type() == pte::KernelTypes::Null) return {};
      return missing("val");
    }
    if (const auto* tensor = value.val_as_Tensor()) return read_tensor(*tensor, index);
    if (const auto* none = value.val_as_Null()) {
      unknown_.look(*none, kNoFields, path_);
    } else if (const auto* number = value.val_as_Int()) {
      unknown_.look(*number, pte::Int::VT_INT_VAL, path_);
      out.data = int64_t{number->int_val()};
    } else if (const auto* flag = value.val_as_Bool()) {
      unknown_.look(*flag, pte::Bool::VT_BOOL_VAL, path_);
      out.data = flag->bool_val();
    } else if (const auto* real = value.val_as_Double()) {
      unknown_.look(*real, pte::Double::VT_DOUBLE_VAL, path_);
      out.data = real->double_val();
    } else if (const auto* text = value.val_as_String()) {
      unknown_.look(*text, pte::String::VT_STRING_VAL, path_);
      return read_text("string_val", text->string_val(), true, &out.data.emplace<std::string>());
    } else if (const auto* ints = value.val_as_IntList()) {
      unknown_.look(*ints, pte::IntList::VT_ITEMS, path_);
      return read_numbers("items", ints->items(), &out.data.emplace<IntList>().values);
    } else if (const auto* doubles = value.val_as_DoubleList()) {
      unknown_.look(*doubles, pte::DoubleList::VT_ITEMS, path_);
      return read_numbers("items", doubles->items(), &out.data.emplace<DoubleList>().items);
    } else if (const auto* bools = value.val_as_BoolList()) {
      unknown_.look(*bools, pte::BoolList::VT_ITEMS, path_);
      return read_numbers("items", bools->items(), &out.data.emplace<BoolList>().items);
    } else if (const auto* tensors = value.val_as_TensorList()) {
      unknown_.look(*tensors, pte::TensorList::VT_ITEMS, path_);
      return read_numbers("items", tensors->items(), &out.data.emplace<TensorList>().values);
    } else if (const auto* options = value.val_as_OptionalTensorList()) {
      unknown_.look(*options, pte::OptionalTensorList::VT_ITEMS, path_);
      return read_numbers("items", options->items(),
                          &out.data.emplace<OptionalTensorList>().values);
    }
    return {};
  }

  // What form_storages needs, but constants and state still by their number in the file.
  struct RawTensor {
    TensorPlace place;
    Range constant;
    bool is_constant = false;
    uint32_t mutable_index = 0;  // 0: none
  };

  MaybeError read_tensor(const pte::Tensor& tensor, int32_t index) {
    unknown_.look(tensor, pte::Tensor::VT_EXTRA_TENSOR_INFO, path_);
    Tensor& out = method_->values[static_cast<size_t>(index)].data.emplace<Tensor>();
    out.dtype = static_cast<ScalarType>(tensor.scalar_type());
    if (tensor.storage_offset() != 0) {
      return path_.error("storage_offset", fmt::format("{}; must be 0", tensor.storage_offset()));
    }
    if (auto error = read_numbers("sizes", tensor.sizes(), &out.sizes)) return error;
    if (auto error = read_numbers("dim_order", tensor.dim_order(), &out.dim_order)) return error;
    out.requires_grad = tensor.requires_grad();
    out.layout = tensor.layout();
    out.dynamism = static_cast<Dynamism>(tensor.shape_dynamism());
    if (const pte::ExtraTensorInfo* extra = tensor.extra_tensor_info()) {
      if (auto error = read_extra(*extra, &out)) return error;
    }
    if (auto error = check_tensor(out, path_)) return error;
    return place_tensor(tensor, out, index);
  }

  MaybeError read_extra(const pte::ExtraTensorInfo& extra, Tensor* out) {
    Scope scope(path_, "extra_tensor_info");
    unknown_.look(extra, pte::ExtraTensorInfo::VT_DEVICE_INDEX, path_);
    out->has_extra = true;
    out->mutable_data_segments_idx = extra.mutable_data_segments_idx();
    const auto location = static_cast<int>(extra.location());
    if (location != 0 && location != 1) {
      return path_.error("location",
                         fmt::format("{}; must be 0 (segment) or 1 (external)", location));
    }
    out->external = location == 1;
    out->device_type = static_cast<int8_t>(extra.device_type());
    out->device_index = extra.device_index();
    return read_text("fully_qualified_name", extra.fully_qualified_name(), false,
                     &out->fully_qualified_name);
  }

  MaybeError place_tensor(const pte::Tensor& tensor, const Tensor& out, int32_t index) {
    RawTensor raw;
    raw.place.value = index;
    if (!tensor_nbytes(out, &raw.place.nbytes)) return missing("sizes");  // check_tensor was here
    if (const pte::AllocationDetails* allocation = tensor.allocation_info()) {
      if (auto error = read_allocation(*allocation, &raw.place)) return error;
    }
    const uint32_t data = tensor.data_buffer_idx();
    if (data != 0 && !out.external) {
      if (tensor.allocation_info() != nullptr) {
        if (auto error = add_mutable(data, raw.place.nbytes)) return error;
        raw.mutable_index = data;
      } else {
        const auto range = constants_.add(data, raw.place.nbytes, path_);
        if (!range.ok()) return range.error();
        raw.constant = range.value();
        raw.is_constant = true;
      }
    }
    // The tensor's storage, and this note of where it is.
    if (!budget_.take(1, sizeof(RawTensor) + sizeof(TensorPlace) + sizeof(Storage) + sizeof(Range)))
      return exhausted();
    method_tensors_->push_back(raw);
    return {};
  }

  MaybeError read_allocation(const pte::AllocationDetails& allocation, TensorPlace* place) {
    Scope scope(path_, "allocation_info");
    unknown_.look(allocation, pte::AllocationDetails::VT_MEMORY_OFFSET_HIGH, path_);
    const std::vector<PoolSize>& pools = method_->pools;
    if (allocation.memory_id() == 0 || allocation.memory_id() > pools.size()) {
      return path_.error("memory_id", fmt::format("{}; must be 1..{} (arenas of the method)",
                                                  allocation.memory_id(), pools.size()));
    }
    place->mem_id = allocation.memory_id();
    place->offset =
        uint64_t{allocation.memory_offset_high()} << 32 | allocation.memory_offset_low();
    const uint64_t have = pools[place->mem_id - 1].bytes;
    uint64_t end = 0;
    if (!checked_add(place->offset, place->nbytes, &end) || end > have) {
      return path_.error("memory_offset_low",
                         fmt::format("offset {} and {} bytes from there; arena {} has {}",
                                     place->offset, place->nbytes, place->mem_id, have));
    }
    return {};
  }

  MaybeError finish_tensors(size_t m) {
    std::vector<TensorPlace> places;
    places.reserve(tensors_[m].size());
    for (const RawTensor& raw : tensors_[m]) {
      TensorPlace place = raw.place;
      if (raw.is_constant) {
        const ConstantPool::Place found = constants_.find(raw.constant);
        place.data = found.piece;
        place.data_offset = found.offset;
      } else if (raw.mutable_index != 0) {
        place.data = mutable_places_.at(raw.mutable_index);
      }
      places.push_back(place);
    }
    return form_storages(places, program_.methods[m]);
  }

  const Container& container_;
  const pte::Program& wire_;
  Budget budget_;
  UnknownFields unknown_;
  FieldPath path_;
  Program program_;
  std::vector<bool> used_segments_;
  ConstantPool constants_;
  std::span<const std::byte> mutable_bytes_;
  const fb::Vector<uint64_t>* mutable_offsets_ = nullptr;
  std::map<uint32_t, uint64_t> mutable_sizes_;  // by index in the file
  std::map<uint32_t, int32_t> mutable_places_;  // the same, to Program::mutable_data
  std::map<std::pair<int, uint32_t>, int32_t> blobs_;
  std::vector<std::vector<RawTensor>> tensors_;  // per method
  Method* method_ = nullptr;                     // the one being read
  std::vector<RawTensor>* method_tensors_ = nullptr;
};

}  // namespace

Result<Program> read(std::span<const std::byte> file) {
  auto container = open_container(file);
  if (!container.ok()) return container.error();
  return Reader(file, container.value()).run();
}

}  // namespace berth::program
