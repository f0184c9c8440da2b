// What goes into a method and comes out, before, between and after runs: inputs, outputs, state,
// metadata.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/exec/method.h"
#include "runtime/exec/method_test_util.h"

namespace berth::runtime::method_tests {
namespace {

TEST(MethodInterfaceTest, RefusesInputsThatAreNotTheMethods) {
  Session s(add_file());
  const int32_t four[] = {4}, two_by_two[] = {2, 2}, five[] = {5};
  EXPECT_EQ(s.method.set_input(2, kOnes, 16), Status::kBadIndex);
  EXPECT_EQ(s.method.set_input(0, kOnes, 12), Status::kBadInput);
  EXPECT_EQ(s.method.set_input(0, nullptr, 16), Status::kBadInput);
  EXPECT_EQ(s.method.set_input_int(0, 1), Status::kBadInput);
  EXPECT_EQ(s.method.set_input(0, {kOnes, ScalarType::kInt, four}), Status::kBadInput);
  EXPECT_EQ(s.method.set_input(0, {kOnes, ScalarType::kFloat, two_by_two}), Status::kBadInput);
  EXPECT_EQ(s.method.set_input(0, {kOnes, ScalarType::kFloat, five}), Status::kBadInput);
  EXPECT_EQ(s.method.execute(), Status::kInputNotSet);
  EXPECT_EQ(s.method.set_input(0, {kOnes, ScalarType::kFloat, four}), Status::kOk);
  EXPECT_EQ(s.method.set_input(1, {kOnes, ScalarType::kFloat, four}), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(s.output(0)[0], 2.0f);
  EXPECT_EQ(s.method.execute(), Status::kOk) << "inputs stay set";
}

TEST(MethodInterfaceTest, AnInputMayLieInThePoolThatItGoesTo) {
  Session s(add_file());
  float* const a = s.method.input(0).tensor->as_mutable<float>();
  float* const b = s.method.input(1).tensor->as_mutable<float>();
  ASSERT_EQ(a + 4, b);
  for (int i = 0; i < 8; ++i) a[i] = static_cast<float>(i);
  ASSERT_EQ(s.method.set_input(0, a + 1, 16), Status::kOk);  // down: 1, 2, 3, 4
  ASSERT_EQ(s.method.set_input(1, b - 1, 16), Status::kOk);  // up: 4, 4, 5, 6
  ASSERT_EQ(s.method.execute(), Status::kOk);
  const float sums[] = {5, 6, 8, 10};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(s.output(0)[i], sums[i]) << i;
  ASSERT_EQ(s.method.set_input(0, a, 16), Status::kOk);  // where it is
  EXPECT_EQ(a[3], 4.0f);
}

TEST(MethodInterfaceTest, AScalarInputMustHaveTheFilesValue) {
  TestFile file;
  TestMethod& m = file.method();
  m.values = {make::int_value(7),      make::bool_value(true),
              make::double_value(2.0), make::string_value("mode"),
              make::TestValue(),       make::list_value(make::kIntList, {})};
  m.inputs = {0, 1, 2, 3, 4};
  m.outputs = {0};
  Session s(file);
  EXPECT_EQ(s.method.set_input_int(0, 8), Status::kBadInput);
  EXPECT_EQ(s.method.set_input_int(0, 7), Status::kOk);
  EXPECT_EQ(s.method.set_input_bool(1, false), Status::kBadInput);
  EXPECT_EQ(s.method.set_input_bool(1, true), Status::kOk);
  EXPECT_EQ(s.method.set_input_double(2, 2.001), Status::kBadInput);
  EXPECT_EQ(s.method.set_input_double(2, 2.00005), Status::kOk);
  EXPECT_EQ(s.method.set_input_string(3, {"made", 4}), Status::kBadInput);
  EXPECT_EQ(s.method.set_input_string(3, {"mode", 4}), Status::kOk);
  EXPECT_EQ(s.method.set_input(3, kOnes, 4), Status::kBadInput);
  EXPECT_EQ(s.method.execute(), Status::kInputNotSet) << "none has to be given too";
  EXPECT_EQ(s.method.set_input_none(4), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(s.method.output(0).integer, 7);
}

TEST(MethodInterfaceTest, UsesUnplannedInputsAndOutputsWhereTheCallerHasThem) {
  TestFile file = add_file();
  for (size_t v : {size_t{0}, size_t{2}}) file.method().values[v].place = {};
  Session s(file);
  alignas(16) float a[] = {1, 2, 3, 4}, b[] = {1, 1, 1, 1}, out[4] = {}, other[4] = {};
  EXPECT_EQ(s.method.set_input(0, reinterpret_cast<const char*>(a) + 2, 16), Status::kMisaligned);
  ASSERT_EQ(s.method.set_input(0, a, 16), Status::kOk);
  ASSERT_EQ(s.method.set_input(1, b, 16), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kInputNotSet) << "no memory for the output yet";
  EXPECT_EQ(s.method.set_output(1, out, 16), Status::kBadIndex);
  EXPECT_EQ(s.method.set_output(0, out, 15), Status::kTooSmall);
  EXPECT_EQ(s.method.set_output(0, reinterpret_cast<char*>(out) + 1, 16), Status::kMisaligned);
  ASSERT_EQ(s.method.set_output(0, out, 16), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(out[3], 5.0f);
  a[3] = 7;  // the caller's bytes are read where they are
  ASSERT_EQ(s.method.set_output(0, other, 16), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(other[3], 8.0f);
  EXPECT_EQ(out[3], 5.0f);
}

TEST(MethodInterfaceTest, APlannedOutputTakesNoMemory) {
  Session s(add_file());
  float out[4];
  EXPECT_EQ(s.method.set_output(0, out, sizeof(out)), Status::kBadState);
}

TEST(MethodInterfaceTest, RefusesAProgramThatWritesTheCallersInput) {
  TestFile file = add_file();
  file.method().values[0].place = {};
  file.method().operators[0] = {"test::double_", ""};
  file.method().code() = {make::call(0, {0, 0})};
  const AlignedBytes bytes(build_file(file));
  Program program;
  ASSERT_EQ(program.open({bytes.data(), bytes.size()}), Status::kOk);
  AlignedBytes own(4096), pool(48);
  const PoolMemory pools[] = {{1, {pool.data(), 48}}};
  const Span<const Kernel> tables[] = {make::kernels()};
  Method method;
  EXPECT_EQ(method.load(program, "forward", {tables}, {{own.data(), own.size()}, pools}),
            Status::kUnsupported);
}

TEST(MethodInterfaceTest, StateStartsWithTheFilesBytesAndStays) {
  TestFile file;
  file.segments = {std::vector<uint8_t>(16)};
  const float start[] = {1, 2, 3, 4};
  memcpy(file.segments[0].data(), start, 16);
  file.mutable_data = {{0, {0, 0}}};
  TestMethod& m = file.method();
  m.operators = {{"test::double_", ""}};
  m.values = {make::planned({4}, 0)};
  m.values[0].data = 1;
  m.outputs = {0};
  m.code() = {make::call(0, {0, 0})};
  m.pool_sizes = {0, 16};
  for (uint8_t fill : {uint8_t{0}, uint8_t{0xff}}) {
    Session s(file, fill);
    ASSERT_EQ(s.method.execute(), Status::kOk);
    EXPECT_EQ(s.output(0)[3], 8.0f);
    ASSERT_EQ(s.method.execute(), Status::kOk);
    EXPECT_EQ(s.output(0)[3], 16.0f);
  }
}

// Two methods that double one state, each with its own memory but for the pool of the state.
TEST(MethodInterfaceTest, MethodsShareStateThroughThePoolTheyAreGivenAndALoadIsAReset) {
  TestFile file;
  file.segments = {std::vector<uint8_t>(16)};
  const float start[] = {1, 2, 3, 4};
  memcpy(file.segments[0].data(), start, 16);
  file.mutable_data = {{0, {0, 0}}};
  TestMethod& m = file.method();
  m.name = "first";
  m.operators = {{"test::double_", ""}};
  m.values = {make::planned({4}, 0, 6, 2)};
  m.values[0].data = 1;
  m.outputs = {0};
  m.code() = {make::call(0, {0, 0})};
  m.pool_sizes = {0, 0, 16};
  file.methods.push_back(m);
  file.methods[1].name = "second";
  const AlignedBytes bytes(build_file(file));
  Program program;
  ASSERT_EQ(program.open({bytes.data(), bytes.size()}), Status::kOk);
  AlignedBytes state(16, 0xff), first_memory(1024), second_memory(1024);
  const PoolMemory pools[] = {{2, {state.data(), state.size()}}};
  const Span<const Kernel> kernels[] = {make::kernels()};
  Method first, second;
  const auto load = [&](const char* name, AlignedBytes& memory, Method* method) {
    return method->load(program, name, {kernels}, {{memory.data(), memory.size()}, pools});
  };
  ASSERT_EQ(load("first", first_memory, &first), Status::kOk);
  ASSERT_EQ(load("second", second_memory, &second), Status::kOk);
  ASSERT_EQ(first.execute(), Status::kOk);
  ASSERT_EQ(second.execute(), Status::kOk);
  EXPECT_EQ(first.output(0).tensor->as<float>()[3], 16.0f);
  EXPECT_EQ(second.output(0).tensor->as<float>()[3], 16.0f);
  ASSERT_EQ(load("second", second_memory, &second), Status::kOk);
  ASSERT_EQ(first.execute(), Status::kOk);
  EXPECT_EQ(first.output(0).tensor->as<float>()[3], 8.0f) << "the load gave the first bytes again";
}

TEST(MethodInterfaceTest, ALoadUnsetsTheInputs) {
  Session s(add_file());
  ASSERT_EQ(s.method.set_input(0, kOnes, 16), Status::kOk);
  ASSERT_EQ(s.method.set_input(1, kOnes, 16), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  ASSERT_EQ(s.load(), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kInputNotSet);
  ASSERT_EQ(s.method.set_input(0, kOnes, 16), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kInputNotSet);
  ASSERT_EQ(s.method.set_input(1, kOnes, 16), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kOk);
}

TEST(MethodInterfaceTest, ADynamicInputMayShrinkAndGrowWithinItsBound) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::copy", "out"}};
  m.values = {make::planned({4, 2}, 0), make::planned({4, 2}, 32)};
  for (auto& v : m.values) v.dynamism = 1;
  m.inputs = {0};
  m.outputs = {1};
  m.code() = {make::call(0, {0, 1, 1})};
  m.pool_sizes = {0, 64};
  Session s(file);
  const float in[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (int32_t rows : {1, 4, 0, 3}) {
    const int32_t sizes[] = {rows, 2};
    ASSERT_EQ(s.method.set_input(0, {in, ScalarType::kFloat, sizes}), Status::kOk) << rows;
    ASSERT_EQ(s.method.execute(), Status::kOk);
    EXPECT_EQ(s.method.output(0).tensor->nbytes(), static_cast<size_t>(rows) * 8);
    EXPECT_EQ(s.method.output(0).tensor->size(0), rows);
  }
  const int32_t three_wide[] = {2, 3};  // bytes enough, but not that way
  EXPECT_EQ(s.method.set_input(0, {in, ScalarType::kFloat, three_wide}), Status::kBadInput);
  const int32_t five[] = {5, 2}, huge[] = {INT32_MAX, INT32_MAX}, negative[] = {-1, 2},
                flat[] = {8};
  EXPECT_EQ(s.method.set_input(0, {in, ScalarType::kFloat, five}), Status::kBadInput);
  EXPECT_EQ(s.method.set_input(0, {in, ScalarType::kFloat, huge}), Status::kBadInput);
  EXPECT_EQ(s.method.set_input(0, {in, ScalarType::kFloat, negative}), Status::kBadInput);
  EXPECT_EQ(s.method.set_input(0, {in, ScalarType::kFloat, flat}), Status::kBadInput);
  EXPECT_EQ(s.method.output(0).tensor->size(0), 3) << "nothing changed";
}

TEST(MethodInterfaceTest, DescribesInputsAndOutputsWithoutLoading) {
  TestFile file = add_file();
  file.method().values[0].place = {};
  file.method().values.push_back(make::int_value(3));
  file.method().inputs.push_back(3);
  file.methods.push_back(file.method());
  file.methods[1].name = "other";
  file.methods[1].outputs = {77};
  const AlignedBytes bytes(build_file(file));
  Program program;
  ASSERT_EQ(program.open({bytes.data(), bytes.size()}), Status::kOk);
  EXPECT_EQ(program.method_count(), 2u);
  const char* name = nullptr;
  ASSERT_EQ(program.method_name(1, &name), Status::kOk);
  EXPECT_STREQ(name, "other");
  EXPECT_EQ(program.method_name(2, &name), Status::kBadIndex);
  MethodMeta meta;
  EXPECT_EQ(program.describe("none", &meta), Status::kNoSuchMethod);
  ASSERT_EQ(program.describe("forward", &meta), Status::kOk);
  ASSERT_EQ(meta.input_count(), 3u);
  ValueMeta value;
  ASSERT_EQ(meta.input(0, &value), Status::kOk);
  EXPECT_EQ(value.nbytes, 16u);
  EXPECT_EQ(value.rank, 1u);
  EXPECT_FALSE(value.planned);
  ASSERT_EQ(meta.input(2, &value), Status::kOk);
  EXPECT_EQ(value.tag, Tag::kInt);
  EXPECT_EQ(meta.input(3, &value), Status::kBadIndex);
  ASSERT_EQ(meta.output(0, &value), Status::kOk);
  EXPECT_TRUE(value.planned);
  ASSERT_EQ(program.describe("other", &meta), Status::kOk);
  LoadFault fault;
  EXPECT_EQ(meta.output(0, &value, &fault), Status::kBadIndex);
  EXPECT_STREQ(fault.field, "outputs");
  EXPECT_EQ(fault.status, Status::kBadIndex);
}

TEST(MethodInterfaceTest, EveryCallThatTakesAFaultNotesTheStatus) {
  const AlignedBytes bytes(build_file(add_file()));
  LoadFault fault;
  Program program;
  EXPECT_EQ(program.open({bytes.data() + 1, bytes.size() - 1}, &fault), fault.status);
  EXPECT_EQ(fault.status, Status::kMisaligned);
  ASSERT_EQ(program.open({bytes.data(), bytes.size()}, &fault), Status::kOk);
  const char* name = nullptr;
  MethodNeed need;
  MethodMeta meta;
  Method method;
  EXPECT_EQ(program.method_name(1, &name, &fault), Status::kBadIndex);
  EXPECT_EQ(fault.status, Status::kBadIndex);
  EXPECT_EQ(program.need("none", &need, &fault), Status::kNoSuchMethod);
  EXPECT_EQ(fault.status, Status::kNoSuchMethod);
  fault = {};
  EXPECT_EQ(program.describe("none", &meta, &fault), fault.status);
  EXPECT_EQ(method.load(program, "forward", {}, {}, &fault), Status::kTooSmall);
  EXPECT_EQ(fault.status, Status::kTooSmall);
  EXPECT_FALSE(method.is_loaded());
}

TEST(MethodInterfaceTest, AProvenPlanSaysSo) {
  TestFile file = add_file();
  file.record = make::TestRecord();
  make::TestMethodRecord record;
  record.instruction_count = 1;
  record.value_buffer = {0, 1, 2};
  record.buffers = {{0, {{0, 1}}, 0, 16}, {1, {{0, 1}}, 0, 16}, {2, {{0, 1}}, 1, 16}};
  file.record->methods = {record};
  Session proven(file);
  EXPECT_TRUE(proven.method.is_proven());
  Session unknown(add_file());
  EXPECT_FALSE(unknown.method.is_proven());
}

}  // namespace
}  // namespace berth::runtime::method_tests
