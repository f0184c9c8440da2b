// Running a method: instructions, branches, moves, views, lists, failures.
#include "runtime/exec/method.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/exec/method_test_util.h"

namespace berth::runtime::method_tests {
namespace {

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

// Memory that the method is built in may hold anything.
TEST(MethodTest, TensorsOfAPoolWithoutBytesAreNowhere) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::copy", "out"}};
  m.values = {make::planned({0}, 0), make::planned({0}, 0), make::planned({0}, 0)};
  m.inputs = {0};
  m.outputs = {1, 2};
  m.code() = {make::call(0, {0, 1, 1}), make::call(0, {0, 2, 2})};
  m.pool_sizes = {0, 0};
  Session s(file, 0xFF);
  EXPECT_EQ(s.method.output(0).tensor->data, nullptr);
  EXPECT_EQ(s.method.output(1).tensor->data, nullptr);
}

// out = in is zero ? 5 : 9
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

}  // namespace
}  // namespace berth::runtime::method_tests
