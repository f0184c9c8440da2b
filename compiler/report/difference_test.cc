#include "compiler/report/difference.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::report {
namespace {

// x -> one call with a constant and an int -> y.
program::Program one_call() {
  program::Program program;
  program.constants.push_back(program::Bytes(4, std::byte{1}));
  program::Method method;
  method.name = "forward";
  const auto add_tensor = [&](program::StorageKind kind) {
    program::Storage storage;
    storage.kind = kind;
    storage.nbytes = 4;
    storage.mem_id = 1;
    storage.offset = 16 * method.storages.size();
    storage.data = kind == program::StorageKind::kConstant ? 0 : -1;
    method.storages.push_back(storage);
    program::Tensor tensor;
    tensor.sizes = {1};
    tensor.dim_order = {0};
    tensor.storage = static_cast<int32_t>(method.storages.size()) - 1;
    method.values.emplace_back().data = tensor;
  };
  add_tensor(program::StorageKind::kPlanned);
  add_tensor(program::StorageKind::kPlanned);
  add_tensor(program::StorageKind::kConstant);
  method.values.emplace_back().data = int64_t{7};
  method.inputs = {0};
  method.outputs = {1};
  method.operators = {{"aten::add", "out"}};
  method.instructions.resize(1);
  method.instructions[0].call = program::KernelCall{0, {0, 2, 3, 1, 1}};
  method.pools = {{1, 32, 0, 0}};
  program::RecordedPlan plan;
  plan.value_buffer = {0, 1, -1, -1};
  plan.buffers = {{0, {{0, 1}}, Role::kInput, 16, -1, ""}, {1, {{0, 1}}, Role::kOutput, 16, 0, ""}};
  method.plan = plan;
  program.methods.push_back(method);
  return program;
}

std::vector<Difference> compare(const program::Program& a, const program::Program& b) {
  return find_differences(a, build_report(a, "a", 0), b, build_report(b, "b", 0));
}

TEST(Difference, AProgramIsLikeItself) { EXPECT_TRUE(compare(one_call(), one_call()).empty()); }

TEST(Difference, AnotherNumberingOfValuesIsNoDifference) {
  program::Program b = one_call();
  program::Method& method = b.methods[0];
  std::swap(method.values[2], method.values[3]);
  method.instructions[0].call = program::KernelCall{0, {0, 3, 2, 1, 1}};
  EXPECT_TRUE(compare(one_call(), b).empty());
}

TEST(Difference, InterfaceIsShapesTypesAndWhoBinds) {
  program::Program b = one_call();
  b.methods[0].values[0].tensor()->dtype = ScalarType::kInt;
  b.methods[0].storages[1].kind = program::StorageKind::kCaller;
  b.methods[0].plan.reset();
  const auto found = compare(one_call(), b);
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0].part, "interface");
  EXPECT_EQ(found[0].place, "forward: input 0");
  EXPECT_EQ(found[0].a, "%0 f32[1]");
  EXPECT_EQ(found[0].b, "%0 i32[1]");
  EXPECT_EQ(found[1].place, "forward: output 0");
  EXPECT_EQ(found[1].b, "%1 f32[1], bound by the caller");
}

TEST(Difference, InstructionsAreOperatorsAndArguments) {
  program::Program b = one_call();
  b.methods[0].values[3].data = int64_t{8};
  auto found = compare(one_call(), b);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].part, "instructions");
  EXPECT_EQ(found[0].place, "forward: 0 aten::add.out, argument 2");
  EXPECT_EQ(found[0].a + " " + found[0].b, "7 8");
  b.methods[0].operators[0].name = "aten::sub";
  found = compare(one_call(), b);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].place, "forward: instruction 0");
  EXPECT_EQ(found[0].b, "aten::sub.out");
}

TEST(Difference, DataIsTheContentOfConstants) {
  program::Program b = one_call();
  b.constants[0] = program::Bytes{std::byte{1}, std::byte{1}, std::byte{1}, std::byte{2}};
  const auto found = compare(one_call(), b);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].part, "data");
  EXPECT_EQ(found[0].place, "forward: 0 aten::add.out, argument 1");
}

// x -> npu -> npu -> y, each call with an entry of its own; the blob is one.
program::Program two_delegates() {
  program::Program program = one_call();
  program.delegate_data = {program::Bytes(8, std::byte{5})};
  program::Method& method = program.methods[0];
  method.delegates = {{"npu", 0, {{"level", program::Bytes(1, std::byte{2})}}}};
  method.delegates.push_back(method.delegates[0]);
  method.instructions.resize(2);
  method.instructions[0].call = program::DelegateCall{0, {0, 1}};
  method.instructions[1].call = program::DelegateCall{1, {1, 1}};
  return program;
}

TEST(Difference, DelegatesAreHowManyWhoCallsThemAndWhatTheyAreMadeOf) {
  EXPECT_TRUE(compare(two_delegates(), two_delegates()).empty());
  // Another numbering of the table is none.
  program::Program b = two_delegates();
  std::get<program::DelegateCall>(b.methods[0].instructions[0].call).delegate = 1;
  std::get<program::DelegateCall>(b.methods[0].instructions[1].call).delegate = 0;
  EXPECT_TRUE(compare(two_delegates(), b).empty());

  b = two_delegates();
  std::get<program::DelegateCall>(b.methods[0].instructions[1].call).delegate = 0;
  b.methods[0].delegates.pop_back();
  auto found = compare(two_delegates(), b);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].part, "instructions");
  EXPECT_EQ(found[0].place, "forward: number of delegates");
  EXPECT_EQ(found[0].a + " " + found[0].b, "2 1");
  EXPECT_EQ(found[1].place, "forward: delegate 0, calls");
  EXPECT_EQ(found[1].a + " / " + found[1].b, "0 / 0, 1");

  b = two_delegates();
  b.methods[0].delegates[1].compile_specs[0].value[0] = std::byte{3};
  found = compare(two_delegates(), b);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].part, "data");
  EXPECT_EQ(found[0].place, "forward: delegate 1, compile specs");
  b.delegate_data.push_back(program::Bytes(9, std::byte{5}));
  b.methods[0].delegates[1].data = 1;
  found = compare(two_delegates(), b);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].place, "forward: delegate 1, blob");
  EXPECT_EQ(found[1].b.substr(0, 7), "9 bytes");
}

TEST(Difference, PlanIsBytesPerOwnerAndWhereTheyLie) {
  program::Program b = one_call();
  b.methods[0].storages[1].offset = 48;
  b.methods[0].pools[0].bytes = 64;
  const auto found = compare(one_call(), b);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].part, "plan");
  EXPECT_EQ(found[0].place, "forward: pool with mem_id 1");
  EXPECT_EQ(found[1].place, "forward: output of 0 aten::add.out");
  EXPECT_EQ(found[1].a, "16 bytes, mem1 at 16");
  EXPECT_EQ(found[1].b, "16 bytes, mem1 at 48");
}

TEST(Difference, MethodsAndNamedDataThatOneHasAlone) {
  program::Program b = one_call();
  b.methods[0].name = "decode";
  b.named_data.push_back({"weights", program::Bytes(3), 16});
  const auto found = compare(one_call(), b);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].place, "method forward");
  EXPECT_EQ(found[1].place, "method decode");
  EXPECT_EQ(found[2].place, "named data weights");
}

TEST(Difference, JsonSaysWhetherTheyAreTheSame) {
  const auto same = nlohmann::json::parse(json_differences({}, "a.pte", "b.pte"));
  EXPECT_EQ(same["same"], true);
  const auto other =
      nlohmann::json::parse(json_differences({{"data", "p", "1", "2"}}, "a.pte", "b.pte"));
  EXPECT_EQ(other["same"], false);
  EXPECT_EQ(other["differences"][0]["part"], "data");
}

}  // namespace
}  // namespace berth::report
