// Plans by hand whose code jumps or whose buffers are assembled from parts: what is live on one
// path may be gone on another.
#include "runtime/load/certificate_test_util.h"

namespace berth::runtime::certificate_tests {
namespace {

// What rule 5 is for: by the order of instructions v is free while u lives, but the jump from 4 to
// 7 passes over the write that would fill it again. Instructions that only fill the places use n.
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

TEST(CertificateJumpsTest, RefusesTheJumpOverAWrite) {
  const Plan plan = jumping_example();
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 1);
  CertificateRules without;
  without.jumps = false;
  EXPECT_EQ(prove(plan, without).status, Status::kOk) << "only the rule for jumps refuses it";
}

TEST(CertificateJumpsTest, ProvesTheSameJumpWhereTheBufferStaysLive) {
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

TEST(CertificateJumpsTest, ProvesAResultOfTwoBranchesWithTwoIntervals) {
  expect_proven(branches({{2, 4}, {4, 6}}));
}

TEST(CertificateJumpsTest, ProvesAResultOfTwoBranchesWithOneInterval) {
  expect_proven(branches({{2, 6}}));  // the jump at 1 comes to a write
  Plan plan = branches({{2, 6}});
  plan.method().code()[4] = make::call(kUpdateOp, {3, 3});  // that reads it first
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 1);
}

TEST(CertificateJumpsTest, RefusesAResultThatIsNotLiveWhereItsBranchEnds) {
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

TEST(CertificateJumpsTest, ProvesAnIntervalThatOnlyJumpsReach) {
  expect_proven(value_for_one_branch(true));
}

TEST(CertificateJumpsTest, RefusesTheSameIntervalWhereTheBranchMayFallThrough) {
  expect_refused(value_for_one_branch(false), Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateJumpsTest, RefusesTheSameIntervalWhereTheConditionIsWritten) {
  Plan plan = value_for_one_branch(true);
  const int32_t other = plan.add_value(make::bool_value(true), -1);
  plan.add(make::move(other, 1));  // from then on the "constant" is true
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

// 0 write a / 1 write b / 2 use b / 3 use a / 4 jump back to 1
TEST(CertificateJumpsTest, AValueOfALoopMustBeLiveAtItsEnd) {
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

TEST(CertificateJumpsTest, AnInputReadAgainAfterAJumpToTheStartStaysLive) {
  Plan plan;
  const int32_t in = plan.add_buffer(0, {{0, 1}}, kInputRole);
  const int32_t a = plan.add_buffer(0, {{1, 3}});
  plan.method().inputs = {in};
  plan.use(in);
  plan.write(a);
  plan.jump(0);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

TEST(CertificateJumpsTest, AnOutputMustBeLiveWhereAJumpLeavesTheMethod) {
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

TEST(CertificateJumpsTest, ProvesABufferAssembledFromParts) {
  Plan plan = assembly();
  expect_proven(plan);
  plan.jump(0);  // a loop around it changes nothing
  expect_proven(plan);
}

TEST(CertificateJumpsTest, RefusesPartsThatMayBeLeftOverFromAnEarlierPassage) {
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

TEST(CertificateJumpsTest, AnAssembledBufferHasOneInterval) {
  Plan plan = assembly();
  plan.method_record().buffers[0].live = {{0, 3}, {3, 5}};
  plan.write(3);
  plan.use(2);
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
  plan.method().code()[3] = make::call(kWriteOp, {0, 2, 2});  // the whole: good as a second one,
  // but the first is in parts
  expect_refused(plan, Status::kPlanRecordMismatch, kIntervalWords, 0);
}

}  // namespace
}  // namespace berth::runtime::certificate_tests
