#include <string>
#include <vector>

#include "format/plan_record_generated.h"
#include "program/record.h"

namespace berth::program {
namespace {

namespace fb = flatbuffers;
namespace wire = format;

// Builder calls never stand inside the arguments of another: compilers order arguments as they
// like, and the order of calls is the order of bytes.
fb::Offset<wire::Method> write_method(fb::FlatBufferBuilder& builder, const Method& method) {
  const RecordedPlan& plan = *method.plan;
  std::vector<uint32_t> extents, alignments, starts;
  std::vector<uint8_t> roles;
  std::vector<int32_t> owners;
  std::vector<std::string> names;
  std::vector<wire::Interval> intervals;
  for (const RecordedBuffer& buffer : plan.buffers) {
    extents.push_back(static_cast<uint32_t>(buffer.extent));
    roles.push_back(static_cast<uint8_t>(buffer.role));
    alignments.push_back(buffer.alignment);
    owners.push_back(buffer.owner);
    names.push_back(buffer.name);
    starts.push_back(static_cast<uint32_t>(intervals.size()));
    for (const Interval& live : buffer.live) intervals.emplace_back(live.begin, live.end);
  }
  starts.push_back(static_cast<uint32_t>(intervals.size()));

  std::vector<wire::InPlaceOption> in_place;
  std::vector<wire::CallRoles> calls;
  for (size_t i = 0; i < method.instructions.size(); ++i) {
    const Instruction& instruction = method.instructions[i];
    const auto index = static_cast<uint32_t>(i);
    for (const InPlaceOption& option : instruction.in_place) {
      in_place.emplace_back(index, static_cast<uint32_t>(option.output),
                            static_cast<uint32_t>(option.input));
    }
    const auto* call = std::get_if<DelegateCall>(&instruction.call);
    if (call == nullptr || !instruction.input_count) continue;
    const uint32_t inputs = *instruction.input_count;
    const uint32_t outputs = *instruction.output_count;
    const uint32_t kept = count_persistent(plan, call->args, size_t{inputs} + outputs);
    calls.emplace_back(index, inputs, outputs,
                       static_cast<uint32_t>(call->args.size()) - inputs - outputs - kept);
  }

  std::vector<fb::Offset<wire::PoolUse>> pool_use;
  for (const PoolUse& use : plan.pool_use) {
    pool_use.push_back(wire::CreatePoolUse(builder, use.mem_id, use.bytes, use.lower_bound,
                                           use.greedy_bytes, use.tail));
  }
  const auto name = builder.CreateString(method.name);
  const auto value_buffer = builder.CreateVector(plan.value_buffer);
  const auto extent = builder.CreateVector(extents);
  const auto role = builder.CreateVector(roles);
  const auto alignment = builder.CreateVector(alignments);
  const auto start = builder.CreateVector(starts);
  const auto interval = builder.CreateVectorOfStructs(intervals);
  const auto owner = builder.CreateVector(owners);
  const auto buffer_name = builder.CreateVectorOfStrings(names);
  const auto options = builder.CreateVectorOfStructs(in_place);
  const auto roles_of_calls = builder.CreateVectorOfStructs(calls);
  const auto uses = builder.CreateVector(pool_use);
  const auto planner = builder.CreateString(plan.planner);

  wire::MethodBuilder out(builder);
  out.add_name(name);
  out.add_instruction_count(static_cast<uint32_t>(method.instructions.size()));
  out.add_value_buffer(value_buffer);
  out.add_buffer_extent(extent);
  out.add_buffer_role(role);
  out.add_buffer_alignment(alignment);
  out.add_interval_start(start);
  out.add_intervals(interval);
  out.add_buffer_owner(owner);
  out.add_buffer_name(buffer_name);
  out.add_in_place(options);
  out.add_calls(roles_of_calls);
  out.add_pool_use(uses);
  out.add_planner(planner);
  out.add_proven_optimal(plan.proven_optimal);
  return out.Finish();
}

}  // namespace

uint32_t count_persistent(const RecordedPlan& plan, const std::vector<int32_t>& args,
                          size_t first) {
  uint32_t count = 0;
  for (size_t i = args.size(); i-- > first; ++count) {
    const auto value = static_cast<size_t>(args[i]);
    const int32_t buffer = value < plan.value_buffer.size() ? plan.value_buffer[value] : -1;
    if (buffer < 0 || static_cast<size_t>(buffer) >= plan.buffers.size() ||
        plan.buffers[static_cast<size_t>(buffer)].role != Role::kPersistent) {
      break;
    }
  }
  return count;
}

Bytes write_record(const Program& program) {
  const Record& record = *program.record;
  fb::FlatBufferBuilder builder;
  std::vector<fb::Offset<wire::Method>> methods;
  for (const Method& method : program.methods) methods.push_back(write_method(builder, method));
  std::vector<fb::Offset<wire::Pool>> pools;
  for (const Pool& pool : record.pools) {
    const auto name = builder.CreateString(pool.name);
    const auto attributes = builder.CreateVectorOfStrings(pool.attributes);
    pools.push_back(
        wire::CreatePool(builder, name, pool.mem_id, pool.alignment, pool.capacity, attributes));
  }
  const auto pool_list = builder.CreateVector(pools);
  const auto method_list = builder.CreateVector(methods);
  const auto board = builder.CreateString(record.board);
  const auto root = wire::CreatePlanRecord(builder, record.version, record.feature_flags,
                                           static_cast<uint8_t>(record.isa), pool_list, method_list,
                                           board, record.separate_methods);
  builder.Finish(root, kPlanRecordIdentifier);
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return Bytes(data, data + builder.GetSize());
}

}  // namespace berth::program
