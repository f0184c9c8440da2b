// Plans by hand for the tests of the certificate's proof: a method of small buffers with the record
// that it claims, and what the prover says to it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/load/certificate.h"
#include "runtime/load/method_loader.h"
#include "runtime/load/plan_record_slots.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime::certificate_tests {

namespace make = berth::testing;

inline constexpr uint8_t kInputRole = 0, kActivationRole = 2, kStateRole = 3, kScratchRole = 4;
// Operators, in the order of the table below.
enum Op {
  kWriteOp,
  kUseOp,
  kCopyOp,
  kUpdateOp,
  kCopyIntoOp,
  kSumOp,
  kScratchOp,
  kSplitOp,
  kViewOp,
  kPartsOp
};

// A method of float tensors of 4 elements (16 bytes), one per buffer unless told otherwise, and its
// record. Values 0 and 1 are scalars: what is written, and a constant false.
struct Plan {
  make::TestFile file;
  make::TestRecord record;

  Plan() {
    make::TestMethod& m = file.method();
    m.operators = {
        {"test::fill", "out"},    {"test::use", ""},       {"test::copy", "out"},
        {"test::double_", ""},    {"aten::copy_", ""},     {"test::sum", "out"},
        {"test::scratch", "out"}, {"test::split", "outs"}, {"executorch_prim::et_view", "default"},
        {"test::parts", "out"}};
    m.values = {make::int_value(1), make::bool_value(false)};
    m.pool_sizes = {0, 1024};
    record.methods = {make::TestMethodRecord()};
    method_record().value_buffer = {-1, -1};
  }

  make::TestMethod& method() { return file.method(); }
  make::TestMethodRecord& method_record() { return record.methods[0]; }

  int32_t add_value(make::TestValue value, int32_t buffer) {
    method().values.push_back(std::move(value));
    method_record().value_buffer.push_back(buffer);
    return static_cast<int32_t>(method().values.size()) - 1;
  }
  // A buffer with one value: returns the value.
  int32_t add_buffer(uint32_t offset, std::vector<make::TestInterval> live,
                     uint8_t role = kActivationRole, int32_t elements = 4) {
    const int32_t buffer = static_cast<int32_t>(method_record().buffers.size());
    const int32_t value = add_value(make::planned({elements}, offset), buffer);
    method_record().buffers.push_back({static_cast<uint32_t>(value), std::move(live), role, 16});
    return value;
  }
  void write(int32_t value) { add(make::call(kWriteOp, {0, value, value})); }
  void use(int32_t value) { add(make::call(kUseOp, {value})); }
  void copy(int32_t from, int32_t to) { add(make::call(kCopyOp, {from, to, to})); }
  void update(int32_t value) { add(make::call(kUpdateOp, {value, value})); }
  void jump(uint32_t target, int32_t condition = -1) {
    if (condition < 0) {
      method().values.push_back(make::bool_value(true));
      method_record().value_buffer.push_back(-1);
      condition = static_cast<int32_t>(method().values.size()) - 1;
    }
    add(make::jump_false(condition, static_cast<int32_t>(target)));
  }
  // A jump on the constant false: always taken.
  void go_to(uint32_t target) { jump(target, 1); }
  void add(make::TestInstruction instruction) { method().code().push_back(std::move(instruction)); }
};

struct Verdict {
  Status status = Status::kOk;
  LoadFault fault;
};

inline Verdict prove(Plan plan, CertificateRules rules = {}) {
  if (plan.method_record().instruction_count == 0) {
    plan.method_record().instruction_count = static_cast<uint32_t>(plan.method().code().size());
  }
  Verdict verdict;
  const make::AlignedBytes bytes(build_file(plan.file));
  ProgramFile file;
  LoadFaults faults(&verdict.fault);
  EXPECT_EQ(open_program({bytes.data(), bytes.size()}, &file, faults), Status::kOk);
  make::AlignedBytes pool(1024), own(1 << 16);
  const PoolMemory pools[] = {{1, {pool.data(), pool.size()}}};
  const Span<const Kernel> kernels[] = {make::kernels()};
  LoadedMethod* method = nullptr;
  EXPECT_EQ(
      load_method(file, "forward", {kernels}, {{own.data(), own.size()}, pools}, &method, faults),
      Status::kOk)
      << verdict.fault.field << " " << verdict.fault.index;
  if (method == nullptr) return verdict;
  const make::AlignedBytes record(build_record(plan.record));
  FlatReader reader(record.data(), static_cast<uint32_t>(record.size()), faults);
  const FlatTable root = reader.root(0, slots::kRecordRoot);
  const FlatVector methods = reader.vector(root, slots::kRecordMethods);
  const FlatTable table = reader.table_at(methods, 0, slots::kRecordMethods);
  EXPECT_TRUE(reader.ok());
  verdict.status = prove_plan(*method, reader, table, rules);
  return verdict;
}

inline void expect_proven(const Plan& plan) {
  const Verdict verdict = prove(plan);
  EXPECT_EQ(verdict.status, Status::kOk)
      << status_words(verdict.status) << ": " << verdict.fault.field << " " << verdict.fault.index
      << " need " << verdict.fault.need << " have " << verdict.fault.have;
}

inline void expect_refused(const Plan& plan, Status status, const std::string& field,
                           uint32_t index) {
  const Verdict verdict = prove(plan);
  EXPECT_EQ(verdict.status, status) << status_words(verdict.status);
  EXPECT_EQ(verdict.fault.field, field);
  EXPECT_EQ(verdict.fault.index, index);
}

inline constexpr char kIntervalWords[] = "plan_record.intervals";
inline constexpr char kValueWords[] = "plan_record.value_buffer";
inline constexpr char kExtentWords[] = "plan_record.buffer_extent";
inline constexpr char kRoleWords[] = "plan_record.buffer_role";

// a [0,2) at 0, b [1,3) at 16, c [2,4) at 0: a is gone when c comes.
inline Plan chain() {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 2}});
  const int32_t b = plan.add_buffer(16, {{1, 3}});
  const int32_t c = plan.add_buffer(0, {{2, 4}});
  plan.write(a);
  plan.copy(a, b);
  plan.copy(b, c);
  plan.use(c);
  return plan;
}

}  // namespace berth::runtime::certificate_tests
