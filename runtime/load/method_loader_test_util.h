// What the loader's tests load: a program that has one of everything, the memory it is given, and
// what came of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/load/method_loader.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime::loader_tests {

namespace make = berth::testing;
using make::TestFile;
using make::TestMethod;

// Values of sample_file, and its operators.
enum Value {
  kA,
  kB,
  kOut,
  kConstant,
  kState,
  kScratch,
  kOne,
  kHalf,
  kTrue,
  kText,
  kList,
  kInts,
  kNothing,
  kMask,
  kDynamic
};
enum Op { kAddOp, kSumOp, kScratchOp, kCopyOp, kUpdateOp, kAllOp, kPartsOp };

// A program that has one of everything; every kind of argument occurs in its last kernel call.
inline TestFile sample_file() {
  TestFile file;
  file.segments = {std::vector<uint8_t>(80, 1), std::vector<uint8_t>(48, 2)};
  file.constants = make::TestSegments{0, {0, 16}};
  file.mutable_data = {{1, {0, 32}}};
  TestMethod& m = file.method();
  m.operators = {{"test::add", "out"},  {"test::sum", "out"},  {"test::scratch", "out"},
                 {"test::copy", "out"}, {"test::double_", ""}, {"test::all", "out"},
                 {"test::parts", "out"}};
  m.values.resize(15);
  m.values[kA] = make::planned({4}, 0);
  m.values[kB] = make::planned({2, 2}, 16);
  m.values[kOut] = make::planned({4}, 32);
  m.values[kConstant] = make::constant({4}, 1);
  m.values[kState] = make::planned({4}, 48);
  m.values[kState].data = 1;
  m.values[kScratch] = make::planned({16}, 64, 0);
  m.values[kOne] = make::int_value(1);
  m.values[kHalf] = make::double_value(0.5);
  m.values[kTrue] = make::bool_value(true);
  m.values[kText] = make::string_value("text");
  m.values[kList] = make::list_value(make::kTensorList, {kA, kConstant});
  m.values[kInts] = make::list_value(make::kIntList, {kOne, kOne});
  m.values[kNothing].kind = make::kNone;
  m.values[kMask] = make::planned({1}, 80, 11);
  m.values[kDynamic] = make::planned({4}, 96);
  m.values[kDynamic].dynamism = 1;
  m.values.push_back(make::list_value(make::kDoubleList, {}));
  m.values.push_back(make::list_value(make::kBoolList, {1, 0}));
  const int32_t doubles = 15, bools = 16, optional = 17, parts = 18, parts_again = 19;
  m.values.push_back(make::list_value(make::kOptionalTensorList, {-1, kA, kNothing}));
  m.values.push_back(make::list_value(make::kTensorList, {kB, kOut}));
  m.values.push_back(make::list_value(make::kTensorList, {kB, kOut}));
  m.inputs = {kA};
  m.outputs = {kOut, kOne};
  m.code() = {make::call(kAddOp, {kA, kConstant, kOut, kOut}),
              make::call(kSumOp, {kList, kOut, kOut}),
              make::call(kScratchOp, {kA, kScratch, kOut, kOut}),
              make::jump_false(kMask, 5),
              make::call(kUpdateOp, {kState, kState}),
              make::move(kOut, kDynamic),
              make::free_value(kA),
              make::call(kAllOp, {kA,       kNothing, kList,    kOne,  kNothing, kTrue,
                                  kHalf,    kNothing, kTrue,    kInts, doubles,  bools,
                                  kText,    optional, kNothing, kTrue, kInts,    doubles,
                                  kNothing, kScratch, kOut,     kOut}),
              make::call(kPartsOp, {kConstant, parts, parts_again})};
  m.pool_sizes = {0, 112};
  return file;
}

struct Outcome {
  Status status = Status::kOk;
  LoadFault fault;
};

struct Given {
  size_t pool_bytes = SIZE_MAX;  // all that is needed
  size_t method_bytes = SIZE_MAX;
  size_t pool_shift = 0;
  size_t method_shift = 0;
  bool require_plan_record = false;
  Span<const Kernel> kernels = make::kernels();
};

inline Outcome load(const std::vector<uint8_t>& content, const Given& given = {}) {
  Outcome outcome;
  LoadFaults faults(&outcome.fault);
  const make::AlignedBytes bytes(content);
  ProgramFile file;
  outcome.status = open_program({bytes.data(), bytes.size()}, &file, faults);
  if (outcome.status != Status::kOk) return outcome;
  MethodTables tables;
  outcome.status = open_method(file, "forward", &tables, faults);
  if (outcome.status != Status::kOk) return outcome;
  MethodNeed need;
  outcome.status = measure_method(file, tables, &need, faults);
  if (outcome.status != Status::kOk) return outcome;
  std::vector<make::AlignedBytes> memory;
  std::vector<PoolMemory> pools;
  for (uint32_t p = 0; p < need.pool_count; ++p) {
    const size_t size = std::min<size_t>(need.pools[p].bytes, given.pool_bytes);
    if (size > 1 << 20) {
      pools.push_back({need.pools[p].mem_id, {}});
      continue;
    }
    memory.emplace_back(size + given.pool_shift);
    pools.push_back({need.pools[p].mem_id, {memory.back().data() + given.pool_shift, size}});
  }
  const size_t own_size = std::min<size_t>(need.method_bytes, given.method_bytes);
  make::AlignedBytes own(own_size + given.method_shift);
  const Span<const Kernel> tables_given[] = {given.kernels};
  LoadedMethod* method = nullptr;
  outcome.status = load_method(
      file, "forward", {tables_given, given.require_plan_record},
      {{own.data() + given.method_shift, own_size}, {pools.data(), pools.size()}}, &method, faults);
  return outcome;
}

inline void expect_fault(const Outcome& outcome, Status status, const std::string& field) {
  EXPECT_EQ(outcome.status, status) << status_words(outcome.status);
  EXPECT_EQ(outcome.fault.field, field);
}

}  // namespace berth::runtime::loader_tests
