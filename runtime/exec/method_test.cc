#include "runtime/exec/method.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/runtime.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime {
namespace {

using berth::testing::AlignedBytes;
using berth::testing::TestFile;
using berth::testing::TestMethod;
namespace make = berth::testing;

// out = a + b, all planned: a at 0, b at 16, out at 32.
TestFile add_file() {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::add", "out"}};
  m.values = {make::planned({4}, 0), make::planned({4}, 16), make::planned({4}, 32)};
  m.inputs = {0, 1};
  m.outputs = {2};
  m.code() = {make::call(0, {0, 1, 2, 2})};
  m.pool_sizes = {0, 48};
  return file;
}

// The five calls of runtime.h.
TEST(MethodTest, AddsTwoTensorsInFiveCalls) {
  const AlignedBytes file(build_file(add_file()));
  const Span<const Kernel> kernels[] = {make::kernels()};
  AlignedBytes main_pool(48);
  AlignedBytes method_memory(4096);
  const PoolMemory pools[] = {{1, {main_pool.data(), main_pool.size()}}};

  Program program;
  ASSERT_EQ(program.open({file.data(), file.size()}), Status::kOk);
  MethodNeed need;
  ASSERT_EQ(program.need("forward", &need), Status::kOk);
  ASSERT_EQ(need.pool_count, 1u);
  EXPECT_EQ(need.pools[0].bytes, 48u);
  Method method;
  ASSERT_EQ(method.load(program, "forward", {kernels},
                        {{method_memory.data(), need.method_bytes}, pools}),
            Status::kOk);
  const float a[] = {1, 2, 3, 4};
  const float b[] = {10, 20, 30, 40};
  ASSERT_EQ(method.set_input(0, a, sizeof(a)), Status::kOk);
  EXPECT_EQ(method.execute(), Status::kInputNotSet);
  ASSERT_EQ(method.set_input(1, b, sizeof(b)), Status::kOk);
  ASSERT_EQ(method.execute(), Status::kOk);
  const Tensor& answer = *method.output(0).tensor;
  ASSERT_EQ(answer.nbytes(), 16u);
  EXPECT_EQ(answer.as<float>()[3], 44.0f);
  EXPECT_EQ(answer.data, main_pool.data() + 32);
}

// Loads a hand-made file into memory of its own.
class Session {
 public:
  explicit Session(const TestFile& file, uint8_t fill = 0) : bytes_(build_file(file)) {
    LoadFault fault;
    EXPECT_EQ(program.open({bytes_.data(), bytes_.size()}, &fault), Status::kOk) << fault.field;
    EXPECT_EQ(program.need("forward", &need, &fault), Status::kOk) << fault.field;
    own_ = AlignedBytes(need.method_bytes, fill);
    memory_.reserve(need.pool_count);
    for (uint32_t p = 0; p < need.pool_count; ++p) {
      memory_.emplace_back(need.pools[p].bytes, fill);
      pools_.push_back({need.pools[p].mem_id, {memory_[p].data(), memory_[p].size()}});
    }
    const Span<const Kernel> tables[] = {make::kernels()};
    EXPECT_EQ(method.load(program, "forward", {tables},
                          {{own_.data(), own_.size()}, {pools_.data(), pools_.size()}}, &fault),
              Status::kOk)
        << status_words(fault.status) << ": " << fault.field << " " << fault.index;
  }
  const float* output(uint32_t i) const { return method.output(i).tensor->as<float>(); }

  Program program;
  MethodNeed need;
  Method method;

 private:
  AlignedBytes bytes_;
  AlignedBytes own_;
  std::vector<AlignedBytes> memory_;
  std::vector<PoolMemory> pools_;
};

constexpr float kOnes[] = {1, 1, 1, 1};

TEST(MethodTest, RefusesInputsThatAreNotTheMethods) {
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

TEST(MethodTest, AScalarInputMustHaveTheFilesValue) {
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

TEST(MethodTest, UsesUnplannedInputsAndOutputsWhereTheCallerHasThem) {
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

TEST(MethodTest, APlannedOutputTakesNoMemory) {
  Session s(add_file());
  float out[4];
  EXPECT_EQ(s.method.set_output(0, out, sizeof(out)), Status::kBadState);
}

TEST(MethodTest, RefusesAProgramThatWritesTheCallersInput) {
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

// 0 is_zero(in) -> flag / 1 unless flag go to 4 / 2 fill 5 / 3 go to 5 / 4 fill 9 / 5 move / 6 copy
// out
TestFile branch_file() {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::is_zero", "out"}, {"test::fill", "out"}, {"test::copy", "out"}};
  m.values = {make::planned({1}, 0),  make::planned({1}, 16, 11), make::planned({1}, 32),
              make::planned({1}, 48), make::planned({1}, 64),     make::planned({1}, 80),
              make::int_value(5),     make::int_value(9),         make::bool_value(false)};
  const int32_t in = 0, flag = 1, yes = 2, no = 3, cell = 4, out = 5, five = 6, nine = 7, never = 8;
  m.inputs = {in};
  m.outputs = {out};
  m.code() = {make::call(0, {in, flag, flag}),
              make::jump_false(flag, 5),
              make::call(1, {five, yes, yes}),
              make::move(yes, cell),
              make::jump_false(never, 7),
              make::call(1, {nine, no, no}),
              make::move(no, cell),
              make::call(2, {cell, out, out})};
  m.pool_sizes = {0, 96};
  return file;
}

TEST(MethodTest, BranchesAndMovesTheResult) {
  Session s(branch_file());
  for (int run = 0; run < 2; ++run) {
    const float zero = 0, one = 1;
    ASSERT_EQ(s.method.set_input(0, &zero, 4), Status::kOk);
    ASSERT_EQ(s.method.execute(), Status::kOk);
    EXPECT_EQ(*s.output(0), 5.0f);
    ASSERT_EQ(s.method.set_input(0, &one, 4), Status::kOk);
    ASSERT_EQ(s.method.execute(), Status::kOk);
    EXPECT_EQ(*s.output(0), 9.0f);
  }
}

TEST(MethodTest, AMoveOfAConstantIsNeverWrittenThrough) {
  // 0 move constant -> cell / 1 double cell in place: only known when it runs.
  TestFile file;
  file.segments = {std::vector<uint8_t>(16, 1)};
  file.constants = make::TestSegments{0, {0, 0}};
  TestMethod& m = file.method();
  m.operators = {{"test::double_", ""}};
  m.values = {make::constant({4}, 1), make::planned({4}, 0)};
  m.outputs = {1};
  m.code() = {make::move(0, 1), make::call(0, {1, 1})};
  m.pool_sizes = {0, 16};
  Session s(file);
  EXPECT_EQ(s.method.execute(), Status::kBadState);
  EXPECT_EQ(s.method.stopped_at(), 1u);
}

// A view made at run time: out stands for the input's bytes.
TestFile view_file(bool skip_view) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"executorch_prim::et_view", "default"}, {"test::copy", "out"}};
  m.values = {make::planned({4}, 0),
              make::tensor_value({2, 2}),
              make::planned({2, 2}, 16),
              make::int_value(2),
              make::list_value(make::kIntList, {3, 3}),
              make::bool_value(false)};
  m.inputs = {0};
  m.outputs = {2};
  m.code() = {make::jump_false(5, skip_view ? 2 : 1), make::call(0, {0, 4, 1}),
              make::call(1, {1, 2, 2})};
  m.pool_sizes = {0, 32};
  return file;
}

TEST(MethodTest, ViewsMadeAtRunTimeStandForTheirSource) {
  Session s(view_file(false));
  const float in[] = {1, 2, 3, 4};
  ASSERT_EQ(s.method.set_input(0, in, 16), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(s.output(0)[3], 4.0f);
}

TEST(MethodTest, AViewThatWasNeverMadeIsNotRead) {
  Session s(view_file(true));
  ASSERT_EQ(s.method.set_input(0, kOnes, 16), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kBadState);
  EXPECT_EQ(s.method.stopped_at(), 2u);
}

TEST(MethodTest, ALoopWithoutEndIsStopped) {
  TestFile file;
  file.method().values = {make::bool_value(false)};
  file.method().code() = {make::jump_false(0, 0)};
  Session s(file);
  EXPECT_EQ(s.method.execute(1000), Status::kTooManySteps);
  EXPECT_EQ(s.method.execute(), Status::kTooManySteps);
}

TEST(MethodTest, CountsInCellsOfItsOwn) {
  // 0 cell += 1: cells keep their values between runs.
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::count", "Int"}};
  m.values = {make::int_value(1), make::int_value(0)};
  m.outputs = {1};
  m.code() = {make::call(0, {0, 1})};
  Session s(file);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(s.method.output(0).integer, 2);
}

TEST(MethodTest, SaysWhereAKernelFailed) {
  TestFile file = add_file();
  file.method().operators.push_back({"test::fail", "out"});
  file.method().code().push_back(make::call(1, {0, 2, 2}));
  file.method().code().push_back(make::call(0, {0, 1, 2, 2}));
  Session s(file);
  ASSERT_EQ(s.method.set_input(0, kOnes, 16), Status::kOk);
  ASSERT_EQ(s.method.set_input(1, kOnes, 16), Status::kOk);
  EXPECT_EQ(s.method.execute(), Status::kKernelFailed);
  EXPECT_EQ(s.method.stopped_at(), 1u);
}

TEST(MethodTest, StateStartsWithTheFilesBytesAndStays) {
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

TEST(MethodTest, ADynamicInputMayShrinkAndGrowWithinItsBound) {
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

TEST(MethodTest, RunsChainsOneAfterTheOther) {
  TestFile file = add_file();
  // A jump past the end of the first chain goes on with the second.
  file.method().values.push_back(make::bool_value(false));
  file.method().chains = {{make::jump_false(3, 2), make::call(0, {0, 0, 2, 2})},
                          {make::call(0, {0, 1, 2, 2})}};
  Session s(file);
  const float twos[] = {2, 2, 2, 2};
  ASSERT_EQ(s.method.set_input(0, kOnes, 16), Status::kOk);
  ASSERT_EQ(s.method.set_input(1, twos, 16), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(s.output(0)[0], 3.0f);
}

TEST(MethodTest, FreedTensorsKeepTheirPlannedBytes) {
  TestFile file = add_file();
  file.method().code().push_back(make::free_value(0));
  Session s(file);
  ASSERT_EQ(s.method.set_input(0, kOnes, 16), Status::kOk);
  ASSERT_EQ(s.method.set_input(1, kOnes, 16), Status::kOk);
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(s.method.execute(), Status::kOk);
    EXPECT_EQ(s.output(0)[0], 2.0f);
  }
}

TEST(MethodTest, SeveralOutsAndListsOfTensors) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::split", "outs"}, {"test::sum", "out"}};
  m.values = {make::planned({4}, 0), make::planned({2}, 16), make::planned({2}, 32),
              make::list_value(make::kTensorList, {1, 2}), make::planned({2}, 48)};
  m.inputs = {0};
  m.outputs = {4};
  m.code() = {make::call(0, {0, 1, 2, 3}), make::call(1, {3, 4, 4})};
  m.pool_sizes = {0, 56};
  Session s(file);
  const float in[] = {1, 2, 3, 4};
  ASSERT_EQ(s.method.set_input(0, in, 16), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(s.output(0)[0], 4.0f);
  EXPECT_EQ(s.output(0)[1], 6.0f);
}

TEST(MethodTest, AListOfOutsIsWritten) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::parts", "out"}, {"test::sum", "out"}};
  m.values = {make::planned({6}, 0),
              make::planned({2}, 32),
              make::planned({2}, 48),
              make::planned({2}, 64),
              make::list_value(make::kTensorList, {1, 2, 3}),
              make::list_value(make::kTensorList, {1, 2, 3}),
              make::planned({2}, 80)};
  m.inputs = {0};
  m.outputs = {6};
  m.code() = {make::call(0, {0, 4, 5}), make::call(1, {4, 6, 6})};
  m.pool_sizes = {0, 96};
  Session s(file);
  const float in[] = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(s.method.set_input(0, in, 24), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(s.output(0)[0], 9.0f);
  EXPECT_EQ(s.output(0)[1], 12.0f);
}

TEST(MethodTest, DescribesInputsAndOutputsWithoutLoading) {
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

TEST(MethodTest, EveryCallThatTakesAFaultNotesTheStatus) {
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

TEST(MethodTest, AProvenPlanSaysSo) {
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
}  // namespace berth::runtime
