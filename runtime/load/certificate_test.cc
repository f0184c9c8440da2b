// Plans by hand: good ones pass, and each way to be wrong is refused for its own reason.
#include "runtime/load/certificate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/load/method_loader.h"
#include "runtime/load/plan_record_slots.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime {
namespace {

namespace make = berth::testing;
using make::TestFile;
using make::TestInstruction;
using make::TestMethod;
using make::TestMethodRecord;
using make::TestRecord;

constexpr uint8_t kInputRole = 0, kActivationRole = 2, kStateRole = 3, kScratchRole = 4;
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
  kViewOp
};

// A method of float tensors of 4 elements (16 bytes), one per buffer unless told otherwise, and its
// record. Values 0 and 1 are scalars: what is written, and a constant false.
struct Plan {
  TestFile file;
  TestRecord record;

  Plan() {
    TestMethod& m = file.method();
    m.operators = {
        {"test::fill", "out"},    {"test::use", ""},       {"test::copy", "out"},
        {"test::double_", ""},    {"aten::copy_", ""},     {"test::sum", "out"},
        {"test::scratch", "out"}, {"test::split", "outs"}, {"executorch_prim::et_view", "default"}};
    m.values = {make::int_value(1), make::bool_value(false)};
    m.pool_sizes = {0, 1024};
    record.methods = {TestMethodRecord()};
    method_record().value_buffer = {-1, -1};
  }

  TestMethod& method() { return file.method(); }
  TestMethodRecord& method_record() { return record.methods[0]; }

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
  void add(TestInstruction instruction) { method().code().push_back(std::move(instruction)); }
};

struct Verdict {
  Status status = Status::kOk;
  LoadFault fault;
};

Verdict prove(Plan plan, CertificateRules rules = {}) {
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
  const FlatVector methods = reader.vector(root, slots::kRecordMethods, 4, 4);
  const FlatTable table = reader.table_at(methods, 0, slots::kRecordMethods);
  EXPECT_TRUE(reader.ok());
  verdict.status = prove_plan(*method, reader, table, rules);
  return verdict;
}

void expect_proven(const Plan& plan) {
  const Verdict verdict = prove(plan);
  EXPECT_EQ(verdict.status, Status::kOk)
      << status_words(verdict.status) << ": " << verdict.fault.field << " " << verdict.fault.index
      << " need " << verdict.fault.need << " have " << verdict.fault.have;
}

void expect_refused(const Plan& plan, Status status, const std::string& field, uint32_t index) {
  const Verdict verdict = prove(plan);
  EXPECT_EQ(verdict.status, status) << status_words(verdict.status);
  EXPECT_EQ(verdict.fault.status, status);
  EXPECT_EQ(verdict.fault.field, field);
  EXPECT_EQ(verdict.fault.index, index);
}

const char kIntervalWords[] = "plan_record.intervals";
const char kValueWords[] = "plan_record.value_buffer";
const char kExtentWords[] = "plan_record.buffer_extent";
const char kRoleWords[] = "plan_record.buffer_role";

// a [0,2) at 0, b [1,3) at 16, c [2,4) at 0: a is gone when c comes.
Plan chain() {
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

TEST(CertificateTest, ProvesAChain) { expect_proven(chain()); }

TEST(CertificateTest, RefusesTwoLiveBuffersThatMeet) {
  Plan plan = chain();
  plan.method().values[3].place->offset = 0;  // b over a
  expect_refused(plan, Status::kPlanOverlap, kIntervalWords, 0);
  plan.method().values[3].place->offset = 12;  // one element of it
  plan.method_record().buffers[1].alignment = 4;
  expect_refused(plan, Status::kPlanOverlap, kIntervalWords, 0);
}

TEST(CertificateTest, RefusesAUseBeforeAnyWrite) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 2}});
  plan.use(a);
  plan.write(a);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, RefusesAnIntervalThatBeginsWithAnUpdate) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 2}});
  plan.update(a);
  plan.use(a);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, RefusesAnIntervalThatBeginsWithAWriteThatReads) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 2}});
  plan.copy(a, a);
  plan.use(a);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, ProvesAnIntervalThatBeginsWithCopyInto) {
  Plan plan;
  const int32_t in = plan.add_buffer(0, {{0, 1}}, kInputRole);
  const int32_t a = plan.add_buffer(16, {{0, 2}});
  plan.method().inputs = {in};
  plan.add(make::call(kCopyIntoOp, {a, in, 1, a}));
  plan.use(a);
  expect_proven(plan);
}

TEST(CertificateTest, RefusesAUseAfterTheEnd) {
  Plan plan = chain();
  plan.method_record().buffers[0].live = {{0, 1}};
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, RefusesAnArgumentInAListThatIsNotLive) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 1}});
  const int32_t b = plan.add_buffer(16, {{1, 3}});
  const int32_t c = plan.add_buffer(32, {{2, 3}});
  const int32_t list = plan.add_value(make::list_value(make::kTensorList, {a, b}), -1);
  plan.write(a);
  plan.write(b);
  plan.add(make::call(kSumOp, {list, c, c}));
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
  plan.method_record().buffers[0].live = {{0, 3}};
  expect_proven(plan);
}

TEST(CertificateTest, CountsScratchAsWrittenByItsInstruction) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 2}});
  const int32_t s = plan.add_buffer(16, {{1, 2}}, kScratchRole);
  const int32_t b = plan.add_buffer(32, {{1, 3}});
  plan.method().values[static_cast<size_t>(s)].dtype = 0;  // bytes
  plan.method().values[static_cast<size_t>(s)].sizes = {16};
  plan.write(a);
  plan.add(make::call(kScratchOp, {a, s, b, b}));
  plan.use(b);
  expect_proven(plan);
  plan.method().values[static_cast<size_t>(s)].place->offset = 32;  // over the result
  expect_refused(plan, Status::kPlanOverlap, kIntervalWords, 1);
}

// facts/lifetimes.md, and the issue that asked for rule 5. Here everything is one instruction
// earlier than there, and `nop` is a use of a buffer of its own.
Plan jumping_example() {
  Plan plan;
  const int32_t n = plan.add_buffer(64, {{0, 8}}, kInputRole);
  const int32_t v = plan.add_buffer(0, {{1, 3}, {5, 9}});
  const int32_t u = plan.add_buffer(0, {{3, 5}});
  plan.method().inputs = {n};
  plan.use(n);    // 0
  plan.write(v);  // 1
  plan.use(v);    // 2
  plan.write(u);  // 3
  plan.jump(7);   // 4: "use U, jump if false to 7"
  plan.write(v);  // 5
  plan.use(n);    // 6
  plan.use(n);    // 7
  plan.use(v);    // 8
  return plan;
}

TEST(CertificateTest, RefusesTheJumpOverAWrite) {
  const Plan plan = jumping_example();
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 1);
  CertificateRules without;
  without.jumps = false;
  EXPECT_EQ(prove(plan, without).status, Status::kOk) << "only the rule for jumps refuses it";
}

TEST(CertificateTest, ProvesTheSameJumpWhereTheBufferStaysLive) {
  Plan plan = jumping_example();
  plan.method_record().buffers[1].live = {{1, 9}};
  plan.method().values[4].place->offset = 32;  // u apart from v
  expect_proven(plan);
}

// 0 write c, if: 1 jump 4 / 2 write r / 3 go to 5 / else: 4 write r / 5 use r
Plan branches(std::vector<make::TestInterval> r_live) {
  Plan plan;
  const int32_t c = plan.add_buffer(0, {{0, 1}});
  const int32_t r = plan.add_buffer(0, std::move(r_live));
  plan.write(c);
  plan.jump(4);
  plan.write(r);
  plan.go_to(5);
  plan.write(r);
  plan.use(r);
  return plan;
}

TEST(CertificateTest, ProvesAResultOfTwoBranchesWithTwoIntervals) {
  expect_proven(branches({{2, 4}, {4, 6}}));
}

TEST(CertificateTest, RefusesAResultThatIsNotLiveWhereItsBranchEnds) {
  // The use at 5 is reached by the jump at 3, where r must still be live.
  expect_refused(branches({{2, 3}, {4, 6}}), Status::kPlanRecordMismatch, kIntervalWords, 1);
}

// A value that only the second branch needs: not live in the first, and its second interval begins
// where only a jump arrives.
Plan value_for_one_branch(bool always_jumps) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 2}, {4, 5}});
  const int32_t b = plan.add_buffer(0, {{2, 4}});
  const int32_t c = plan.add_buffer(64, {{5, 6}});
  plan.write(a);  // 0
  plan.jump(4);   // 1
  plan.write(b);  // 2
  if (always_jumps) {
    plan.go_to(5);  // 3
  } else {
    plan.jump(5);
  }
  plan.use(a);    // 4
  plan.write(c);  // 5
  return plan;
}

TEST(CertificateTest, ProvesAnIntervalThatOnlyJumpsReach) {
  expect_proven(value_for_one_branch(true));
}

TEST(CertificateTest, RefusesTheSameIntervalWhereTheBranchMayFallThrough) {
  expect_refused(value_for_one_branch(false), Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, RefusesTheSameIntervalWhereTheConditionIsWritten) {
  Plan plan = value_for_one_branch(true);
  const int32_t other = plan.add_value(make::bool_value(true), -1);
  plan.add(make::move(other, 1));  // from then on the "constant" is true
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

// 0 write a / 1 write b / 2 use b / 3 use a / 4 jump back to 1
TEST(CertificateTest, AValueOfALoopMustBeLiveAtItsEnd) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 4}});
  const int32_t b = plan.add_buffer(16, {{1, 3}});
  plan.write(a);
  plan.write(b);
  plan.use(b);
  plan.use(a);
  plan.jump(1);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
  plan.method_record().buffers[0].live = {{0, 5}};
  expect_proven(plan);
}

TEST(CertificateTest, AnInputMustBeLiveAtTheStartEvenUnused) {
  Plan plan = chain();
  const int32_t in = plan.add_buffer(0, {{3, 4}}, kInputRole);
  plan.method().inputs = {in};
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 3);
  // Live at 0 it meets `a`, which is written there.
  Plan second;
  const int32_t input = second.add_buffer(0, {{0, 1}}, kInputRole);
  const int32_t a = second.add_buffer(0, {{0, 1}});
  second.method().inputs = {input};
  second.write(a);
  expect_refused(second, Status::kPlanOverlap, kIntervalWords, 0);
}

TEST(CertificateTest, InputsOfOneBufferMustNotMeet) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 1}}, kInputRole);
  const int32_t b = plan.add_value(make::planned({4}, 0), 0);
  plan.method().inputs = {a, b};
  plan.use(a);
  expect_refused(plan, Status::kPlanOverlap, "inputs", 1);
}

TEST(CertificateTest, AnInputReadAgainAfterAJumpToTheStartStaysLive) {
  Plan plan;
  const int32_t in = plan.add_buffer(0, {{0, 1}}, kInputRole);
  const int32_t a = plan.add_buffer(0, {{1, 3}});
  plan.method().inputs = {in};
  plan.use(in);
  plan.write(a);
  plan.jump(0);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, AnOutputMustBeLiveToTheEnd) {
  Plan plan = chain();
  plan.method().outputs = {2};  // a
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
  plan.method().outputs = {4};  // c
  expect_proven(plan);
}

TEST(CertificateTest, AnOutputMustBeLiveWhereAJumpLeavesTheMethod) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 4}});
  plan.method().outputs = {a};
  plan.write(a);
  plan.jump(4);
  plan.use(a);
  plan.use(a);
  expect_proven(plan);
  plan.method_record().buffers[0].live = {{3, 4}};
  plan.method().code() = {};
  plan.jump(4);
  plan.go_to(3);
  plan.go_to(3);
  plan.write(a);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, StateIsLiveThroughout) {
  Plan plan = chain();
  const int32_t state = plan.add_buffer(64, {{0, 4}}, kStateRole);
  // Buffers are sorted by their beginning.
  std::swap(plan.method_record().buffers[1], plan.method_record().buffers[3]);
  std::swap(plan.method_record().buffers[2], plan.method_record().buffers[3]);
  for (int32_t& b : plan.method_record().value_buffer) {
    b = b == 3 ? 1 : b == 1 ? 2 : b == 2 ? 3 : b;
  }
  plan.method().code()[3] = make::call(kUpdateOp, {state, state});
  expect_proven(plan);
  plan.method_record().buffers[1].live = {{0, 3}};
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 1);
}

TEST(CertificateTest, ARoleOfALaterVersionIsNoState) {
  Plan plan = chain();
  plan.method_record().buffers[0].role = 7;
  expect_proven(plan);
}

TEST(CertificateTest, BytesFromTheFileMakeState) {
  Plan plan;
  const int32_t state = plan.add_buffer(0, {{0, 1}}, kActivationRole);
  plan.method().values[static_cast<size_t>(state)].data = 1;
  plan.file.segments = {std::vector<uint8_t>(16, 0)};
  plan.file.mutable_data = {{0, {0, 0}}};
  plan.use(state);
  expect_refused(plan, Status::kPlanRecordMismatch, kRoleWords, 0);
  plan.method_record().buffers[0].role = kStateRole;
  expect_proven(plan);
}

TEST(CertificateTest, AValueMustLieInItsBuffer) {
  Plan plan = chain();
  const int32_t view = plan.add_value(make::planned({2}, 8), 0);
  expect_proven(plan);
  plan.method().values[static_cast<size_t>(view)].place->offset = 12;
  expect_refused(plan, Status::kPlanRecordMismatch, kExtentWords, 0);
  plan.method().values[static_cast<size_t>(view)].place->offset = 8;
  plan.method_record().value_buffer.back() = -1;
  expect_refused(plan, Status::kPlanRecordMismatch, kValueWords, static_cast<uint32_t>(view));
}

TEST(CertificateTest, AConstantHasNoBuffer) {
  Plan plan = chain();
  const int32_t c = plan.add_value(make::constant({4}, 1), -1);
  plan.file.segments = {std::vector<uint8_t>(16, 0)};
  plan.file.constants = make::TestSegments{0, {0, 0}};
  plan.method().code()[1] = make::call(kCopyOp, {c, 3, 3});
  expect_proven(plan);
  plan.method_record().value_buffer.back() = 0;
  expect_refused(plan, Status::kPlanRecordMismatch, kValueWords, static_cast<uint32_t>(c));
}

TEST(CertificateTest, AMoveMustStayInItsBuffer) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 3}});
  const int32_t cell = plan.add_value(make::planned({4}, 0), 0);
  plan.write(a);
  plan.add(make::move(a, cell));
  plan.use(cell);
  expect_proven(plan);
  plan.method().values[static_cast<size_t>(cell)].place->offset = 16;
  plan.method_record().buffers.push_back(
      {static_cast<uint32_t>(cell), {{1, 3}}, kActivationRole, 16});
  plan.method_record().value_buffer.back() = 1;
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 1);  // 1 does not write it
  plan.method_record().buffers[1] = {static_cast<uint32_t>(cell), {{0, 3}}, kStateRole, 16};
  expect_refused(plan, Status::kPlanRecordMismatch, kValueWords, static_cast<uint32_t>(cell));
}

TEST(CertificateTest, AMovedListIsNotCertified) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 3}});
  const int32_t list = plan.add_value(make::list_value(make::kTensorList, {a}), -1);
  const int32_t other = plan.add_value(make::list_value(make::kTensorList, {}), -1);
  plan.write(a);
  plan.add(make::move(list, other));
  plan.use(a);
  expect_refused(plan, Status::kPlanRecordMismatch, kValueWords, static_cast<uint32_t>(other));
}

TEST(CertificateTest, ARuntimeViewStaysInItsBuffer) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 3}});
  const int32_t view = plan.add_value(make::tensor_value({2, 2}), 0);
  const int32_t two = plan.add_value(make::int_value(2), -1);
  const int32_t sizes = plan.add_value(make::list_value(make::kIntList, {two, two}), -1);
  plan.write(a);
  plan.add(make::call(kViewOp, {a, sizes, view}));
  plan.use(view);
  expect_proven(plan);
  plan.method_record().value_buffer[static_cast<size_t>(view)] = -1;
  expect_refused(plan, Status::kPlanRecordMismatch, kValueWords, static_cast<uint32_t>(view));
  plan.method_record().value_buffer[static_cast<size_t>(view)] = 0;
  plan.method_record().buffers[0].live = {{0, 2}};
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

// A concatenation in place: two parts are written apart, then the whole is read.
Plan assembly() {
  Plan plan;
  const int32_t whole = plan.add_buffer(0, {{0, 3}}, kActivationRole, 8);
  const int32_t left = plan.add_value(make::planned({4}, 0), 0);
  const int32_t right = plan.add_value(make::planned({4}, 16), 0);
  plan.write(left);
  plan.write(right);
  plan.use(whole);
  return plan;
}

TEST(CertificateTest, ProvesABufferAssembledFromParts) {
  Plan plan = assembly();
  expect_proven(plan);
  plan.jump(0);  // a loop around it changes nothing
  expect_proven(plan);
}

TEST(CertificateTest, RefusesPartsThatMayBeLeftOverFromAnEarlierPassage) {
  // 0 write left / 1 jump 3 / 2 write right / 3 use whole / 4 write other, at the same bytes / 5
  // jump 0
  Plan plan;
  const int32_t whole = plan.add_buffer(0, {{0, 4}}, kActivationRole, 8);
  const int32_t left = plan.add_value(make::planned({4}, 0), 0);
  const int32_t right = plan.add_value(make::planned({4}, 16), 0);
  plan.write(left);
  plan.jump(3);
  plan.write(right);
  plan.use(whole);
  const int32_t other = plan.add_buffer(0, {{4, 5}}, kActivationRole, 8);
  plan.write(other);
  expect_proven(plan);  // one passage only
  plan.jump(0);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
  CertificateRules without;
  without.assembly = false;
  EXPECT_EQ(prove(plan, without).status, Status::kOk) << "only the rule for parts refuses it";
}

TEST(CertificateTest, AnAssembledBufferHasOneInterval) {
  Plan plan = assembly();
  plan.method_record().buffers[0].live = {{0, 3}, {3, 5}};
  plan.write(3);
  plan.use(2);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
  plan.method().code()[3] = make::call(kWriteOp, {0, 2, 2});  // the whole: good as a second one,
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords,
                 0);  // but the first is in parts
}

TEST(CertificateTest, AMethodWithoutInstructionsHasOneMoment) {
  Plan plan;
  const int32_t in = plan.add_buffer(0, {{0, 1}}, kInputRole);
  plan.method().inputs = {in};
  plan.method().outputs = {in};
  expect_proven(plan);
  plan.method_record().buffers[0].live = {{0, 2}};
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateTest, RefusesARecordOfAnotherProgram) {
  struct Case {
    const char* words;
    Status status;
    void (*spoil)(Plan&);
  };
  const Case cases[] = {
      {"plan_record.instruction_count", Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().instruction_count = 5; }},
      {kValueWords, Status::kPlanRecordMismatch, [](Plan& p) { p.record.longer = "value_buffer"; }},
      {kRoleWords, Status::kPlanRecordMismatch, [](Plan& p) { p.record.longer = "buffer_role"; }},
      {"plan_record.buffer_alignment", Status::kPlanRecordMismatch,
       [](Plan& p) { p.record.longer = "buffer_alignment"; }},
      {"plan_record.interval_start", Status::kPlanRecordMismatch,
       [](Plan& p) { p.record.longer = "interval_start"; }},
      {"plan_record.interval_start", Status::kPlanRecordMismatch,
       [](Plan& p) { p.record.longer = "intervals"; }},
      {kValueWords, Status::kPlanRecordMismatch,
       [](Plan& p) { p.record.missing = "value_buffer"; }},
      {kRoleWords, Status::kPlanRecordMismatch, [](Plan& p) { p.record.missing = "buffer_role"; }},
      {"plan_record.buffer_alignment", Status::kPlanRecordMismatch,
       [](Plan& p) { p.record.missing = "buffer_alignment"; }},
      {"plan_record.interval_start", Status::kPlanRecordMismatch,
       [](Plan& p) { p.record.missing = "interval_start"; }},
      {"plan_record.interval_start", Status::kPlanRecordMismatch,
       [](Plan& p) { p.record.missing = "intervals"; }},
      {kExtentWords, Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().buffers[0].extent = 99; }},
      {kExtentWords, Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().buffers[0].extent = 0; }},
      {kExtentWords, Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().buffers[0].extent = 3; }},
      {"plan_record.buffer_alignment", Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().buffers[0].alignment = 0; }},
      {"plan_record.buffer_alignment", Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().buffers[0].alignment = 24; }},
      {"plan_record.buffer_alignment", Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().buffers[1].alignment = 64; }},
      {kValueWords, Status::kPlanRecordMismatch,
       [](Plan& p) { p.add_value(make::planned({2}, 0), 3); }},
      {kValueWords, Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().value_buffer[0] = 0; }},
      {kValueWords, Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().value_buffer[0] = -2; }},
      {kIntervalWords, Status::kPlanRecordMismatch,
       [](Plan& p) {
         p.method_record().buffers[0].live = {{0, 0}};
       }},
      {kIntervalWords, Status::kPlanRecordMismatch,
       [](Plan& p) {
         p.method_record().buffers[0].live = {{2, 1}};
       }},
      {kIntervalWords, Status::kPlanRecordMismatch,
       [](Plan& p) {
         p.method_record().buffers[0].live = {{0, 5}};
       }},
      {kIntervalWords, Status::kPlanRecordMismatch,
       [](Plan& p) {
         p.method_record().buffers[0].live = {{0, 2}, {1, 3}};
       }},
      {kIntervalWords, Status::kPlanRecordMismatch,
       [](Plan& p) {
         p.method_record().buffers[0].live = {{0, UINT32_MAX}};
       }},
      {"plan_record.interval_start", Status::kPlanRecordMismatch,
       [](Plan& p) { p.method_record().buffers[0].live = {}; }},
      {kIntervalWords, Status::kPlanRecordMismatch,  // not sorted by beginning
       [](Plan& p) {
         p.method_record().buffers[0].live = {{3, 4}};
       }},
  };
  int number = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE(number++);
    Plan plan = chain();
    c.spoil(plan);
    const Verdict verdict = prove(plan);
    EXPECT_EQ(verdict.status, c.status) << status_words(verdict.status);
    EXPECT_STREQ(verdict.fault.field, c.words);
  }
}

}  // namespace
}  // namespace berth::runtime
