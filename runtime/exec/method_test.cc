#include "runtime/exec/method.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace berth::runtime
