#include "tests/support/pte_builder.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstring>

#include "format/plan_record_generated.h"
#include "format/program_generated.h"

namespace berth::testing {
namespace {

namespace fb = flatbuffers;
namespace pte = berth::format::pte;

std::vector<uint8_t> finished(const fb::FlatBufferBuilder& builder) {
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

template <typename T>
std::vector<T> cast(const std::vector<int64_t>& items) {
  std::vector<T> result;
  for (int64_t item : items) result.push_back(static_cast<T>(item));
  return result;
}

fb::Offset<void> build_tensor(fb::FlatBufferBuilder& b, const TestValue& v) {
  const auto sizes = v.has_sizes ? b.CreateVector(v.sizes) : 0;
  const auto dim_order = v.has_dim_order ? b.CreateVector(v.dim_order) : 0;
  fb::Offset<pte::AllocationDetails> place;
  if (v.place) {
    place = pte::CreateAllocationDetails(b, v.place->mem_id, v.place->offset, v.place->offset_high);
  }
  fb::Offset<pte::ExtraTensorInfo> extra;
  if (v.location != 0 || v.device != 0 || v.qualified_name) {
    fb::Offset<fb::String> name;
    if (v.qualified_name) name = b.CreateString(*v.qualified_name);
    extra = pte::CreateExtraTensorInfo(b, 0, name, static_cast<pte::TensorDataLocation>(v.location),
                                       static_cast<pte::DeviceType>(v.device));
  }
  return pte::CreateTensor(b, static_cast<int8_t>(v.dtype), v.storage_offset, sizes, dim_order,
                           false, v.data, place, 0,
                           static_cast<pte::TensorShapeDynamism>(v.dynamism), extra)
      .Union();
}

fb::Offset<void> build_payload(fb::FlatBufferBuilder& b, const TestValue& v) {
  switch (v.kind) {
    case kInt:
      return pte::CreateInt(b, v.integer).Union();
    case kBool:
      return pte::CreateBool(b, v.integer != 0).Union();
    case kDouble:
      return pte::CreateDouble(b, v.number).Union();
    case kTensor:
      return build_tensor(b, v);
    case kString:
      return pte::CreateString(b, v.has_items ? b.CreateString(v.text) : 0).Union();
    case kIntList:
      return pte::CreateIntList(b, v.has_items ? b.CreateVector(v.items) : 0).Union();
    case kDoubleList:
      return pte::CreateDoubleList(b, b.CreateVector(v.doubles)).Union();
    case kBoolList:
      return pte::CreateBoolList(b, b.CreateVector(cast<uint8_t>(v.items))).Union();
    case kTensorList:
      return pte::CreateTensorList(b, v.has_items ? b.CreateVector(cast<int32_t>(v.items)) : 0)
          .Union();
    case kOptionalTensorList:
      return pte::CreateOptionalTensorList(b, b.CreateVector(cast<int32_t>(v.items))).Union();
    default:
      return pte::CreateNull(b).Union();
  }
}

fb::Offset<pte::Instruction> build_instruction(fb::FlatBufferBuilder& b,
                                               const TestInstruction& in) {
  fb::Offset<void> payload;
  const auto args = in.has_args ? b.CreateVector(in.args) : 0;
  switch (in.kind) {
    case kDelegateCall: {
      pte::DelegateCallBuilder call(b);
      if (in.has_newer_field) b.AddElement<uint32_t>(pte::DelegateCall::VT_ARGS + 2, 7, 0);
      call.add_args(args);
      call.add_delegate_index(in.first);
      payload = call.Finish().Union();
      break;
    }
    case kMoveCall:
      payload = pte::CreateMoveCall(b, in.first, in.second).Union();
      break;
    case kJumpFalseCall:
      payload = pte::CreateJumpFalseCall(b, in.first, in.second).Union();
      break;
    case kFreeCall:
      payload = pte::CreateFreeCall(b, in.first).Union();
      break;
    default:
      payload = pte::CreateKernelCall(b, in.first, args).Union();
  }
  return pte::CreateInstruction(b, static_cast<pte::InstructionArguments>(in.kind),
                                in.has_payload ? payload : 0);
}

fb::Offset<pte::BackendDelegate> build_delegate(fb::FlatBufferBuilder& b, const TestDelegate& d) {
  std::vector<fb::Offset<pte::CompileSpec>> specs;
  for (const auto& [key, value] : d.specs) {
    const auto text = d.missing == "spec_key" ? 0 : b.CreateString(key);
    specs.push_back(pte::CreateCompileSpec(b, text, b.CreateVector(value)));
  }
  const auto id = d.missing == "id" ? 0 : b.CreateString(d.id);
  const auto blob = pte::CreateBackendDelegateDataReference(
      b, static_cast<pte::DataLocation>(d.location), d.index);
  return pte::CreateBackendDelegate(b, id, d.missing == "processed" ? 0 : blob,
                                    b.CreateVector(specs));
}

fb::Offset<pte::ExecutionPlan> build_method(fb::FlatBufferBuilder& b, const TestMethod& m) {
  std::vector<fb::Offset<pte::EValue>> values;
  for (const TestValue& v : m.values) {
    const auto payload = build_payload(b, v);
    values.push_back(
        pte::CreateEValue(b, static_cast<pte::KernelTypes>(v.kind), v.has_payload ? payload : 0));
  }
  std::vector<fb::Offset<pte::Chain>> chains;
  for (const auto& code : m.chains) {
    std::vector<fb::Offset<pte::Instruction>> instructions;
    for (const auto& in : code) instructions.push_back(build_instruction(b, in));
    const auto list = b.CreateVector(instructions);
    chains.push_back(pte::CreateChain(b, 0, 0, m.missing == "instructions" ? 0 : list));
  }
  const std::vector<fb::Offset<pte::Chain>> once = chains;
  for (uint32_t i = 1; i < m.chain_repeats; ++i) {
    chains.insert(chains.end(), once.begin(), once.end());
  }
  std::vector<fb::Offset<pte::Operator>> operators;
  for (const auto& [name, overload] : m.operators) {
    const auto name_text = b.CreateString(name);
    const auto overload_text = b.CreateString(overload);
    operators.push_back(
        pte::CreateOperator(b, m.missing == "op_name" ? 0 : name_text, overload_text));
  }
  std::vector<fb::Offset<pte::BackendDelegate>> delegates;
  for (const TestDelegate& d : m.delegates) delegates.push_back(build_delegate(b, d));
  std::vector<fb::Offset<pte::NonConstBufferDevice>> devices;
  for (const auto& [index, type] : m.pool_devices) {
    devices.push_back(
        pte::CreateNonConstBufferDevice(b, index, static_cast<pte::DeviceType>(type)));
  }
  const auto kept = [&](const char* field, auto offset) {
    return m.missing == field ? decltype(offset)() : offset;
  };
  const auto values_vector = kept("values", b.CreateVector(values));
  const auto inputs = kept("inputs", b.CreateVector(m.inputs));
  const auto outputs = kept("outputs", b.CreateVector(m.outputs));
  const auto chain_vector = kept("chains", b.CreateVector(chains));
  const auto operator_vector = kept("operators", b.CreateVector(operators));
  const auto delegate_vector = kept("delegates", b.CreateVector(delegates));
  const auto sizes = kept("pool_sizes", b.CreateVector(m.pool_sizes));
  const auto device_vector = b.CreateVector(devices);
  const auto name = b.CreateString(m.name);
  return pte::CreateExecutionPlan(b, m.has_name ? name : 0, 0, values_vector, inputs, outputs,
                                  chain_vector, operator_vector, delegate_vector, sizes,
                                  device_vector);
}

void put(std::vector<uint8_t>& bytes, size_t at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace

TestValue int_value(int64_t value) {
  TestValue v;
  v.kind = kInt;
  v.integer = value;
  return v;
}

TestValue bool_value(bool value) {
  TestValue v = int_value(value ? 1 : 0);
  v.kind = kBool;
  return v;
}

TestValue double_value(double value) {
  TestValue v;
  v.kind = kDouble;
  v.number = value;
  return v;
}

TestValue string_value(std::string text) {
  TestValue v;
  v.kind = kString;
  v.text = std::move(text);
  return v;
}

TestValue list_value(ValueKind kind, std::vector<int64_t> items) {
  TestValue v;
  v.kind = kind;
  v.items = std::move(items);
  return v;
}

TestValue tensor_value(std::vector<int32_t> sizes, int dtype) {
  TestValue v;
  v.kind = kTensor;
  v.dtype = dtype;
  v.sizes = std::move(sizes);
  for (size_t d = 0; d < v.sizes.size(); ++d) v.dim_order.push_back(static_cast<uint8_t>(d));
  return v;
}

TestValue planned(std::vector<int32_t> sizes, uint32_t offset, int dtype, uint32_t mem_id) {
  TestValue v = tensor_value(std::move(sizes), dtype);
  v.place = Place{mem_id, offset, 0};
  return v;
}

TestValue constant(std::vector<int32_t> sizes, uint32_t data, int dtype) {
  TestValue v = tensor_value(std::move(sizes), dtype);
  v.data = data;
  return v;
}

TestInstruction call(int32_t op, std::vector<int32_t> args) {
  TestInstruction in;
  in.first = op;
  in.args = std::move(args);
  return in;
}

TestInstruction delegate_call(int32_t delegate, std::vector<int32_t> args) {
  TestInstruction in = call(delegate, std::move(args));
  in.kind = kDelegateCall;
  return in;
}

TestInstruction move(int32_t from, int32_t to) {
  TestInstruction in;
  in.kind = kMoveCall;
  in.first = from;
  in.second = to;
  return in;
}

TestInstruction jump_false(int32_t condition, int32_t target) {
  TestInstruction in = move(condition, target);
  in.kind = kJumpFalseCall;
  return in;
}

TestInstruction free_value(int32_t value) {
  TestInstruction in;
  in.kind = kFreeCall;
  in.first = value;
  return in;
}

std::vector<uint8_t> build_record(const TestRecord& record) {
  namespace plan = berth::format;
  fb::FlatBufferBuilder b;
  std::vector<fb::Offset<plan::Pool>> pools;
  for (const auto& pool : record.pools) {
    pools.push_back(plan::CreatePool(b, b.CreateString(pool.name), pool.mem_id, pool.alignment));
  }
  std::vector<fb::Offset<plan::Method>> methods;
  for (const TestMethodRecord& m : record.methods) {
    std::vector<uint32_t> extents, alignments, starts;
    std::vector<uint8_t> roles;
    std::vector<plan::Interval> intervals;
    for (const TestBuffer& buffer : m.buffers) {
      extents.push_back(buffer.extent);
      roles.push_back(buffer.role);
      alignments.push_back(buffer.alignment);
      starts.push_back(static_cast<uint32_t>(intervals.size()));
      for (const TestInterval& live : buffer.live) intervals.emplace_back(live.begin, live.end);
    }
    starts.push_back(static_cast<uint32_t>(intervals.size()));
    std::vector<int32_t> value_buffer = m.value_buffer;
    if (record.longer == "value_buffer") value_buffer.push_back(-1);
    if (record.longer == "buffer_role") roles.push_back(0);
    if (record.longer == "buffer_alignment") alignments.push_back(16);
    if (record.longer == "interval_start") starts.push_back(starts.back());
    if (record.longer == "intervals") intervals.emplace_back(0, 1);
    const auto name = b.CreateString(m.name);
    const auto value_vector = b.CreateVector(value_buffer);
    const auto extent_vector = b.CreateVector(extents);
    const auto role_vector = b.CreateVector(roles);
    const auto alignment_vector = b.CreateVector(alignments);
    const auto start_vector = b.CreateVector(starts);
    const auto interval_vector = b.CreateVectorOfStructs(intervals);
    std::vector<plan::CallRoles> calls;
    for (const TestCallRoles& c : m.calls) {
      calls.emplace_back(c.instruction, c.inputs, c.outputs, c.scratch);
    }
    const auto call_vector = b.CreateVectorOfStructs(calls);
    plan::MethodBuilder method(b);
    method.add_name(name);
    method.add_instruction_count(m.instruction_count);
    if (record.missing != "value_buffer") method.add_value_buffer(value_vector);
    if (record.missing != "buffer_extent") method.add_buffer_extent(extent_vector);
    if (record.missing != "buffer_role") method.add_buffer_role(role_vector);
    if (record.missing != "buffer_alignment") method.add_buffer_alignment(alignment_vector);
    if (record.missing != "interval_start") method.add_interval_start(start_vector);
    if (record.missing != "intervals") method.add_intervals(interval_vector);
    method.add_calls(call_vector);
    if (record.has_newer_field) b.AddElement<uint32_t>(plan::Method::VT_PROVEN_OPTIMAL + 2, 7, 0);
    methods.emplace_back(b.EndTable(method.start_));
  }
  const auto pool_vector = b.CreateVector(pools);
  const auto method_vector = b.CreateVector(methods);
  plan::PlanRecordBuilder root(b);
  root.add_version(record.version);
  if (record.has_newer_field) {
    b.AddElement<uint32_t>(plan::PlanRecord::VT_SEPARATE_METHODS + 2, 7, 0);
  }
  root.add_feature_flags(record.feature_flags);
  root.add_isa(record.isa);
  if (record.missing != "pools") root.add_pools(pool_vector);
  if (record.missing != "methods") root.add_methods(method_vector);
  b.Finish(fb::Offset<plan::PlanRecord>(b.EndTable(root.start_)), record.identifier.c_str());
  return finished(b);
}

std::vector<uint8_t> build_file(const TestFile& file) {
  std::vector<std::vector<uint8_t>> contents = file.segments;
  std::vector<std::pair<std::string, uint32_t>> named = file.named_data;
  if (file.record) {
    named.emplace_back("berth.plan_record", static_cast<uint32_t>(contents.size()));
    contents.push_back(build_record(*file.record));
  }
  fb::FlatBufferBuilder b;
  std::vector<fb::Offset<pte::ExecutionPlan>> methods;
  for (const TestMethod& method : file.methods) methods.push_back(build_method(b, method));
  std::vector<fb::Offset<pte::Buffer>> inline_constants;
  for (const auto& bytes : file.inline_constants) {
    b.ForceVectorAlignment(bytes.size(), 1, 16);
    inline_constants.push_back(pte::CreateBuffer(b, b.CreateVector(bytes)));
  }
  std::vector<fb::Offset<pte::BackendDelegateInlineData>> inline_blobs;
  for (const auto& bytes : file.inline_blobs) {
    b.ForceVectorAlignment(bytes.size(), 1, 16);
    inline_blobs.push_back(pte::CreateBackendDelegateInlineData(b, b.CreateVector(bytes)));
  }
  std::vector<fb::Offset<pte::DataSegment>> segments;
  std::vector<uint64_t> places;
  uint64_t end = 0;
  for (uint32_t i = 0; i < contents.size(); ++i) {
    uint64_t offset = round_up(end, 128);
    places.push_back(offset);
    uint64_t size = contents[i].size();
    end = offset + size;
    if (file.spoil_segment) file.spoil_segment(i, &offset, &size);
    segments.push_back(pte::CreateDataSegment(b, offset, size));
  }
  const auto subsegment = [&](const TestSegments& table) {
    return pte::CreateSubsegmentOffsets(b, table.index, b.CreateVector(table.offsets));
  };
  fb::Offset<pte::SubsegmentOffsets> constants;
  if (file.constants) constants = subsegment(*file.constants);
  std::vector<fb::Offset<pte::SubsegmentOffsets>> mutable_data;
  for (const auto& table : file.mutable_data) mutable_data.push_back(subsegment(table));
  std::vector<fb::Offset<pte::NamedData>> named_data;
  for (const auto& [key, index] : named) {
    named_data.push_back(pte::CreateNamedData(b, b.CreateString(key), index));
  }
  auto plans = b.CreateVector(methods);
  if (file.missing == "execution_plan") plans = 0;
  const auto program =
      pte::CreateProgram(b, 0, plans, b.CreateVector(inline_constants),
                         b.CreateVector(inline_blobs), b.CreateVector(segments), constants,
                         b.CreateVector(mutable_data), b.CreateVector(named_data));
  b.Finish(program, "ET12");
  std::vector<uint8_t> bytes = finished(b);
  if (file.header_length != 0) {
    // Spliced in behind the identifier; only the root offset is counted from before it.
    const size_t padded = round_up(file.header_length, 16);
    uint32_t root = 0;
    memcpy(&root, bytes.data(), 4);
    put(bytes, 0, root + padded, 4);
    bytes.insert(bytes.begin() + 8, padded, 0);
    const uint64_t program_size = bytes.size();
    const uint64_t base = round_up(program_size, 128);
    memcpy(&bytes[8], "eh00", 4);
    put(bytes, 12, file.header_length, 4);
    put(bytes, 16, program_size, 8);
    put(bytes, 24, contents.empty() ? 0 : base, 8);
    if (file.header_length >= 32) put(bytes, 32, end, 8);
    for (size_t i = 0; i < contents.size(); ++i) {
      bytes.resize(base + places[i], 0);
      bytes.insert(bytes.end(), contents[i].begin(), contents[i].end());
    }
  }
  if (file.spoil_bytes) file.spoil_bytes(bytes);
  return bytes;
}

AlignedBytes::AlignedBytes(size_t size, uint8_t fill) : storage_(size + 64, fill), size_(size) {
  shift_ = (64 - reinterpret_cast<uintptr_t>(storage_.data()) % 64) % 64;
}

AlignedBytes::AlignedBytes(const std::vector<uint8_t>& bytes) : AlignedBytes(bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), data());
}

}  // namespace berth::testing
