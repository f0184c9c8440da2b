// The checker must refuse what is wrong, each rule with its words, and any corruption of a good
// plan that makes two buffers meet.
#include "plan/check.h"

#include <gtest/gtest.h>

#include "plan/case_text.h"

namespace berth::plan {
namespace {

// A case with an arrow on every buffer is a plan; pool sizes and alignments are set to what it
// needs.
Plan plan_of(const Case& given) {
  Plan plan;
  plan.pool_bytes.assign(given.problem.pools.size(), 0);
  plan.pool_alignment.assign(given.problem.pools.size(), 64);
  for (size_t i = 0; i < given.expected.size(); ++i) {
    const Placement at = given.expected[i].value();
    plan.placements.push_back(at);
    if (given.problem.buffers[i].inside) continue;
    const uint64_t grain = given.problem.buffers[i].alignment;
    const uint64_t end = at.offset + (given.problem.buffers[i].size + grain - 1) / grain * grain;
    plan.pool_bytes[at.pool] = std::max(plan.pool_bytes[at.pool], end);
  }
  return plan;
}

// The words of the violation in the one case of `text`, "" when there is none.
std::string violation(const std::string& text) {
  const Case given = parse_cases("# case x\n" + text).front();
  const auto error = check(given.problem, plan_of(given));
  return error ? error->place + " " + error->message : "";
}

TEST(Check, AcceptsBuffersApartInTimeOrInBytes) {
  EXPECT_EQ(violation("a [0,2) 10 # -> 0\nb [2,3) 10 # -> 5\nc [0,3) 4 # -> 15\n"), "");
}

TEST(Check, RefusesTwoLiveBuffersThatMeetAndNamesStepAndBytes) {
  EXPECT_EQ(violation("a [0,3) 10 # -> 0\nb [2,4) 10 # -> 6\n"),
            "buffer b and buffer a are both alive at step 2 and share bytes [6,10) of pool main");
}

TEST(Check, CountsRoundedSizes) {
  EXPECT_NE(violation("a [0,3) 10 align 16 # -> 0\nb [2,4) 4 align 4 # -> 12\n"), "");
  EXPECT_EQ(violation("a [0,3) 10 align 16 # -> 0\nb [2,4) 4 align 4 # -> 16\n"), "");
}

TEST(Check, SeesHolesAndTheirEnds) {
  EXPECT_EQ(violation("a [0,2)[5,7) 10 # -> 0\nb [2,5) 10 # -> 0\n"), "");
  EXPECT_NE(violation("a [0,2)[5,7) 10 # -> 0\nb [2,6) 10 # -> 0\n"), "");
}

TEST(Check, BuffersOfOtherPoolsDoNotMeet) {
  const std::string pools = "# pool: x\n# pool: y\n";
  EXPECT_EQ(violation(pools + "a [0,2) 10 # -> 0:0\nb [0,2) 10 pools 1 # -> 1:0\n"), "");
  EXPECT_EQ(violation(pools + "a [0,2) 10 # -> 0:0\nb [0,2) 10 # -> 1:0\n"),
            "buffer b is placed in pool y, which it does not allow");
}

TEST(Check, ZeroBytesMeetNoOne) {
  EXPECT_EQ(violation("a [0,2) 10 # -> 0\nb [0,2) 0 # -> 4\nc [0,2) 0 # -> 4\n"), "");
}

TEST(Check, RefusesMisalignedStarts) {
  EXPECT_EQ(violation("a [0,2) 10 align 16 # -> 8\n"),
            "buffer a starts at 8, not a multiple of its alignment 16");
}

TEST(Check, RefusesMovedFixedBuffers) {
  EXPECT_EQ(violation("a [0,2) 10 fixed 0:8 # -> 16\n"),
            "buffer a is fixed to offset 8 of its pool and placed at 16");
}

TEST(Check, AFixedPlaceAllowsItsPool) {
  const std::string pools = "# pool: x\n# pool: y\n";
  EXPECT_EQ(violation(pools + "a [0,2) 10 fixed 1:8 # -> 1:8\n"), "");
  EXPECT_NE(violation(pools + "a [0,2) 10 fixed 1:8 pools 0 # -> 1:8\n"), "");
  EXPECT_NE(violation(pools + "a [0,2) 10 fixed 1:8 # -> 0:8\n"), "");
}

TEST(Check, PartsGoWithTheirHostAndKeepItAlive) {
  EXPECT_EQ(violation("h [2,4) 64 # -> 32\np [0,3) 16 inside h+16 # -> 48\n"), "");
  EXPECT_EQ(violation("h [2,4) 64 # -> 32\np [0,3) 16 inside h+16 # -> 40\n"),
            "buffer p is placed at 40; it lies 16 bytes into buffer h, which is at 32");
  EXPECT_EQ(violation("h [2,4) 64 # -> 32\np [0,3) 16 inside h+16 # -> 48\nx [0,1) 8 # -> 80\n"),
            "buffer x and buffer p are both alive at step 0 and share bytes [80,88) of pool main");
  EXPECT_NE(violation("h [2,4) 64 # -> 32\np [0,3) 16 inside h+56 # -> 88\n"), "");
}

TEST(Check, PartsOfOneHostMayOverlap) {
  EXPECT_EQ(violation("h [2,4) 64 # -> 0\np [0,3) 16 inside h+0 # -> 0\n"
                      "q [1,3) 16 inside h+8 # -> 8\n"),
            "");
}

TEST(Check, RefusesHostsInACircle) {
  EXPECT_EQ(violation("a [0,1) 8 inside b+0 # -> 0\nb [0,1) 8 inside a+0 # -> 0\n"),
            "buffer a lies inside itself");
}

TEST(Check, AnInPlaceOptionLetsTwoBuffersMeetForTheStepTheyHaveInCommon) {
  EXPECT_EQ(violation("a [0,3) 10 # -> 0\nb [2,4) 10 share a # -> 0\n"), "");
  EXPECT_EQ(violation("a [0,3) 10 # -> 0\nb [2,4) 6 share a # -> 0\n"), "");
}

TEST(Check, RefusesInPlaceWithoutAnOption) {
  EXPECT_NE(violation("a [0,3) 10 # -> 0\nb [2,4) 10 # -> 0\n"), "");
  // The wrong way round.
  EXPECT_NE(violation("a [0,3) 10 share b # -> 0\nb [2,4) 10 # -> 0\n"), "");
}

TEST(Check, RefusesInPlaceAtAnotherOffset) {
  EXPECT_NE(violation("a [0,3) 10 # -> 0\nb [2,4) 6 share a # -> 4\n").find("in-place option"),
            std::string::npos);
}

TEST(Check, RefusesInPlaceOfALargerBuffer) {
  EXPECT_NE(violation("a [0,3) 10 # -> 0\nb [2,4) 11 share a # -> 0\n"), "");
}

TEST(Check, RefusesInPlaceWithMoreThanOneCommonStep) {
  EXPECT_NE(violation("a [0,4) 10 # -> 0\nb [2,5) 10 share a # -> 0\n"), "");
  EXPECT_NE(violation("a [0,3)[6,8) 10 # -> 0\nb [2,4)[7,9) 10 share a # -> 0\n"), "");
}

TEST(Check, RefusesInPlaceWhereTheOtherLivesOnOrThisBeganBefore) {
  EXPECT_NE(violation("a [0,9) 10 # -> 0\nb [2,3) 10 share a # -> 0\n"), "");
  EXPECT_NE(violation("a [2,3) 10 # -> 0\nb [0,9) 10 share a # -> 0\n"), "");
  // The one common step is the taker's last: it did not begin there.
  EXPECT_NE(violation("a [2,5) 10 # -> 0\nb [0,3) 10 share a # -> 0\n"), "");
}

TEST(Check, RefusesTwoTakersOfOneBuffer) {
  EXPECT_NE(violation("a [0,3) 10 # -> 0\nb [2,4) 4 share a # -> 0\nc [2,4) 4 share a # -> 0\n"),
            "");
}

TEST(Check, AHoleAfterTheSharedStepIsNoLaterLife) {
  EXPECT_EQ(violation("a [0,3)[6,7) 10 # -> 0\nb [2,5) 10 share a # -> 0\n"), "");
  EXPECT_NE(violation("a [0,3)[4,7) 10 # -> 0\nb [2,5) 10 share a # -> 0\n"), "");
}

TEST(Check, RefusesInPlaceWhileAPartIsAlive) {
  EXPECT_NE(
      violation("a [0,3) 10 # -> 0\np [2,3) 4 inside a+0 # -> 0\nb [2,4) 10 share a # -> 0\n"), "");
  EXPECT_NE(
      violation("a [0,3) 10 # -> 0\np [4,5) 4 inside a+0 # -> 0\nb [2,6) 10 share a # -> 0\n"), "");
  EXPECT_EQ(
      violation("a [0,3) 10 # -> 0\np [0,1) 4 inside a+0 # -> 0\nb [2,6) 10 share a # -> 0\n"), "");
}

TEST(Check, RefusesCapacityMissedAndPoolsSizedTooSmall) {
  Case given = parse_cases("# case x\n# pool: sram 100\na [0,1) 80 # -> 32\n").front();
  Plan plan = plan_of(given);
  EXPECT_EQ(check(given.problem, plan)->message, "needs 112 bytes; its capacity is 100");
  plan.pool_bytes = {100};
  EXPECT_EQ(check(given.problem, plan)->message, "ends at 112; the plan gives pool sram 100 bytes");
  plan.pool_bytes = {};
  EXPECT_TRUE(check(given.problem, plan).has_value());
}

TEST(Check, RefusesAPoolAlignedTooLittle) {
  const Case given = parse_cases("# case x\na [0,1) 80 align 32 # -> 0\n").front();
  Plan plan = plan_of(given);
  plan.pool_alignment = {16};
  EXPECT_EQ(check(given.problem, plan)->message,
            "needs alignment 32; the plan aligns pool main to 16");
  plan.pool_alignment = {0};
  EXPECT_TRUE(check(given.problem, plan).has_value());
}

TEST(Check, SurvivesProblemsThatAreNone) {
  Problem problem;
  problem.pools = {{"p"}};
  problem.buffers = {{"a", {{0, 1}}, UINT64_MAX, 16}};
  Plan plan;
  plan.placements = {{0, 16}};
  plan.pool_bytes = {UINT64_MAX};
  plan.pool_alignment = {16};
  EXPECT_TRUE(check(problem, plan).has_value());
  problem.buffers[0].size = UINT64_MAX - 20;
  problem.buffers[0].alignment = 1;
  plan.placements[0].offset = 32;
  EXPECT_TRUE(check(problem, plan).has_value());
  problem.buffers[0] = {"a", {}, 1, 1};
  EXPECT_TRUE(check(problem, plan).has_value());
  problem.buffers[0] = {"a", {{3, 3}}, 1, 1};
  EXPECT_TRUE(check(problem, plan).has_value());
  problem.buffers[0] = {"a", {{0, 1}}, 1, 0};
  EXPECT_TRUE(check(problem, plan).has_value());
  problem.buffers[0] = {"a", {{0, 1}}, 1, 1};
  problem.buffers[0].inside = Inside{7, 0};
  EXPECT_TRUE(check(problem, plan).has_value());
  problem.buffers[0] = {"a", {{INT64_MIN, INT64_MAX}}, 1, 1};
  problem.buffers[0].may_share = {99, -1};
  EXPECT_FALSE(check(problem, plan).has_value());
  // An option between two that are alive together all the time.
  problem.buffers.push_back(problem.buffers[0]);
  problem.buffers[0].may_share = {1};
  plan.placements.push_back(plan.placements[0]);
  EXPECT_TRUE(check(problem, plan).has_value());
  problem.buffers.pop_back();
  plan.placements.pop_back();
  EXPECT_FALSE(check(problem, plan).has_value());
  plan.placements[0].pool = 1;
  EXPECT_TRUE(check(problem, plan).has_value());
  plan.placements.clear();
  EXPECT_TRUE(check(problem, plan).has_value());
}

}  // namespace
}  // namespace berth::plan
