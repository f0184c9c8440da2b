// Choices of pools: that they are best, what proves it, and what is said when nothing fits. (Random
// problems of two and three pools: plan_random_test.cc; known answers: tools/plan_io_test.cc.)
#include "plan/spread.h"

#include <gtest/gtest.h>

#include "plan/brute_force.h"
#include "plan/case_text.h"
#include "plan/check.h"
#include "plan/pool_choice.h"
#include "plan/pool_heights.h"
#include "plan/random_problem.h"
#include "plan/sub_problem.h"

namespace berth::plan {
namespace {

Problem problem_of(const std::string& text) {
  return parse_cases("# case x\n" + text).front().problem;
}

// A fast and a slow pool; `tight` percent of the fullest moment fit into the fast one.
Problem two_pools(uint64_t seed, uint32_t buffers, uint64_t tight) {
  Problem problem = random_problem(
      seed, {.buffers = buffers, .steps = buffers / 2, .max_size = 1000, .holes = seed % 2 == 1});
  problem.pools = {{"fast", lower_bound(problem)[0].bytes * tight / 100, 1}, {"slow", {}, 4}};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  return problem;
}

TEST(Spread, TheCostlyPoolGetsWhatSavesLeast) {
  // First fit by size would put a into the fast pool, and b and c beside it into the slow one.
  const Problem problem = problem_of(
      "# pool: fast 60 cost 1\n# pool: slow cost 5\na [0,4) 40 pools 0,1\nb [0,2) 30 pools 0,1\n"
      "c [2,4) 30 pools 0,1\nd [0,4) 30 pools 0,1\n");
  const Plan plan = make_plan(problem).take();
  EXPECT_EQ(plan.cost, 90u + 40u * 5);
  EXPECT_TRUE(plan.proven_optimal);
}

TEST(Spread, AddressesMatter) {
  // At no step are more than 160 bytes alive, but there is no layout of less than 176
  // (the b0..b5 with one more).
  const std::string buffers =
      "a [0,2) 3 pools 0,1\nb [1,4) 4 pools 0,1\nc [3,6) 3 pools 0,1\nd [4,8) 4 pools 0,1\n"
      "e [2,3) 3 pools 0,1\nf [6,7) 3 pools 0,1\ng [0,1) 4 pools 0,1\nh [5,8) 2 pools 0,1\n";
  for (uint64_t capacity = 5; capacity <= 10; ++capacity) {
    const Problem problem = problem_of("# pool: fast " + std::to_string(capacity) +
                                       " cost 0\n# pool: slow cost 1\n" + buffers);
    const auto optimum = BruteForce(problem).find_optimum();
    const Plan plan = make_plan(problem).take();
    EXPECT_EQ(plan.cost, optimum->cost) << capacity;
    EXPECT_EQ(plan.pool_bytes[0] + plan.pool_bytes[1], optimum->bytes) << capacity;
    EXPECT_TRUE(plan.proven_optimal) << capacity;
  }
}

TEST(Spread, WhatIsProvenNotToFitIsNamed) {
  // Two of three fit into each pool at a step; of five, one is left over.
  const Problem problem = problem_of(
      "# pool: x 20\n# pool: y 20\na [0,1) 10 pools 0,1\nb [0,1) 10 pools 0,1\n"
      "c [0,1) 10 pools 0,1\nd [0,1) 10 pools 0,1\ne [0,1) 10 pools 0,1\nf [2,3) 10 pools 0,1\n");
  std::optional<Shortage> shortage;
  ASSERT_FALSE(make_plan(problem, Planner::kBest, {}, &shortage).ok());
  ASSERT_TRUE(shortage.has_value());
  EXPECT_TRUE(shortage->proven);
  EXPECT_EQ(shortage->conflict, (std::vector<int32_t>{0, 1, 2, 3, 4}));
}

TEST(Spread, HelpsAndProvesProblemsOfTens) {
  Options without;
  without.use_spread = false;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const Problem problem = two_pools(seed, 60, 60);
    const Plan plan = make_plan(problem).take();
    EXPECT_FALSE(check(problem, plan).has_value());
    EXPECT_TRUE(plan.proven_optimal) << "seed " << seed;
    EXPECT_LT(plan.cost, make_plan(problem, Planner::kBest, without).take().cost)
        << "seed " << seed;
  }
}

TEST(Spread, IsNeverWorseForHundreds) {
  Options with;
  with.max_nodes = 50'000;
  Options without = with;
  without.use_spread = false;
  for (const uint32_t buffers : {150u, 350u}) {
    const Problem problem = two_pools(buffers, buffers, 50);
    const Plan plan = make_plan(problem, Planner::kBest, with).take();
    EXPECT_FALSE(check(problem, plan).has_value());
    EXPECT_LE(plan.cost, make_plan(problem, Planner::kBest, without).take().cost) << buffers;
  }
}

TEST(Spread, GivesTheSamePlanTwice) {
  const Problem problem = two_pools(5, 60, 50);
  Options options;
  options.max_nodes = 5'000;
  const Plan first = make_plan(problem, Planner::kBest, options).take();
  const Plan second = make_plan(problem, Planner::kBest, options).take();
  EXPECT_EQ(first.nodes, second.nodes);
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    EXPECT_EQ(first.placements[i].pool, second.placements[i].pool);
    EXPECT_EQ(first.placements[i].offset, second.placements[i].offset);
  }
}

TEST(Spread, WhatIsUsedMostHasTheFastPool) {
  const std::string pools = "# pool: fast 60 cost 1\n# pool: slow cost 5\n";
  const Plan once =
      make_plan(problem_of(pools + "big [0,4) 60 pools 0,1\nsmall [0,4) 20 pools 0,1\n")).take();
  EXPECT_EQ(once.placements[0].pool, 0);
  const Plan often = make_plan(problem_of(pools + "big [0,4) 60 pools 0,1\n"
                                                  "small [0,4) 20 pools 0,1 accesses 9\n"
                                                  "unused [0,4) 100 pools 1 accesses 0\n"))
                         .take();
  EXPECT_EQ(often.placements[1].pool, 0);
  EXPECT_EQ(often.cost, 20u * 9 + 60u * 5);
  EXPECT_TRUE(often.proven_optimal);
}

// Too many for a search: here the order in which buffers choose is all.
TEST(Spread, OrdersByAccessesHelp) {
  Problem problem =
      random_problem(3, {.buffers = 400, .steps = 300, .max_size = 1000, .accesses = true});
  problem.pools = {{"fast", lower_bound(problem)[0].bytes / 4, 1}, {"slow", {}, 4}};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  const Plan weighed = make_plan(problem).take();
  Problem plain = problem;
  for (Buffer& buffer : plain.buffers) buffer.accesses = 1;
  const Plan blind = make_plan(plain).take();
  uint64_t cost = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    cost += buffer.size * buffer.accesses * problem.pools[blind.placements[i].pool].cost;
  }
  EXPECT_LT(weighed.cost, cost);
}

TEST(PoolChoice, ItsBoundIsNoneThatAPlanPasses) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Problem problem = random_problem(seed, {.buffers = 6,
                                                  .holes = true,
                                                  .in_place = seed % 2 == 0,
                                                  .pools = 3,
                                                  .costs = seed % 3 != 0,
                                                  .accesses = seed % 5 < 2,
                                                  .capacities = true});
    const Model model(problem, true, true);
    std::vector<uint64_t> capacities;
    for (const Pool& pool : problem.pools) capacities.push_back(pool.capacity.value_or(UINT64_MAX));
    PoolChoice choice(model, capacities);
    Score bound;
    const bool is_possible = choice.find_bound(&bound);
    const auto optimum = BruteForce(problem).find_optimum();
    if (!optimum) continue;
    ASSERT_TRUE(is_possible) << "seed " << seed;
    ASSERT_FALSE((Score{0, optimum->cost, optimum->bytes} < bound)) << "seed " << seed;
  }
}

TEST(PoolHeights, AgreeWithTheBestPlanThereIs) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Problem problem = random_problem(seed, {.buffers = 7, .alignments = true, .pools = 2});
    const Model model(problem, true, true);
    BruteForce brute_force(problem);
    PoolHeights heights(model, 100'000);
    for (uint32_t mask = 1; mask < 1u << model.count(); mask += 13) {
      std::vector<int32_t> roots, buffers;
      for (int32_t i = 0; i < model.count(); ++i) {
        if ((mask >> i & 1) == 0) continue;
        roots.push_back(i);
        buffers.push_back(model.roots()[i].buffer);
      }
      const auto& height = heights.find(roots, 0, 0, UINT64_MAX);
      EXPECT_EQ(height.low, brute_force.height_of(buffers));
      EXPECT_EQ(height.high, height.low);
    }
  }
}

TEST(SubProblem, KeepsAlignmentsFixedPlacesAndOptions) {
  const Problem problem = problem_of(
      "# pool: x 99\n# pool: y 77 cost 3\na [0,2) 50 align 16 pools 1\nb [1,3) 40 pools 1 share a\n"
      "c [5,6) 8 fixed 1:64\nd [2,3) 4\np [2,3) 8 align 8 inside b+8\n");
  const Model model(problem, true, true);
  const Problem only = sub_problem(model, {1, 0, 2}, 1);
  ASSERT_FALSE(validate(only).has_value());
  const Model sub(only, true, true);
  ASSERT_EQ(sub.count(), 3);
  EXPECT_EQ(*only.pools[0].capacity, 77u);
  EXPECT_EQ(sub.roots()[0].bytes, 40u);
  EXPECT_EQ(sub.roots()[0].alignment, 8u);
  EXPECT_EQ(sub.roots()[1].bytes, 64u);
  EXPECT_EQ(sub.roots()[2].fixed->offset, 64u);
  EXPECT_EQ(sub.options().size(), model.options().size());
}

}  // namespace
}  // namespace berth::plan
