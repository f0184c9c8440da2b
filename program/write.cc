// Builds the FlatBuffer; segment_layout.cc says where bulk bytes go and joins both.
//
// Builder calls never stand inside the arguments of another: compilers order arguments as they
// like, and the order of calls is the order of bytes.
#include "program/write.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <vector>

#include "format/program_generated.h"
#include "program/segment_layout.h"
#include "program/validate_program.h"

namespace berth::program {
namespace {

namespace fb = flatbuffers;
namespace pte = format::pte;

constexpr uint64_t kMaxProgramBytes = uint64_t{1} << 30;  // FlatBuffers ends at 2 GiB

const uint8_t* data_of(const Bytes& bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// A generous count of the FlatBuffer's bytes, so that the builder never meets its own limit, which
// is an abort.
uint64_t estimate_program_bytes(const Program& program) {
  uint64_t sum = 4096;
  for (const NamedData& entry : program.named_data) sum += 64 + entry.key.size();
  sum +=
      32 * (program.constants.size() + program.mutable_data.size() + program.delegate_data.size());
  for (const Method& method : program.methods) {
    sum += 1024 + method.name.size() + method.input_tree.size() + method.output_tree.size();
    sum += 4 * (method.inputs.size() + method.outputs.size());
    sum += method.pools.empty() ? 0 : 8 * uint64_t{method.pools.back().mem_id};
    sum += 64 * method.pools.size();
    for (const Value& value : method.values) {
      sum += 160 + value.name.size();
      if (const Tensor* tensor = value.tensor()) {
        sum += 5 * tensor->sizes.size() + tensor->fully_qualified_name.size();
      } else if (const auto* text = std::get_if<std::string>(&value.data)) {
        sum += text->size();
      } else if (const auto* ints = std::get_if<IntList>(&value.data)) {
        sum += 8 * ints->values.size();
      } else if (const auto* doubles = std::get_if<DoubleList>(&value.data)) {
        sum += 8 * doubles->items.size();
      } else if (const auto* bools = std::get_if<BoolList>(&value.data)) {
        sum += bools->items.size();
      } else if (const auto* tensors = std::get_if<TensorList>(&value.data)) {
        sum += 4 * tensors->values.size();
      } else if (const auto* options = std::get_if<OptionalTensorList>(&value.data)) {
        sum += 4 * options->values.size();
      }
    }
    for (const Instruction& instruction : method.instructions) {
      sum += 96 + 16 * instruction.in_place.size();
      if (const auto* call = std::get_if<KernelCall>(&instruction.call))
        sum += 4 * call->args.size();
      if (const auto* call = std::get_if<DelegateCall>(&instruction.call))
        sum += 4 * call->args.size();
    }
    for (const Operator& op : method.operators) sum += 64 + op.name.size() + op.overload.size();
    for (const Delegate& delegate : method.delegates) {
      sum += 128 + delegate.id.size();
      for (const CompileSpec& spec : delegate.compile_specs) {
        sum += 64 + spec.key.size() + spec.value.size();
      }
    }
    for (const FrameList& frames : method.stacktrace) {
      sum += 32;
      for (const Frame& frame : frames) {
        sum += 96 + frame.filename.size() + frame.name.size() + frame.context.size();
      }
    }
    if (method.plan) {
      sum += method.plan->planner.size() + 4 * method.plan->value_buffer.size();
      for (const RecordedBuffer& buffer : method.plan->buffers) {
        sum += 64 + 8 * buffer.live.size() + buffer.name.size();
      }
    }
  }
  return sum;
}

class Writer {
 public:
  Writer(const Program& program, const SegmentLayout& layout)
      : program_(program), layout_(layout) {}

  std::span<const std::byte> build_program() {
    std::vector<fb::Offset<pte::ExecutionPlan>> plans;
    for (const Method& method : program_.methods) plans.push_back(build_method(method));
    std::vector<fb::Offset<pte::DataSegment>> segments;
    for (const SegmentLayout::Segment& segment : layout_.segments()) {
      segments.push_back(pte::CreateDataSegment(builder_, segment.offset, segment.size));
    }
    std::vector<fb::Offset<pte::SubsegmentOffsets>> mutable_segments;
    if (!program_.mutable_data.empty()) {
      const auto offsets = builder_.CreateVector(layout_.mutable_offsets());
      mutable_segments.push_back(
          pte::CreateSubsegmentOffsets(builder_, layout_.mutable_segment(), offsets));
    }
    std::vector<fb::Offset<pte::NamedData>> named;
    for (const auto& [key, segment] : layout_.named_data()) {
      const auto name = builder_.CreateString(key.data(), key.size());
      named.push_back(pte::CreateNamedData(builder_, name, segment));
    }
    const auto offsets = builder_.CreateVector(layout_.constant_offsets());
    const auto constants = pte::CreateSubsegmentOffsets(builder_, 0, offsets);
    const auto plan_list = builder_.CreateVector(plans);
    const auto buffers = builder_.CreateVector(std::vector<fb::Offset<pte::Buffer>>());
    const auto inline_data =
        builder_.CreateVector(std::vector<fb::Offset<pte::BackendDelegateInlineData>>());
    const auto segment_list = builder_.CreateVector(segments);
    fb::Offset<fb::Vector<fb::Offset<pte::SubsegmentOffsets>>> mutable_list;
    if (!mutable_segments.empty()) mutable_list = builder_.CreateVector(mutable_segments);
    fb::Offset<fb::Vector<fb::Offset<pte::NamedData>>> named_list;
    if (!named.empty()) named_list = builder_.CreateVector(named);
    const auto root =
        pte::CreateProgram(builder_, program_.version, plan_list, buffers, inline_data,
                           segment_list, constants, mutable_list, named_list);
    builder_.Finish(root, pte::ProgramIdentifier());
    return {reinterpret_cast<const std::byte*>(builder_.GetBufferPointer()), builder_.GetSize()};
  }

 private:
  fb::Offset<pte::ExecutionPlan> build_method(const Method& method) {
    covering_ = covering_values(method);
    std::vector<fb::Offset<pte::EValue>> values;
    for (size_t i = 0; i < method.values.size(); ++i) values.push_back(build_value(method, i));
    std::vector<fb::Offset<pte::Chain>> chains;
    for (size_t c = 0; c < method.chain_begins.size(); ++c)
      chains.push_back(build_chain(method, c));
    std::vector<fb::Offset<pte::Operator>> operators;
    for (const Operator& op : method.operators) {
      const auto name = builder_.CreateString(op.name);
      const auto overload = builder_.CreateString(op.overload);
      operators.push_back(pte::CreateOperator(builder_, name, overload));
    }
    std::vector<fb::Offset<pte::BackendDelegate>> delegates;
    for (const Delegate& delegate : method.delegates) delegates.push_back(build_delegate(delegate));

    std::vector<int64_t> sizes(1, 0);
    std::vector<fb::Offset<pte::NonConstBufferDevice>> devices;
    for (const PoolSize& pool : method.pools) {
      sizes.resize(pool.mem_id, 0);
      sizes.push_back(static_cast<int64_t>(pool.bytes));
      if (pool.device_type == 0 && pool.device_index == 0) continue;
      devices.push_back(pte::CreateNonConstBufferDevice(
          builder_, static_cast<int32_t>(pool.mem_id),
          static_cast<pte::DeviceType>(pool.device_type), pool.device_index));
    }
    const auto name = builder_.CreateString(method.name);
    const auto input_tree = builder_.CreateString(method.input_tree);
    const auto output_tree = builder_.CreateString(method.output_tree);
    const auto trees = pte::CreateContainerMetadata(builder_, input_tree, output_tree);
    const auto value_list = builder_.CreateVector(values);
    const auto inputs = builder_.CreateVector(method.inputs);
    const auto outputs = builder_.CreateVector(method.outputs);
    const auto chain_list = builder_.CreateVector(chains);
    const auto operator_list = builder_.CreateVector(operators);
    const auto delegate_list = builder_.CreateVector(delegates);
    const auto size_list = builder_.CreateVector(sizes);
    fb::Offset<fb::Vector<fb::Offset<pte::NonConstBufferDevice>>> device_list;
    if (!devices.empty()) device_list = builder_.CreateVector(devices);
    return pte::CreateExecutionPlan(builder_, name, trees, value_list, inputs, outputs, chain_list,
                                    operator_list, delegate_list, size_list, device_list);
  }

  fb::Offset<pte::EValue> build_value(const Method& method, size_t index) {
    const Value& value = method.values[index];
    pte::KernelTypes type = pte::KernelTypes::NONE;
    fb::Offset<void> payload;
    if (std::holds_alternative<std::monostate>(value.data)) {
      type = pte::KernelTypes::Null;
      payload = pte::CreateNull(builder_).Union();
    } else if (const auto* number = std::get_if<int64_t>(&value.data)) {
      type = pte::KernelTypes::Int;
      payload = pte::CreateInt(builder_, *number).Union();
    } else if (const auto* flag = std::get_if<bool>(&value.data)) {
      type = pte::KernelTypes::Bool;
      payload = pte::CreateBool(builder_, *flag).Union();
    } else if (const auto* real = std::get_if<double>(&value.data)) {
      type = pte::KernelTypes::Double;
      payload = pte::CreateDouble(builder_, *real).Union();
    } else if (const auto* text = std::get_if<std::string>(&value.data)) {
      type = pte::KernelTypes::String;
      const auto string = builder_.CreateString(*text);
      payload = pte::CreateString(builder_, string).Union();
    } else if (const auto* tensor = std::get_if<Tensor>(&value.data)) {
      type = pte::KernelTypes::Tensor;
      payload = build_tensor(method, *tensor, index).Union();
    } else if (const auto* ints = std::get_if<IntList>(&value.data)) {
      type = pte::KernelTypes::IntList;
      const auto items = builder_.CreateVector(ints->values);
      payload = pte::CreateIntList(builder_, items).Union();
    } else if (const auto* doubles = std::get_if<DoubleList>(&value.data)) {
      type = pte::KernelTypes::DoubleList;
      const auto items = builder_.CreateVector(doubles->items);
      payload = pte::CreateDoubleList(builder_, items).Union();
    } else if (const auto* bools = std::get_if<BoolList>(&value.data)) {
      type = pte::KernelTypes::BoolList;
      const auto items = builder_.CreateVector(bools->items);
      payload = pte::CreateBoolList(builder_, items).Union();
    } else if (const auto* tensors = std::get_if<TensorList>(&value.data)) {
      type = pte::KernelTypes::TensorList;
      const auto items = builder_.CreateVector(tensors->values);
      payload = pte::CreateTensorList(builder_, items).Union();
    } else if (const auto* options = std::get_if<OptionalTensorList>(&value.data)) {
      type = pte::KernelTypes::OptionalTensorList;
      const auto items = builder_.CreateVector(options->values);
      payload = pte::CreateOptionalTensorList(builder_, items).Union();
    }
    return pte::CreateEValue(builder_, type, payload);
  }

  fb::Offset<pte::Tensor> build_tensor(const Method& method, const Tensor& tensor, size_t index) {
    const Storage& storage = method.storages[static_cast<size_t>(tensor.storage)];
    uint32_t data_index = 0;
    fb::Offset<pte::AllocationDetails> allocation;
    if (storage.kind == StorageKind::kPlanned || storage.kind == StorageKind::kState) {
      const uint64_t offset = storage.offset + tensor.offset;
      allocation =
          pte::CreateAllocationDetails(builder_, storage.mem_id, static_cast<uint32_t>(offset),
                                       static_cast<uint32_t>(offset >> 32));
    }
    if (storage.kind == StorageKind::kConstant) {
      data_index = layout_.constant_index(storage.data, tensor.offset);
    } else if (storage.kind == StorageKind::kState && storage.data >= 0 &&
               covering_[static_cast<size_t>(tensor.storage)] == static_cast<int32_t>(index)) {
      data_index = static_cast<uint32_t>(storage.data) + 1;
    }
    const auto sizes = builder_.CreateVector(tensor.sizes);
    const auto dim_order = builder_.CreateVector(tensor.dim_order);
    fb::Offset<pte::ExtraTensorInfo> extra;
    const bool named = !tensor.fully_qualified_name.empty();
    if (tensor.has_extra || named || tensor.external || tensor.device_type != 0 ||
        tensor.device_index != 0 || tensor.mutable_data_segments_idx != 0) {
      fb::Offset<fb::String> name;
      if (named) name = builder_.CreateString(tensor.fully_qualified_name);
      extra = pte::CreateExtraTensorInfo(
          builder_, tensor.mutable_data_segments_idx, name,
          tensor.external ? pte::TensorDataLocation::EXTERNAL : pte::TensorDataLocation::SEGMENT,
          static_cast<pte::DeviceType>(tensor.device_type), tensor.device_index);
    }
    return pte::CreateTensor(builder_, static_cast<int8_t>(tensor.dtype), 0, sizes, dim_order,
                             tensor.requires_grad, data_index, allocation, tensor.layout,
                             static_cast<pte::TensorShapeDynamism>(tensor.dynamism), extra);
  }

  fb::Offset<pte::BackendDelegate> build_delegate(const Delegate& delegate) {
    std::vector<fb::Offset<pte::CompileSpec>> specs;
    for (const CompileSpec& spec : delegate.compile_specs) {
      const auto key = builder_.CreateString(spec.key);
      const auto value = builder_.CreateVector(data_of(spec.value), spec.value.size());
      specs.push_back(pte::CreateCompileSpec(builder_, key, value));
    }
    const auto id = builder_.CreateString(delegate.id);
    const auto processed = pte::CreateBackendDelegateDataReference(
        builder_, pte::DataLocation::SEGMENT, layout_.delegate_segment(delegate.data));
    const auto spec_list = builder_.CreateVector(specs);
    return pte::CreateBackendDelegate(builder_, id, processed, spec_list);
  }

  fb::Offset<pte::Chain> build_chain(const Method& method, size_t chain) {
    const auto begin = static_cast<size_t>(method.chain_begins[chain]);
    const size_t end = chain + 1 < method.chain_begins.size()
                           ? static_cast<size_t>(method.chain_begins[chain + 1])
                           : method.instructions.size();
    std::vector<fb::Offset<pte::Instruction>> instructions;
    std::vector<fb::Offset<pte::FrameList>> traces;
    for (size_t i = begin; i < end; ++i) {
      instructions.push_back(build_instruction(method.instructions[i], begin));
      if (!method.stacktrace.empty()) traces.push_back(build_frames(method.stacktrace[i]));
    }
    const std::vector<int32_t> none;
    const auto inputs = builder_.CreateVector(none);
    const auto outputs = builder_.CreateVector(none);
    const auto instruction_list = builder_.CreateVector(instructions);
    fb::Offset<fb::Vector<fb::Offset<pte::FrameList>>> trace_list;
    if (!method.stacktrace.empty()) trace_list = builder_.CreateVector(traces);
    return pte::CreateChain(builder_, inputs, outputs, instruction_list, trace_list);
  }

  fb::Offset<pte::FrameList> build_frames(const FrameList& frames) {
    std::vector<fb::Offset<pte::Frame>> items;
    for (const Frame& frame : frames) {
      const auto filename = builder_.CreateString(frame.filename);
      const auto name = builder_.CreateString(frame.name);
      const auto context = builder_.CreateString(frame.context);
      items.push_back(pte::CreateFrame(builder_, filename, frame.lineno, name, context));
    }
    const auto list = builder_.CreateVector(items);
    return pte::CreateFrameList(builder_, list);
  }

  fb::Offset<pte::Instruction> build_instruction(const Instruction& instruction,
                                                 size_t chain_begin) {
    pte::InstructionArguments type = pte::InstructionArguments::NONE;
    fb::Offset<void> payload;
    if (const auto* call = std::get_if<KernelCall>(&instruction.call)) {
      type = pte::InstructionArguments::KernelCall;
      const auto args = builder_.CreateVector(call->args);
      payload = pte::CreateKernelCall(builder_, call->op, args).Union();
    } else if (const auto* delegate = std::get_if<DelegateCall>(&instruction.call)) {
      type = pte::InstructionArguments::DelegateCall;
      const auto args = builder_.CreateVector(delegate->args);
      payload = pte::CreateDelegateCall(builder_, delegate->delegate, args).Union();
    } else if (const auto* move = std::get_if<MoveCall>(&instruction.call)) {
      type = pte::InstructionArguments::MoveCall;
      payload = pte::CreateMoveCall(builder_, move->from, move->to).Union();
    } else if (const auto* jump = std::get_if<JumpFalseCall>(&instruction.call)) {
      type = pte::InstructionArguments::JumpFalseCall;
      const int32_t target = jump->target - static_cast<int32_t>(chain_begin);
      payload = pte::CreateJumpFalseCall(builder_, jump->condition, target).Union();
    } else if (const auto* free = std::get_if<FreeCall>(&instruction.call)) {
      type = pte::InstructionArguments::FreeCall;
      payload = pte::CreateFreeCall(builder_, free->value).Union();
    }
    return pte::CreateInstruction(builder_, type, payload);
  }

  const Program& program_;
  const SegmentLayout& layout_;
  std::vector<int32_t> covering_;  // of the method being built
  fb::FlatBufferBuilder builder_{1024};
};

MaybeError check_options(const WriteOptions& options) {
  for (uint32_t alignment : {options.constant_alignment, options.segment_alignment}) {
    if (is_power_of_two(alignment) && alignment >= 16 && alignment <= kMaxAlignment) continue;
    return Error{"alignment",
                 fmt::format("{}; must be a power of two, 16..{}", alignment, kMaxAlignment)};
  }
  return {};
}

}  // namespace

Result<Bytes> write(const Program& program, const WriteOptions& options) {
  if (auto error = validate(program, Placed::kYes)) return *error;
  if (auto error = check_options(options)) return *error;
  if (estimate_program_bytes(program) > kMaxProgramBytes) {
    return Error{"program", "its structure takes more than 1 GiB; the format ends at 2 GiB"};
  }
  const SegmentLayout layout(program, options);
  Writer writer(program, layout);
  const auto structure = writer.build_program();
  const uint64_t bytes = layout.file_bytes(structure.size());
  if (bytes > Bytes().max_size()) {
    return Error{"program", fmt::format("its file has {} bytes; {} are the most on this machine",
                                        bytes, Bytes().max_size())};
  }
  return layout.assemble(structure);
}

}  // namespace berth::program
