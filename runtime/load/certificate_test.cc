// Plans by hand: good ones pass, and each way to be wrong is refused for its own reason. Jumps and
// parts have certificate_jumps_test.cc.
#include "runtime/load/certificate_test_util.h"

namespace berth::runtime::certificate_tests {
namespace {

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

TEST(CertificateTest, AListOfOutsBeginsWhatItNames) {
  Plan plan;
  const int32_t a = plan.add_buffer(0, {{0, 2}});
  const int32_t b = plan.add_buffer(16, {{1, 3}}, kActivationRole, 2);
  const int32_t c = plan.add_buffer(32, {{1, 4}}, kActivationRole, 2);
  const int32_t list = plan.add_value(make::list_value(make::kTensorList, {b, c}), -1);
  const int32_t again = plan.add_value(make::list_value(make::kTensorList, {b, c}), -1);
  plan.write(a);
  plan.add(make::call(kPartsOp, {a, list, again}));
  plan.use(b);
  plan.use(c);
  expect_proven(plan);
  // An interval that begins with a call that reads the buffer too.
  plan.method().values[static_cast<size_t>(list)].items = {b, a};
  plan.method().values[static_cast<size_t>(again)].items = {b, a};
  plan.method_record().buffers[0].live = {{0, 1}, {1, 2}};
  plan.method_record().buffers[2].live = {{3, 4}};
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 2);
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

TEST(CertificateTest, AnOutputMustBeLiveToTheEnd) {
  Plan plan = chain();
  plan.method().outputs = {2};  // a
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
  plan.method().outputs = {4};  // c
  expect_proven(plan);
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
}  // namespace berth::runtime::certificate_tests
