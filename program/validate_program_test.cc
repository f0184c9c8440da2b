#include "program/validate_program.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "program/sample_program.h"

namespace berth::program {
namespace {

struct Break {
  const char* place;
  const char* words;
  void (*apply)(Program&);
};

Method& method(Program& p) { return p.methods[0]; }
Storage& storage(Program& p, size_t i) { return p.methods[0].storages[i]; }
Tensor& tensor(Program& p, size_t i) { return *p.methods[0].values[i].tensor(); }
RecordedPlan& recorded(Program& p) { return *p.methods[0].plan; }

// The rules that only structs can break; lies_test.cc breaks those that files can.
const Break kBreaks[] = {
    {"execution_plan[0].values[0].storage", "8; must be 0..7",
     [](auto& p) { tensor(p, 0).storage = 8; }},
    {"execution_plan[0].values[0].storage", "-1", [](auto& p) { tensor(p, 0).storage = -1; }},
    {"execution_plan[0].values[0].offset", "storages[0] has 48",
     [](auto& p) { tensor(p, 0).offset = 4; }},
    {"execution_plan[0].values[0].offset", "18446744073709551615",
     [](auto& p) { tensor(p, 0).offset = UINT64_MAX; }},
    {"execution_plan[0].storages[0].alignment", "24; must be a power of two",
     [](auto& p) { storage(p, 0).alignment = 24; }},
    {"execution_plan[0].storages[0].alignment", "0; must be a power of two",
     [](auto& p) { storage(p, 0).alignment = 0; }},
    {"execution_plan[0].storages[3].owner", "7", [](auto& p) { storage(p, 3).owner = 7; }},
    {"execution_plan[0].storages[0].mem_id", "numbered from 1",
     [](auto& p) { storage(p, 0).mem_id = 0; }},
    {"execution_plan[0].storages[0].mem_id", "no such arena",
     [](auto& p) { storage(p, 0).mem_id = 4; }},
    {"execution_plan[0].storages[0].offset", "arena 1 has 256",
     [](auto& p) { storage(p, 0).offset = 209; }},
    {"execution_plan[0].storages[0].offset", "arena 1 has 256",
     [](auto& p) { storage(p, 0).offset = UINT64_MAX; }},
    {"execution_plan[0].storages[4].data", "1; must be 0..0",
     [](auto& p) { storage(p, 4).data = 1; }},
    {"execution_plan[0].storages[4].nbytes", "its data has 64",
     [](auto& p) { storage(p, 4).nbytes = 65; }},
    {"execution_plan[0].storages[2].data", "-2", [](auto& p) { storage(p, 2).data = -2; }},
    {"execution_plan[0].storages[2]", "no value covers",
     [](auto& p) {
       storage(p, 2).nbytes = 31;
       tensor(p, 2).sizes = {7};
     }},
    {"execution_plan[0].values[9]", "only one value may have them",
     [](auto& p) {
       tensor(p, 9).storage = 6;
       tensor(p, 9).sizes = {1, 1};
       tensor(p, 9).offset = 0;
     }},
    {"execution_plan[0].values[7].offset", "must be 0",
     [](auto& p) {
       tensor(p, 7).sizes = {1};
       tensor(p, 7).offset = 4;
     }},
    {"execution_plan[0].values[9]", "fully_qualified_name is another",
     [](auto& p) {
       tensor(p, 9) = tensor(p, 6);
       tensor(p, 9).fully_qualified_name = "other.weight";
     }},
    {"execution_plan[0].values[0].extra_tensor_info.location", "does not fit the storage",
     [](auto& p) { tensor(p, 0).external = true; }},
    {"execution_plan[0].values[6].extra_tensor_info.location", "does not fit the storage",
     [](auto& p) { tensor(p, 6).external = false; }},
    {"execution_plan[0].non_const_buffer_sizes[1]", "must rise",
     [](auto& p) { method(p).pools[1].mem_id = 1; }},
    {"execution_plan[0].non_const_buffer_sizes[0]", "1..65535",
     [](auto& p) { method(p).pools[0].mem_id = 0; }},
    {"execution_plan[0].non_const_buffer_sizes[1]", "2^63",
     [](auto& p) { method(p).pools[0].bytes = UINT64_MAX; }},
    {"execution_plan[0].chains", "instruction 0", [](auto& p) { method(p).chain_begins = {1}; }},
    {"execution_plan[0].chains", "instruction 0", [](auto& p) { method(p).chain_begins.clear(); }},
    {"execution_plan[0].chains[0]", "follow each other",
     [](auto& p) {
       method(p).chain_begins = {0, 8};
     }},
    {"execution_plan[0].chains[1]", "follow each other",
     [](auto& p) {
       method(p).chain_begins = {0, 5, 3};
     }},
    {"execution_plan[0].chains[0].instructions[2].destination_instruction", "5; must be 0..4",
     [](auto& p) {
       method(p).instructions[2].call = JumpFalseCall{12, 5};
     }},
    {"execution_plan[0].chains[0].instructions[0].in_place", "99",
     [](auto& p) { method(p).instructions[0].in_place[0].input = 99; }},
    {"execution_plan[0].chains[0].instructions[0].in_place", "no Tensor",
     [](auto& p) { method(p).instructions[0].in_place[0].output = 11; }},
    {"execution_plan[0].chains[0].instructions[1].input_count", "but 3 arguments",
     [](auto& p) { method(p).instructions[1].input_count = 3; }},
    {"execution_plan[0].chains[0].instructions[1].input_count", "belong together",
     [](auto& p) { method(p).instructions[1].output_count.reset(); }},
    {"execution_plan[0].chains[0].instructions[0].input_count", "DelegateCall",
     [](auto& p) {
       method(p).instructions[0].input_count = 1;
       method(p).instructions[0].output_count = 1;
     }},
    {"execution_plan[0].stacktrace", "one per instruction",
     [](auto& p) { method(p).stacktrace.pop_back(); }},
    {"execution_plan[0].delegates[0].processed", "2; must be 0..1",
     [](auto& p) { method(p).delegates[0].data = 2; }},
    {"named_data[0].key", "made from the plan",
     [](auto& p) { p.named_data[0].key = "berth.plan_record"; }},
    {"named_data[0].alignment", "3", [](auto& p) { p.named_data[0].alignment = 3; }},

    // the plan
    {"execution_plan[0].plan", "every method", [](auto& p) { method(p).plan.reset(); }},
    {"execution_plan[0].plan.value_buffer", "one per value",
     [](auto& p) { recorded(p).value_buffer.pop_back(); }},
    {"execution_plan[0].plan.value_buffer[9]", "one of 5 buffers",
     [](auto& p) { recorded(p).value_buffer[9] = 5; }},
    {"execution_plan[0].plan.value_buffer[9]", "-2",
     [](auto& p) { recorded(p).value_buffer[9] = -2; }},
    {"execution_plan[0].plan.value_buffer[9]", "not inside",
     [](auto& p) { recorded(p).value_buffer[9] = 0; }},
    {"execution_plan[0].plan.value_buffer[4]", "no tensor in a pool",
     [](auto& p) { recorded(p).value_buffer[4] = 0; }},
    {"execution_plan[0].plan.value_buffer[11]", "no tensor in a pool",
     [](auto& p) { recorded(p).value_buffer[11] = 0; }},
    {"execution_plan[0].plan.buffers[0].extent", "21",
     [](auto& p) { recorded(p).buffers[0].extent = 21; }},
    {"execution_plan[0].plan.buffers[0].extent", "no tensor in a pool",
     [](auto& p) { recorded(p).buffers[0].extent = 4; }},
    {"execution_plan[0].plan.buffers[0].extent", "value_buffer puts elsewhere",
     [](auto& p) { recorded(p).buffers[0].extent = 1; }},
    {"execution_plan[0].plan.buffers[1].live[1]", "begin at 3",
     [](auto& p) { recorded(p).buffers[1].live[1].begin = 2; }},
    {"execution_plan[0].plan.buffers[1].live[1]", "end at 7",
     [](auto& p) { recorded(p).buffers[1].live[1].end = 8; }},
    {"execution_plan[0].plan.buffers[1].live[0]", "not be empty",
     [](auto& p) {
       recorded(p).buffers[1].live[0] = {0, 0};
     }},
    {"execution_plan[0].plan.buffers[3].live", "no interval",
     [](auto& p) { recorded(p).buffers[3].live.clear(); }},
    {"execution_plan[0].plan.buffers[1].live[0].begin", "sorted by both",
     [](auto& p) {
       std::swap(recorded(p).buffers[0], recorded(p).buffers[1]);
       std::swap(recorded(p).value_buffer[0], recorded(p).value_buffer[1]);
       recorded(p).value_buffer[9] = 0;
     }},
    {"execution_plan[0].plan.buffers[2].role", "activation does not fit",
     [](auto& p) { recorded(p).buffers[2].role = Role::kActivation; }},
    {"execution_plan[0].plan.buffers[0].role", "state does not fit",
     [](auto& p) { recorded(p).buffers[0].role = Role::kState; }},
    {"execution_plan[0].plan.buffers[0].role", "7; must be 0..6",
     [](auto& p) { recorded(p).buffers[0].role = Role{7}; }},
    {"execution_plan[0].plan.buffers[0].owner", "7",
     [](auto& p) { recorded(p).buffers[0].owner = 7; }},
    {"execution_plan[0].plan.buffers[1].alignment", "begins at byte 48",
     [](auto& p) { recorded(p).buffers[1].alignment = 32; }},
    {"execution_plan[0].plan.pool_use[1].mem_id", "must rise",
     [](auto& p) { recorded(p).pool_use[1].mem_id = 1; }},

    // the record
    {"plan_record.feature_flags", "0x1", [](auto& p) { p.record->feature_flags = 1; }},
    {"plan_record.version", "begin at 1", [](auto& p) { p.record->version = 0; }},
    {"plan_record.isa", "5", [](auto& p) { p.record->isa = Isa{5}; }},
    {"plan_record.pools", "main occurs twice", [](auto& p) { p.record->pools[1].name = "main"; }},
    {"plan_record.pools", "mem_id 1 occurs twice", [](auto& p) { p.record->pools[1].mem_id = 1; }},
    {"plan_record.pools[0].alignment", "48", [](auto& p) { p.record->pools[0].alignment = 48; }},
    {"plan_record.pools[0].name", "empty", [](auto& p) { p.record->pools[0].name.clear(); }},
    {"plan_record.pools", "none has mem_id 3", [](auto& p) { p.record->pools.pop_back(); }},
};

TEST(Validate, SampleIsValid) {
  for (Placed placed : {Placed::kNotYet, Placed::kYes}) {
    auto error = validate(sample_program(), placed);
    EXPECT_FALSE(error.has_value()) << error->place << ": " << error->message;
    error = validate(add_program(), placed);
    EXPECT_FALSE(error.has_value()) << error->place << ": " << error->message;
  }
}

TEST(Validate, EachBrokenRuleIsNamed) {
  for (const Break& broken : kBreaks) {
    SCOPED_TRACE(broken.place);
    SCOPED_TRACE(broken.words);
    Program program = sample_program();
    broken.apply(program);
    const MaybeError error = validate(program, Placed::kYes);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(broken.place, error->place);
    EXPECT_NE(std::string::npos, error->message.find(broken.words)) << error->message;
  }
}

TEST(Validate, BeforePlacingNoPlaceIsNeeded) {
  Program program = add_program();
  program.record = Record();
  for (Storage& s : program.methods[0].storages) s.mem_id = 0;
  EXPECT_FALSE(validate(program, Placed::kNotYet).has_value());
  EXPECT_TRUE(validate(program, Placed::kYes).has_value());
}

// What a move or a view made at run time stands for lies in a pool, even if the value itself does
// not.
TEST(Validate, RepointedValuesNameABufferWithoutAPlace) {
  Program program = sample_program();
  method(program).instructions[3].call = MoveCall{0, 7};
  recorded(program).value_buffer[7] = 0;
  EXPECT_FALSE(validate(program, Placed::kYes).has_value());
  method(program).instructions[3].call = KernelCall{2, {0, 15, 7, 7}};
  method(program).operators.push_back({"executorch_prim::et_view", "default"});
  EXPECT_FALSE(validate(program, Placed::kYes).has_value());
  method(program).operators[2].overload = "other";
  EXPECT_TRUE(validate(program, Placed::kYes).has_value());
}

TEST(Validate, MethodWithoutInstructionsHasOneMoment) {
  Program program = add_program();
  Method& m = program.methods[0];
  m.instructions.clear();
  m.plan = RecordedPlan{};
  m.plan->value_buffer = {0, -1, -1, -1};
  m.plan->buffers = {RecordedBuffer{}};
  m.plan->buffers[0].live = {{0, 1}};
  m.plan->buffers[0].role = Role::kInput;
  EXPECT_FALSE(validate(program, Placed::kYes).has_value());
  m.plan->buffers[0].live = {{0, 2}};
  EXPECT_TRUE(validate(program, Placed::kYes).has_value());
}

}  // namespace
}  // namespace berth::program
