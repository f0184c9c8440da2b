// Files that lie: every field of the format set to what it must not be, every required one taken
// away. The error must name the field and the value.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "format/plan_record_generated.h"
#include "program/measured_read.h"
#include "program/program_test_util.h"
#include "program/read.h"
#include "program/wire_edit.h"

namespace berth::program {
namespace {

namespace pte = format::pte;

struct Lie {
  const char* field;  // where the error must be, and what its words must hold
  const char* words;
  void (*tell)(pte::ProgramT&);
};

pte::ExecutionPlanT& plan(pte::ProgramT& p) { return *p.execution_plan[0]; }
pte::KernelTypesUnion& value(pte::ProgramT& p, size_t i) { return plan(p).values[i]->val; }
pte::TensorT& tensor(pte::ProgramT& p, size_t i) { return *value(p, i).AsTensor(); }
pte::InstructionArgumentsUnion& instruction(pte::ProgramT& p, size_t chain, size_t i) {
  return plan(p).chains[chain]->instructions[i]->instr_args;
}

const Lie kLies[] = {
    // the file's own lists
    {"segments[0]", "the file ends at", [](auto& p) { p.segments[0]->offset = UINT64_MAX; }},
    {"segments[0]", "18446744073709551615", [](auto& p) { p.segments[0]->size = UINT64_MAX; }},
    {"segments[6]", "size 100000", [](auto& p) { p.segments[6]->size = 100000; }},
    {"constant_segment.segment_index", "99",
     [](auto& p) { p.constant_segment->segment_index = 99; }},
    {"execution_plan[0].values[4].data_buffer_idx", "the tensor needs 64",
     [](auto& p) { p.constant_segment->offsets[1] = 1; }},
    {"execution_plan[0].values[4].data_buffer_idx", "18446744073709551615",
     [](auto& p) { p.constant_segment->offsets[1] = UINT64_MAX; }},
    {"constant_buffer", "must be empty",
     [](auto& p) { p.constant_buffer.push_back(std::make_unique<pte::BufferT>()); }},
    {"mutable_data_segments[0].segment_index", "77",
     [](auto& p) { p.mutable_data_segments[0]->segment_index = 77; }},
    {"execution_plan[0].values[2].data_buffer_idx", "32 bytes of initial state at 1",
     [](auto& p) { p.mutable_data_segments[0]->offsets[1] = 1; }},
    {"execution_plan[0].values[2].data_buffer_idx", "mutable_data_segments has 0",
     [](auto& p) { p.mutable_data_segments.clear(); }},
    {"named_data[1].segment_index", "7; the file has 7 segments",
     [](auto& p) { p.named_data[1]->segment_index = 7; }},
    {"named_data", "occurs twice", [](auto& p) { p.named_data[1]->key = "weights"; }},
    {"named_data[3].key", "second plan record",
     [](auto& p) {
       p.named_data[0]->key = "berth.plan_record";
       p.named_data[0]->segment_index = 6;
     }},
    {"execution_plan", "no methods",
     [](auto& p) {
       p.execution_plan.clear();
       p.named_data.clear();
     }},

    // methods
    {"execution_plan[0].inputs[1]", "-1; must be 0..20", [](auto& p) { plan(p).inputs[1] = -1; }},
    {"execution_plan[0].outputs[0]", "21; must be 0..20", [](auto& p) { plan(p).outputs[0] = 21; }},
    {"execution_plan[0].chains", "at least one", [](auto& p) { plan(p).chains.clear(); }},
    {"execution_plan[0].non_const_buffer_sizes[2]", "-5",
     [](auto& p) { plan(p).non_const_buffer_sizes[2] = -5; }},
    {"execution_plan[0].values[3].allocation_info.memory_offset_low", "arena 1 has 130",
     [](auto& p) { plan(p).non_const_buffer_sizes[1] = 130; }},
    {"execution_plan[0].non_const_buffer_sizes", "must be at most 65535",
     [](auto& p) { plan(p).non_const_buffer_sizes.resize(70000); }},
    {"execution_plan[0].non_const_buffer_device[0].buffer_idx", "0; must be 1..3",
     [](auto& p) { plan(p).non_const_buffer_device[0]->buffer_idx = 0; }},
    {"execution_plan[0].non_const_buffer_device[0].buffer_idx", "4; must be 1..3",
     [](auto& p) { plan(p).non_const_buffer_device[0]->buffer_idx = 4; }},
    {"execution_plan[0].non_const_buffer_sizes[3].device_type", "9",
     [](auto& p) { plan(p).non_const_buffer_device[0]->device_type = pte::DeviceType{9}; }},
    {"execution_plan[0].operators[0].name", "empty",
     [](auto& p) { plan(p).operators[0]->name = ""; }},
    {"execution_plan[0].delegates[1].id", "empty", [](auto& p) { plan(p).delegates[1]->id = ""; }},
    {"execution_plan[0].delegates[0].processed.location", "5",
     [](auto& p) { plan(p).delegates[0]->processed->location = pte::DataLocation{5}; }},
    {"execution_plan[0].delegates[0].processed.index", "7; the file has 7 segments",
     [](auto& p) { plan(p).delegates[0]->processed->index = 7; }},
    {"execution_plan[0].delegates[2].processed.index", "0 inline blobs",
     [](auto& p) { plan(p).delegates[2]->processed->location = pte::DataLocation::INLINE; }},
    {"execution_plan[0].delegates[1].processed", "missing",
     [](auto& p) { plan(p).delegates[1]->processed.reset(); }},

    // values
    {"execution_plan[0].values[11].val_type", "0; must be 1..11",
     [](auto& p) { value(p, 11).Reset(); }},
    {"execution_plan[0].values[0].scalar_type", "30",
     [](auto& p) { tensor(p, 0).scalar_type = 30; }},
    {"execution_plan[0].values[0].scalar_type", "-1",
     [](auto& p) { tensor(p, 0).scalar_type = -1; }},
    {"execution_plan[0].values[0].storage_offset", "4; must be 0",
     [](auto& p) { tensor(p, 0).storage_offset = 4; }},
    {"execution_plan[0].values[0].sizes[1]", "-4", [](auto& p) { tensor(p, 0).sizes[1] = -4; }},
    {"execution_plan[0].values[0].sizes", "at most 16",
     [](auto& p) {
       tensor(p, 0).sizes.assign(17, 1);
       tensor(p, 0).dim_order.resize(17);
     }},
    {"execution_plan[0].values[0].sizes", "64 bits",
     [](auto& p) {
       tensor(p, 0).sizes.assign(3, INT32_MAX);
       tensor(p, 0).dim_order = {0, 1, 2};
     }},
    {"execution_plan[0].values[0].allocation_info.memory_offset_low", "arena 1 has 256",
     [](auto& p) {
       tensor(p, 0).sizes = {INT32_MAX, INT32_MAX};
     }},
    {"execution_plan[0].values[0].dim_order", "must be as many as sizes has, 2",
     [](auto& p) { tensor(p, 0).dim_order.pop_back(); }},
    {"execution_plan[0].values[0].dim_order[1]", "permutation",
     [](auto& p) { tensor(p, 0).dim_order[1] = 0; }},
    {"execution_plan[0].values[0].dim_order[0]", "255",
     [](auto& p) { tensor(p, 0).dim_order[0] = 255; }},
    {"execution_plan[0].values[0].layout", "3", [](auto& p) { tensor(p, 0).layout = 3; }},
    {"execution_plan[0].values[0].shape_dynamism", "3",
     [](auto& p) { tensor(p, 0).shape_dynamism = pte::TensorShapeDynamism{3}; }},
    {"execution_plan[0].values[4].data_buffer_idx", "99",
     [](auto& p) { tensor(p, 4).data_buffer_idx = 99; }},
    {"execution_plan[0].values[4].data_buffer_idx", "the tensor needs 4096",
     [](auto& p) {
       tensor(p, 4).sizes = {32, 32};
     }},
    {"execution_plan[0].values[2].data_buffer_idx", "4294967295",
     [](auto& p) { tensor(p, 2).data_buffer_idx = UINT32_MAX; }},
    {"execution_plan[0].values[0].allocation_info.memory_id", "0; must be 1..3",
     [](auto& p) { tensor(p, 0).allocation_info->memory_id = 0; }},
    {"execution_plan[0].values[0].allocation_info.memory_id", "4294967295",
     [](auto& p) { tensor(p, 0).allocation_info->memory_id = UINT32_MAX; }},
    {"execution_plan[0].values[0].allocation_info.memory_offset_low", "offset 220 and 48 bytes",
     [](auto& p) { tensor(p, 0).allocation_info->memory_offset_low = 220; }},
    {"execution_plan[0].values[0].allocation_info.memory_offset_low", "18446744073709551600",
     [](auto& p) {
       tensor(p, 0).allocation_info->memory_offset_low = 0xfffffff0;
       tensor(p, 0).allocation_info->memory_offset_high = 0xffffffff;
     }},
    {"execution_plan[0].values[6].extra_tensor_info.location", "2",
     [](auto& p) { tensor(p, 6).extra_tensor_info->location = pte::TensorDataLocation{2}; }},
    {"execution_plan[0].values[6].extra_tensor_info.fully_qualified_name", "empty",
     [](auto& p) { tensor(p, 6).extra_tensor_info->fully_qualified_name = ""; }},
    {"execution_plan[0].values[8].extra_tensor_info.device_type", "-3",
     [](auto& p) { tensor(p, 8).extra_tensor_info->device_type = pte::DeviceType{-3}; }},
    {"execution_plan[0].values[15].items[1]", "-1; must be 0..20",
     [](auto& p) { value(p, 15).AsIntList()->items[1] = -1; }},
    {"execution_plan[0].values[15].items[0]", "4294967307; must be 0..20",
     [](auto& p) { value(p, 15).AsIntList()->items[0] += int64_t{1} << 32; }},
    {"execution_plan[0].values[15].items[0]", "no Int value",
     [](auto& p) { value(p, 15).AsIntList()->items[0] = 12; }},
    {"execution_plan[0].values[18].items[0]", "20; elements stand before their list",
     [](auto& p) { value(p, 18).AsTensorList()->items[0] = 20; }},
    {"execution_plan[0].values[18].items[0]", "no Tensor value",
     [](auto& p) { value(p, 18).AsTensorList()->items[0] = 11; }},
    {"execution_plan[0].values[18].items[0]", "-1; must be 0..20",
     [](auto& p) { value(p, 18).AsTensorList()->items[0] = -1; }},
    {"execution_plan[0].values[19].items[1]", "-2; must be 0..20",
     [](auto& p) { value(p, 19).AsOptionalTensorList()->items[1] = -2; }},
    {"execution_plan[0].values[19].items[1]", "no Tensor value",
     [](auto& p) { value(p, 19).AsOptionalTensorList()->items[1] = 11; }},

    // instructions
    {"execution_plan[0].chains[0].instructions[0].instr_args_type", "0; must be 1..5",
     [](auto& p) { instruction(p, 0, 0).Reset(); }},
    {"execution_plan[0].chains[0].instructions[0].op_index", "-1; must be 0..1",
     [](auto& p) { instruction(p, 0, 0).AsKernelCall()->op_index = -1; }},
    {"execution_plan[0].chains[0].instructions[0].op_index", "2; must be 0..1",
     [](auto& p) { instruction(p, 0, 0).AsKernelCall()->op_index = 2; }},
    {"execution_plan[0].chains[0].instructions[0].args[3]", "21; must be 0..20",
     [](auto& p) { instruction(p, 0, 0).AsKernelCall()->args[3] = 21; }},
    {"execution_plan[0].chains[0].instructions[1].delegate_index", "3; must be 0..2",
     [](auto& p) { instruction(p, 0, 1).AsDelegateCall()->delegate_index = 3; }},
    {"execution_plan[0].chains[0].instructions[1].args[0]", "-7; must be 0..20",
     [](auto& p) { instruction(p, 0, 1).AsDelegateCall()->args[0] = -7; }},
    {"execution_plan[0].chains[0].instructions[2].cond_value_index", "99; must be 0..20",
     [](auto& p) { instruction(p, 0, 2).AsJumpFalseCall()->cond_value_index = 99; }},
    {"execution_plan[0].chains[0].instructions[2].cond_value_index", "neither a Bool",
     [](auto& p) { instruction(p, 0, 2).AsJumpFalseCall()->cond_value_index = 13; }},
    {"execution_plan[0].chains[0].instructions[2].cond_value_index", "neither a Bool",
     [](auto& p) { instruction(p, 0, 2).AsJumpFalseCall()->cond_value_index = 0; }},
    {"execution_plan[0].chains[0].instructions[2].instr_args.destination_instruction",
     "5; must be 0..4",
     [](auto& p) { instruction(p, 0, 2).AsJumpFalseCall()->destination_instruction = 5; }},
    {"execution_plan[0].chains[0].instructions[2].instr_args.destination_instruction",
     "-1; must be 0..4",
     [](auto& p) { instruction(p, 0, 2).AsJumpFalseCall()->destination_instruction = -1; }},
    {"execution_plan[0].chains[0].instructions[3].move_from", "-1; must be 0..20",
     [](auto& p) { instruction(p, 0, 3).AsMoveCall()->move_from = -1; }},
    {"execution_plan[0].chains[0].instructions[3].move_to", "21; must be 0..20",
     [](auto& p) { instruction(p, 0, 3).AsMoveCall()->move_to = 21; }},
    {"execution_plan[0].chains[1].instructions[2].value_index", "21; must be 0..20",
     [](auto& p) { instruction(p, 1, 2).AsFreeCall()->value_index = 21; }},
    {"execution_plan[0].chains[1].instructions[2].value_index", "no Tensor value",
     [](auto& p) { instruction(p, 1, 2).AsFreeCall()->value_index = 11; }},

    // the record no longer fits its program
    {"berth.plan_record.methods[0].name", "backward", [](auto& p) { plan(p).name = "backward"; }},
    {"berth.plan_record.methods", "must be one per method of the program, 1",
     [](auto& p) { p.execution_plan.pop_back(); }},
    {"berth.plan_record.methods[0].instruction_count", "7; the program's method has 6",
     [](auto& p) { plan(p).chains[1]->instructions.pop_back(); }},
    {"berth.plan_record.methods[0].value_buffer", "21 entries",
     [](auto& p) {
       auto extra = std::make_unique<pte::EValueT>();
       extra->val.Set(pte::NullT());
       plan(p).values.push_back(std::move(extra));
     }},
    {"berth.plan_record.methods.forward.value_buffer[9]", "not inside",
     [](auto& p) { tensor(p, 9).allocation_info->memory_offset_low = 96; }},
    {"berth.plan_record.methods.forward.buffer_extent[4]", "no planned tensor",
     [](auto& p) { tensor(p, 8).allocation_info.reset(); }},
    {"execution_plan[0].plan.buffers[3].alignment", "begins at byte 160",
     [](auto& p) { tensor(p, 3).allocation_info->memory_offset_low = 160; }},
    {"berth.plan_record.methods[0].calls[0].inputs", "the call has 4",
     [](auto& p) { instruction(p, 0, 1).AsDelegateCall()->args.push_back(0); }},
    {"plan_record.pools", "none has mem_id 2",
     [](auto& p) { plan(p).non_const_buffer_sizes[2] = 16; }},
};

TEST(Lies, EachLieIsFoundAndNamed) {
  const Bytes file = sample_file();
  ASSERT_TRUE(read(put_together(take_apart(file))).ok()) << "the file itself must be good";
  int number = 0;
  for (const Lie& lie : kLies) {
    SCOPED_TRACE(std::to_string(number++) + ": " + lie.field);
    WireFile wire = take_apart(file);
    lie.tell(*wire.program);
    const Bytes bad = put_together(wire);
    const Outcome outcome = read_measured(bad);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(lie.field, outcome.error.place);
    EXPECT_NE(std::string::npos, outcome.error.message.find(lie.words)) << outcome.error.message;
    EXPECT_LE(outcome.peak, allowed_bytes(bad.size()));
  }
}

struct Missing {
  const char* field;
  int slot;
  const void* (*table)(const pte::Program&);
};

const pte::ExecutionPlan* first_plan(const pte::Program& p) { return p.execution_plan()->Get(0); }
const pte::Instruction* first_instruction(const pte::Program& p) {
  return first_plan(p)->chains()->Get(0)->instructions()->Get(0);
}
const pte::EValue* wire_value(const pte::Program& p, uint32_t i) {
  return first_plan(p)->values()->Get(i);
}

using Wire = const pte::Program&;
using Table = const void*;
const Missing kMissing[] = {
    {"execution_plan", 1, [](Wire p) -> Table { return &p; }},
    {"named_data[0].key", 0, [](Wire p) -> Table { return p.named_data()->Get(0); }},
    {"execution_plan[0].name", 0, [](Wire p) -> Table { return first_plan(p); }},
    {"execution_plan[0].values", 2, [](Wire p) -> Table { return first_plan(p); }},
    {"execution_plan[0].inputs", 3, [](Wire p) -> Table { return first_plan(p); }},
    {"execution_plan[0].outputs", 4, [](Wire p) -> Table { return first_plan(p); }},
    {"execution_plan[0].chains", 5, [](Wire p) -> Table { return first_plan(p); }},
    {"execution_plan[0].delegates", 7, [](Wire p) -> Table { return first_plan(p); }},
    {"execution_plan[0].non_const_buffer_sizes", 8, [](Wire p) -> Table { return first_plan(p); }},
    {"execution_plan[0].operators[0].name", 0,
     [](Wire p) -> Table { return first_plan(p)->operators()->Get(0); }},
    {"execution_plan[0].delegates[0].id", 0,
     [](Wire p) -> Table { return first_plan(p)->delegates()->Get(0); }},
    {"execution_plan[0].delegates[0].processed", 1,
     [](Wire p) -> Table { return first_plan(p)->delegates()->Get(0); }},
    {"execution_plan[0].delegates[0].compile_specs[0].key", 0,
     [](Wire p) -> Table { return first_plan(p)->delegates()->Get(0)->compile_specs()->Get(0); }},
    {"execution_plan[0].delegates[0].compile_specs[0].value", 1,
     [](Wire p) -> Table { return first_plan(p)->delegates()->Get(0)->compile_specs()->Get(0); }},
    {"execution_plan[0].chains[0].instructions", 2,
     [](Wire p) -> Table { return first_plan(p)->chains()->Get(0); }},
    {"execution_plan[0].chains[0].instructions[0].instr_args", 1,
     [](Wire p) -> Table { return first_instruction(p); }},
    {"execution_plan[0].chains[0].instructions[0].instr_args.args", 1,
     [](Wire p) -> Table { return first_instruction(p)->instr_args(); }},
    {"execution_plan[0].values[0].val", 1, [](Wire p) -> Table { return wire_value(p, 0); }},
    {"execution_plan[0].values[0].sizes", 2,
     [](Wire p) -> Table { return wire_value(p, 0)->val(); }},
    {"execution_plan[0].values[0].dim_order", 3,
     [](Wire p) -> Table { return wire_value(p, 0)->val(); }},
    {"execution_plan[0].values[14].string_val", 0,
     [](Wire p) -> Table { return wire_value(p, 14)->val(); }},
    {"execution_plan[0].values[15].items", 0,
     [](Wire p) -> Table { return wire_value(p, 15)->val(); }},
    {"execution_plan[0].values[16].items", 0,
     [](Wire p) -> Table { return wire_value(p, 16)->val(); }},
    {"execution_plan[0].values[17].items", 0,
     [](Wire p) -> Table { return wire_value(p, 17)->val(); }},
    {"execution_plan[0].values[18].items", 0,
     [](Wire p) -> Table { return wire_value(p, 18)->val(); }},
    {"execution_plan[0].values[19].items", 0,
     [](Wire p) -> Table { return wire_value(p, 19)->val(); }},
};

constexpr size_t kSlack = 64;

// A good file with room for one more vtable at `*slack_at`.
Bytes file_with_slack(size_t* slack_at) {
  const Bytes file = put_together(take_apart(sample_file()), 32, kSlack);
  uint64_t program_size = 0;
  std::memcpy(&program_size, file.data() + 16, 8);
  *slack_at = (program_size - kSlack + 3) / 4 * 4;
  return file;
}

TEST(Lies, EachRequiredFieldIsMissed) {
  for (const Missing& missing : kMissing) {
    SCOPED_TRACE(missing.field);
    size_t slack_at = 0;
    Bytes file = file_with_slack(&slack_at);
    ASSERT_TRUE(read(file).ok());
    const auto* table = static_cast<const uint8_t*>(missing.table(*pte::GetProgram(file.data())));
    take_away(file, table, missing.slot, slack_at);
    const Outcome outcome = read_measured(file);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ("missing", outcome.error.message);
    EXPECT_EQ(missing.field, outcome.error.place);
  }
}

TEST(Lies, OptionalFieldsMayBeMissing) {
  const Missing optional[] = {
      {"container_meta_type", 1, [](Wire p) -> Table { return first_plan(p); }},
      {"overload", 1, [](Wire p) -> Table { return first_plan(p)->operators()->Get(1); }},
      {"compile_specs", 2, [](Wire p) -> Table { return first_plan(p)->delegates()->Get(1); }},
      {"stacktrace", 3, [](Wire p) -> Table { return first_plan(p)->chains()->Get(0); }},
      {"val of a Null", 1, [](Wire p) -> Table { return wire_value(p, 10); }},
      {"backend_delegate_data", 3, [](Wire p) -> Table { return &p; }},
      {"constant_buffer", 2, [](Wire p) -> Table { return &p; }},
  };
  for (const Missing& missing : optional) {
    SCOPED_TRACE(missing.field);
    size_t slack_at = 0;
    Bytes file = file_with_slack(&slack_at);
    const auto* table = static_cast<const uint8_t*>(missing.table(*pte::GetProgram(file.data())));
    take_away(file, table, missing.slot, slack_at);
    const Outcome outcome = read_measured(file);
    EXPECT_TRUE(outcome.ok) << outcome.error.place << ": " << outcome.error.message;
  }
}

TEST(Lies, BoolOfTwoIsRefused) {
  Bytes file = sample_file();
  const auto* items = wire_value(*pte::GetProgram(file.data()), 17)->val_as_BoolList()->items();
  file[static_cast<size_t>(items->data() - reinterpret_cast<const uint8_t*>(file.data()))] =
      std::byte{2};
  const Outcome outcome = read_measured(file);
  EXPECT_EQ("execution_plan[0].values[17].items[0]", outcome.error.place);
}

// --- the plan record ---

struct RecordLie {
  const char* field;
  const char* words;
  void (*tell)(format::PlanRecordT&);
};

format::MethodT& recorded(format::PlanRecordT& r) { return *r.methods[0]; }

const RecordLie kRecordLies[] = {
    {"berth.plan_record.version", "0", [](auto& r) { r.version = 0; }},
    {"berth.plan_record.feature_flags", "0x8000000000000000",
     [](auto& r) { r.feature_flags = uint64_t{1} << 63; }},
    {"berth.plan_record.isa", "5; must be 0..4", [](auto& r) { r.isa = 5; }},
    {"berth.plan_record.methods", "1 entries", [](auto& r) { r.methods.pop_back(); }},
    {"berth.plan_record.methods[1].name", "other", [](auto& r) { r.methods[1]->name = "other"; }},
    {"berth.plan_record.methods[0].instruction_count", "8",
     [](auto& r) { recorded(r).instruction_count = 8; }},
    {"berth.plan_record.methods[0].value_buffer", "20 entries",
     [](auto& r) { recorded(r).value_buffer.pop_back(); }},
    {"berth.plan_record.methods.forward.value_buffer[0]", "5; must be -1 or one of 5",
     [](auto& r) { recorded(r).value_buffer[0] = 5; }},
    {"berth.plan_record.methods.forward.value_buffer[0]", "-2",
     [](auto& r) { recorded(r).value_buffer[0] = -2; }},
    {"berth.plan_record.methods[0].buffer_extent[4]", "4294967295",
     [](auto& r) { recorded(r).buffer_extent[4] = UINT32_MAX; }},
    {"berth.plan_record.methods.forward.buffer_extent[4]", "21, which is no planned tensor",
     [](auto& r) { recorded(r).buffer_extent[4] = 21; }},
    {"berth.plan_record.methods[0].buffer_role", "4 entries; must be 5",
     [](auto& r) { recorded(r).buffer_role.pop_back(); }},
    {"berth.plan_record.methods[0].buffer_role[1]", "7",
     [](auto& r) { recorded(r).buffer_role[1] = 7; }},
    {"berth.plan_record.methods.forward.value_buffer[2]", "initial bytes of its own",
     [](auto& r) { recorded(r).buffer_role[2] = 2; }},
    {"berth.plan_record.methods[0].buffer_alignment", "6 entries; must be 5",
     [](auto& r) { recorded(r).buffer_alignment.push_back(16); }},
    {"execution_plan[0].storages[1].alignment", "12",
     [](auto& r) { recorded(r).buffer_alignment[1] = 12; }},
    {"execution_plan[0].storages[1].alignment", "2147483648",
     [](auto& r) { recorded(r).buffer_alignment[1] = 0x80000000; }},
    {"berth.plan_record.methods[0].interval_start", "5 entries; must be 6",
     [](auto& r) { recorded(r).interval_start.pop_back(); }},
    {"berth.plan_record.methods[0].interval_start[0]", "must begin at 0",
     [](auto& r) { recorded(r).interval_start[0] = 1; }},
    {"berth.plan_record.methods[0].interval_start[1]", "1 and then 0",
     [](auto& r) { recorded(r).interval_start[2] = 0; }},
    {"berth.plan_record.methods[0].interval_start[4]", "4294967295",
     [](auto& r) { recorded(r).interval_start[5] = UINT32_MAX; }},
    {"berth.plan_record.methods[0].interval_start[5]", "5; must be the length of intervals, 6",
     [](auto& r) { recorded(r).interval_start[5] = 5; }},
    {"execution_plan[0].plan.buffers[0].live[0]", "[0, 8)",
     [](auto& r) { recorded(r).intervals[0] = format::Interval(0, 8); }},
    {"execution_plan[0].plan.buffers[0].live[0]", "[4294967295, 0)",
     [](auto& r) { recorded(r).intervals[0] = format::Interval(UINT32_MAX, 0); }},
    {"execution_plan[0].storages[3].owner", "-2",
     [](auto& r) { recorded(r).buffer_owner[3] = -2; }},
    {"berth.plan_record.methods[0].buffer_name", "4 entries",
     [](auto& r) { recorded(r).buffer_name.pop_back(); }},
    {"berth.plan_record.methods[0].in_place[0].instruction", "7",
     [](auto& r) { recorded(r).in_place[0] = format::InPlaceOption(7, 9, 0); }},
    {"berth.plan_record.methods[0].in_place[0].output", "4294967295",
     [](auto& r) { recorded(r).in_place[0] = format::InPlaceOption(0, UINT32_MAX, 0); }},
    {"berth.plan_record.methods[0].in_place[0].input", "value 21; the method has 21",
     [](auto& r) { recorded(r).in_place[0] = format::InPlaceOption(0, 9, 21); }},
    {"berth.plan_record.methods[0].calls[0].instruction", "99",
     [](auto& r) { recorded(r).calls[0] = format::CallRoles(99, 1, 1, 1); }},
    {"berth.plan_record.methods[0].calls[0].instruction", "0, which is no DelegateCall",
     [](auto& r) { recorded(r).calls[0] = format::CallRoles(0, 1, 1, 1); }},
    {"berth.plan_record.methods[0].calls[0].inputs", "the call has 3",
     [](auto& r) { recorded(r).calls[0] = format::CallRoles(1, UINT32_MAX, UINT32_MAX, 5); }},
    {"berth.plan_record.methods[0].calls[1].instruction", "1; must rise",
     [](auto& r) { recorded(r).calls.push_back(recorded(r).calls[0]); }},
    {"execution_plan[0].plan.pool_use[0].mem_id", "0",
     [](auto& r) { recorded(r).pool_use[0]->mem_id = 0; }},
    {"plan_record.pools[0].mem_id", "0; must be 1..65535", [](auto& r) { r.pools[0]->mem_id = 0; }},
    {"plan_record.pools[0].alignment", "0; must be a power of two",
     [](auto& r) { r.pools[0]->alignment = 0; }},
    {"plan_record.pools[1].name", "empty", [](auto& r) { r.pools[1]->name = ""; }},
    {"plan_record.pools", "none has mem_id 3", [](auto& r) { r.pools.pop_back(); }},
};

// The sample with another record in it.
Bytes file_with_record(const format::PlanRecordT& record) {
  WireFile wire = take_apart(sample_file());
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(format::PlanRecord::Pack(builder, &record), format::PlanRecordIdentifier());
  auto& segment = *wire.program->segments[6];
  segment.offset = align_up(wire.data.size(), 16);
  segment.size = builder.GetSize();
  wire.data.resize(segment.offset + segment.size);
  std::memcpy(wire.data.data() + segment.offset, builder.GetBufferPointer(), builder.GetSize());
  return put_together(wire);
}

TEST(Lies, EachLieOfARecordIsFoundAndNamed) {
  const WireFile wire = take_apart(sample_file());
  const Bytes bytes(
      wire.data.begin() + static_cast<std::ptrdiff_t>(wire.program->segments[6]->offset),
      wire.data.end());
  ASSERT_TRUE(read(file_with_record(*format::UnPackPlanRecord(bytes.data()))).ok());
  int number = 0;
  for (const RecordLie& lie : kRecordLies) {
    SCOPED_TRACE(std::to_string(number++) + ": " + lie.field);
    auto record = format::UnPackPlanRecord(bytes.data());
    lie.tell(*record);
    const Bytes bad = file_with_record(*record);
    const Outcome outcome = read_measured(bad);
    EXPECT_FALSE(outcome.ok);
    EXPECT_EQ(lie.field, outcome.error.place);
    EXPECT_NE(std::string::npos, outcome.error.message.find(lie.words)) << outcome.error.message;
    EXPECT_LE(outcome.peak, allowed_bytes(bad.size()));
  }
}

}  // namespace
}  // namespace berth::program
