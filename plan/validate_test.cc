// What validate() refuses, with the buffer and the value in its words.
#include <gtest/gtest.h>

#include "plan/plan.h"

namespace berth::plan {
namespace {

// Two good buffers, to be spoilt.
Problem good() {
  Problem problem;
  problem.pools = {{"sram", 4096, 1}, {"dram", {}, 4}};
  problem.buffers = {{"a", {{0, 2}, {4, 6}}, 100, 16}, {"b", {{1, 3}}, 64, 4}};
  return problem;
}

std::string refusal(const Problem& problem) {
  int32_t where = -2;
  const auto error = validate(problem, &where);
  if (!error) return "";
  EXPECT_FALSE(make_plan(problem).ok());
  return std::to_string(where) + " " + error->place + ": " + error->message;
}

TEST(Validate, AcceptsAGoodProblemAndAnEmptyOne) {
  EXPECT_EQ(refusal(good()), "");
  Problem empty;
  empty.pools = {{"p"}};
  EXPECT_EQ(refusal(empty), "");
  const auto plan = make_plan(empty);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().pool_bytes, std::vector<uint64_t>{0});
  EXPECT_TRUE(plan.value().proven_optimal);
}

TEST(Validate, WantsAPool) {
  Problem problem = good();
  problem.pools.clear();
  EXPECT_EQ(refusal(problem), "-1 problem: has no pool; at least one is needed");
}

TEST(Validate, WantsAlignmentsThatArePowersOfTwo) {
  for (uint32_t alignment : {0u, 3u, 24u, 0xffffffffu}) {
    Problem problem = good();
    problem.buffers[1].alignment = alignment;
    EXPECT_EQ(refusal(problem), "1 buffer b: alignment " + std::to_string(alignment) +
                                    "; it must be a power of two (1 for none)");
  }
  Problem problem = good();
  problem.buffers[1].alignment = 0x80000000u;
  EXPECT_EQ(refusal(problem), "");
}

TEST(Validate, WantsLifetimesThatEndAfterTheyBeginInOrder) {
  Problem problem = good();
  problem.buffers[0].live = {};
  EXPECT_EQ(refusal(problem), "0 buffer a: has no lifetime; it needs at least one interval");
  problem.buffers[0].live = {{3, 3}};
  EXPECT_NE(refusal(problem).find("[3,3) is empty"), std::string::npos);
  problem.buffers[0].live = {{3, 1}};
  EXPECT_NE(refusal(problem).find("[3,1) is inverted"), std::string::npos);
  problem.buffers[0].live = {{0, 3}, {2, 5}};
  EXPECT_NE(refusal(problem).find("[2,5) begins before"), std::string::npos);
  problem.buffers[0].live = {{4, 6}, {0, 3}};
  EXPECT_NE(refusal(problem).find("[0,3) begins before"), std::string::npos);
  problem.buffers[0].live = {{0, 3}, {3, 5}};
  EXPECT_EQ(refusal(problem), "");
  problem.buffers[0].live = {{INT64_MIN, INT64_MAX}};
  EXPECT_EQ(refusal(problem), "");
}

TEST(Validate, WantsPoolsThatExistOnce) {
  Problem problem = good();
  problem.buffers[0].pools = {1, 2};
  EXPECT_EQ(refusal(problem), "0 buffer a: allows pool 2; there are 2, counted from 0");
  problem.buffers[0].pools = {-1};
  EXPECT_NE(refusal(problem), "");
  problem.buffers[0].pools = {1, 0, 1};
  EXPECT_EQ(refusal(problem), "0 buffer a: allows pool 1 twice");
}

TEST(Validate, WantsFixedPlacesAlignedAndAllowed) {
  Problem problem = good();
  problem.buffers[0].fixed = Fixed{2, 0};
  EXPECT_NE(refusal(problem), "");
  problem.buffers[0].fixed = Fixed{0, 8};
  EXPECT_EQ(refusal(problem), "0 buffer a: is fixed at 8, not a multiple of its alignment 16");
  problem.buffers[0].fixed = Fixed{0, 16};
  problem.buffers[0].pools = {1};
  EXPECT_EQ(refusal(problem),
            "0 buffer a: is fixed in pool sram, which is not among the pools it allows");
}

TEST(Validate, WantsPartsWithinTheirHosts) {
  Problem problem = good();
  problem.buffers[1].inside = Inside{2, 0};
  EXPECT_NE(refusal(problem), "");
  problem.buffers[1].inside = Inside{0, 40};
  EXPECT_EQ(refusal(problem), "1 buffer b: has 64 bytes at 40 of buffer a, which has only 100");
  problem.buffers[1].inside = Inside{0, UINT64_MAX - 3};
  EXPECT_NE(refusal(problem), "");
  problem.buffers[1].inside = Inside{0, 34};
  EXPECT_EQ(refusal(problem),
            "1 buffer b: lies at 34 of buffer a, not a multiple of its alignment 4");
  problem.buffers[1].inside = Inside{0, 36};
  EXPECT_EQ(refusal(problem), "");
  problem.buffers[1].pools = {0};
  EXPECT_NE(refusal(problem), "");
  problem.buffers[1].pools = {};
  problem.buffers[1].fixed = Fixed{0, 0};
  EXPECT_NE(refusal(problem), "");
}

TEST(Validate, AlignsPartsOfPartsByTheirDistanceFromTheOutermostHost) {
  Problem problem = good();
  problem.buffers[1].inside = Inside{0, 4};
  problem.buffers.push_back({"c", {{0, 1}}, 16, 16});
  problem.buffers[2].inside = Inside{1, 16};
  EXPECT_EQ(refusal(problem),
            "2 buffer c: lies at 20 of buffer a, not a multiple of its alignment 16");
  problem.buffers[2].inside = Inside{1, 12};
  EXPECT_EQ(refusal(problem), "");
  problem.buffers[0].alignment = 8;
  problem.buffers[0].fixed = Fixed{0, 8};
  EXPECT_EQ(refusal(problem),
            "2 buffer c: lies at 24 of its pool, not a multiple of its alignment 16");
}

TEST(Validate, RefusesHostsInACircle) {
  Problem problem = good();
  problem.buffers[1] = {"b", {{0, 1}}, 100, 1};
  problem.buffers[0].inside = Inside{1, 0};
  problem.buffers[1].inside = Inside{0, 0};
  EXPECT_EQ(refusal(problem), "0 buffer a: lies inside itself, through buffer a");
  problem.buffers[1].inside = Inside{1, 0};
  EXPECT_NE(refusal(problem), "");
}

TEST(Validate, WalksALongChainOfPartsOnce) {
  Problem problem;
  problem.pools = {{"p"}};
  for (int32_t i = 0; i < 100000; ++i) {
    problem.buffers.push_back({"", {{0, 1}}, 8, 1});
    if (i + 1 < 100000) problem.buffers.back().inside = Inside{i + 1, 0};
  }
  EXPECT_EQ(refusal(problem), "");
}

TEST(Validate, WantsInPlaceOptionsThatExist) {
  Problem problem = good();
  problem.buffers[1].may_share = {0};
  EXPECT_EQ(refusal(problem), "");
  problem.buffers[1].may_share = {1};
  EXPECT_NE(refusal(problem), "");
  problem.buffers[1].may_share = {2};
  EXPECT_NE(refusal(problem), "");
  problem.buffers[1].may_share = {-1};
  EXPECT_NE(refusal(problem), "");
}

TEST(Validate, WantsSumsWithin63Bits) {
  Problem problem = good();
  problem.pools = {{"p"}};
  problem.buffers = {{"a", {{0, 1}}, INT64_MAX - 1, 1}};
  EXPECT_EQ(refusal(problem), "");
  problem.buffers.push_back({"b", {{0, 1}}, 1, 1});
  EXPECT_EQ(
      refusal(problem),
      "1 buffer b: size 1: with the buffers before it and all alignments, more than 2^63-1 bytes");
  problem.buffers = {{"a", {{0, 1}}, UINT64_MAX, 16}};
  EXPECT_NE(refusal(problem), "");
  problem.buffers = {{"a", {{0, 1}}, 16, 16}};
  problem.buffers[0].fixed = Fixed{0, UINT64_MAX - 15};
  EXPECT_NE(refusal(problem), "");
  problem.pools[0].cost = uint64_t{1} << 60;
  problem.buffers = {{"a", {{0, 1}}, 100, 1}};
  EXPECT_NE(refusal(problem).find("do not fit in 63 bits"), std::string::npos);
  problem.pools[0].cost = 2;
  problem.buffers[0].accesses = uint64_t{1} << 60;
  EXPECT_EQ(refusal(problem),
            "0 buffer a: size 100, accesses 1152921504606846976: bytes x accesses x the cost of a"
            " pool (2) do not fit in 63 bits");
  problem.buffers[0].size = 0;
  problem.buffers[0].accesses = UINT64_MAX;
  EXPECT_NE(refusal(problem), "");
}

TEST(Validate, FixedBuffersThatCollideAreRefusedByThePlanners) {
  Problem problem = good();
  problem.buffers[0].fixed = Fixed{0, 0};
  problem.buffers[1].fixed = Fixed{0, 96};
  const auto plan = make_plan(problem);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().place, "buffer a");
  EXPECT_EQ(plan.error().message,
            "and buffer b are fixed on bytes [96,112) of pool sram and alive together; fix them "
            "apart");
  problem.buffers[1].fixed = Fixed{0, 112};
  EXPECT_TRUE(make_plan(problem).ok());
}

}  // namespace
}  // namespace berth::plan
