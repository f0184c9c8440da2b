// Loading a method: older and newer forms of the file, and memory that is exact to the byte.
#include "runtime/load/method_loader.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/load/method_loader_test_util.h"

namespace berth::runtime::loader_tests {
namespace {

TEST(MethodLoaderTest, LoadsTheSample) {
  const Outcome outcome = load(build_file(sample_file()));
  EXPECT_EQ(outcome.status, Status::kOk)
      << status_words(outcome.status) << ": " << outcome.fault.field << " " << outcome.fault.index;
}

TEST(MethodLoaderTest, LoadsHeadersOfAllLengths) {
  for (uint32_t length : {24u, 32u, 40u, 64u}) {
    TestFile file = sample_file();
    file.header_length = length;
    EXPECT_EQ(load(build_file(file)).status, Status::kOk) << length;
  }
}

TEST(MethodLoaderTest, LoadsOlderFilesWithoutHeaderAndWithInlineConstants) {
  TestFile file = sample_file();
  file.header_length = 0;
  file.segments = {};
  file.constants = {};
  file.mutable_data = {};
  file.inline_constants = {{}, std::vector<uint8_t>(16, 1)};
  file.method().values[kState].data = 0;
  EXPECT_EQ(load(build_file(file)).status, Status::kOk);
  file.inline_constants[1].resize(15);
  expect_fault(load(build_file(file)), Status::kTruncated, "constant_buffer.storage");
  file.inline_constants.pop_back();
  expect_fault(load(build_file(file)), Status::kBadIndex, "values.data_buffer_idx");
}

TEST(MethodLoaderTest, AsksForTheBytesThatSufficeAndNotOneMore) {
  const std::vector<uint8_t> bytes = build_file(sample_file());
  Given given;
  given.pool_bytes = 112;
  EXPECT_EQ(load(bytes, given).status, Status::kOk);
  given.pool_bytes = 111;
  Outcome outcome = load(bytes, given);
  expect_fault(outcome, Status::kTooSmall, "memory.pools");
  EXPECT_EQ(outcome.fault.index, 1u);
  EXPECT_EQ(outcome.fault.need, 112u);
  EXPECT_EQ(outcome.fault.have, 111u);

  MethodCounts counts;
  counts.values = 20;
  counts.tensors = 8;
  counts.instructions = 9;
  counts.operators = 7;
  counts.inputs = 1;
  counts.dynamic_dims = 1;
  const uint64_t need = method_bytes(counts, kBuildAbi);
  given = Given();
  given.method_bytes = need;
  EXPECT_EQ(load(bytes, given).status, Status::kOk);
  given.method_bytes = need - 1;
  outcome = load(bytes, given);
  expect_fault(outcome, Status::kTooSmall, "memory.method");
  EXPECT_EQ(outcome.fault.need, need);
  EXPECT_EQ(outcome.fault.have, need - 1);
}

TEST(MethodLoaderTest, RefusesMisalignedMemory) {
  const std::vector<uint8_t> bytes = build_file(sample_file());
  Given given;
  given.pool_shift = 8;
  Outcome outcome = load(bytes, given);
  expect_fault(outcome, Status::kMisaligned, "memory.pools");
  EXPECT_EQ(outcome.fault.index, 1u);
  EXPECT_EQ(outcome.fault.need, 16u);
  EXPECT_EQ(outcome.fault.have, 8u);
  given.pool_shift = 0;
  given.method_shift = 4;
  outcome = load(bytes, given);
  expect_fault(outcome, Status::kMisaligned, "memory.method");
  EXPECT_EQ(outcome.fault.have, 4u);
}

TEST(MethodLoaderTest, ARecordNamesItsPoolsAndTheirAlignment) {
  TestFile file;
  file.record = make::TestRecord();
  file.record->pools = {{"fast", 2, 64}, {"main", 1, 32}};
  file.method().pool_sizes = {0, 100, 0, 7};
  const make::AlignedBytes bytes(build_file(file));
  ProgramFile program;
  LoadFault fault;
  LoadFaults faults(&fault);
  ASSERT_EQ(open_program({bytes.data(), bytes.size()}, &program, faults), Status::kOk);
  MethodTables tables;
  MethodNeed need;
  ASSERT_EQ(open_method(program, "forward", &tables, faults), Status::kOk);
  ASSERT_EQ(measure_method(program, tables, &need, faults), Status::kOk);
  ASSERT_EQ(need.pool_count, 2u);
  EXPECT_STREQ(need.pools[0].name, "main");
  EXPECT_EQ(need.pools[0].alignment, 32u);
  EXPECT_EQ(need.pools[0].bytes, 100u);
  EXPECT_EQ(need.pools[1].mem_id, 3u);
  EXPECT_STREQ(need.pools[1].name, "");
  EXPECT_EQ(need.pools[1].alignment, 16u);
}

TEST(MethodLoaderTest, SaysWhichOperatorHasNoKernel) {
  Given given;
  given.kernels = Span<const Kernel>(make::kernels().data(), 3);
  const Outcome outcome = load(build_file(sample_file()), given);
  expect_fault(outcome, Status::kNoSuchOperator, "operators.name");
  EXPECT_EQ(outcome.fault.index, 1u);
}

TEST(MethodLoaderTest, DemandsARecordWhenAsked) {
  Given given;
  given.require_plan_record = true;
  expect_fault(load(build_file(sample_file()), given), Status::kNoPlanRecord,
               "plan_record.methods");
  TestFile file = sample_file();
  file.record = make::TestRecord();  // a record, but none of this method
  expect_fault(load(build_file(file), given), Status::kNoPlanRecord, "plan_record.methods");
}

TEST(MethodLoaderTest, RefusesARecordThatIsFalse) {
  TestFile file = sample_file();
  file.record = make::TestRecord();
  make::TestMethodRecord method;
  method.instruction_count = 7;
  file.record->methods = {method};
  expect_fault(load(build_file(file)), Status::kPlanRecordMismatch,
               "plan_record.instruction_count");
}

}  // namespace
}  // namespace berth::runtime::loader_tests
