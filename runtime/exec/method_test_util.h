// What the tests of methods share: a file that adds two tensors, and a session that loads a
// hand-made file into memory of its own.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "runtime/runtime.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime::method_tests {

using berth::testing::AlignedBytes;
using berth::testing::TestFile;
using berth::testing::TestMethod;
namespace make = berth::testing;

inline constexpr float kOnes[] = {1, 1, 1, 1};

// out = a + b, all planned: a at 0, b at 16, out at 32.
inline TestFile add_file() {
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
    EXPECT_EQ(load(&fault), Status::kOk)
        << status_words(fault.status) << ": " << fault.field << " " << fault.index;
  }
  Status load(LoadFault* fault = nullptr) {
    const Span<const Kernel> tables[] = {make::kernels()};
    return method.load(program, "forward", {tables},
                       {{own_.data(), own_.size()}, {pools_.data(), pools_.size()}}, fault);
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

}  // namespace berth::runtime::method_tests
