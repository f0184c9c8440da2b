// Properties over random problems: every plan of every planner passes the checker; `best` is never
// above greedy nor below the bound; a corrupted plan is refused. (Against the best plan there is:
// plan_random_test.cc.)
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "plan/check.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

const std::vector<Kinds>& classes() {
  static const std::vector<Kinds> kAll = {
      {.buffers = 6},
      {.buffers = 12, .steps = 10},
      {.buffers = 6, .holes = true, .alignments = true},
      {.buffers = 7, .steps = 6, .in_place = true},
      {.buffers = 9, .steps = 6, .holes = true, .in_place = true},
      {.buffers = 8, .holes = true, .in_place = true, .parts = true},
      {.buffers = 8,
       .holes = true,
       .alignments = true,
       .in_place = true,
       .parts = true,
       .fixed = true},
      {.buffers = 10,
       .holes = true,
       .alignments = true,
       .in_place = true,
       .parts = true,
       .fixed = true,
       .pools = 3},
      {.buffers = 60,
       .steps = 40,
       .max_size = 1000,
       .holes = true,
       .alignments = true,
       .in_place = true},
  };
  return kAll;
}

uint64_t total(const std::vector<uint64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
}

// A small search budget: the point is many problems.
Options quick() {
  Options options;
  options.max_nodes = 500;
  return options;
}

std::string words(const MaybeError& error) {
  return error ? error->place + " " + error->message : "";
}

TEST(PlanProperties, EveryPlanPassesTheCheckerAndBestIsNeverAboveGreedy) {
  for (size_t k = 0; k < classes().size(); ++k) {
    for (uint64_t seed = 0; seed < 400; ++seed) {
      SCOPED_TRACE("class " + std::to_string(k) + " seed " + std::to_string(seed));
      const Problem problem = random_problem(seed, classes()[k]);
      for (Planner planner : {Planner::kBest, Planner::kGreedy, Planner::kNaive}) {
        const Result<Plan> plan = make_plan(problem, planner, quick());
        ASSERT_TRUE(plan.ok()) << plan.error().place << " " << plan.error().message;
        ASSERT_EQ(words(check(problem, plan.value())), "") << planner_name(planner);
        for (size_t p = 0; p < problem.pools.size(); ++p) {
          ASSERT_GE(plan.value().pool_bytes[p], plan.value().lower_bound[p]);
          ASSERT_GE(plan.value().lower_bound[p], lower_bound(problem)[p].bytes);
        }
        if (planner == Planner::kBest) {
          ASSERT_LE(total(plan.value().pool_bytes), plan.value().greedy_bytes);
        } else if (planner == Planner::kGreedy) {
          ASSERT_EQ(total(plan.value().pool_bytes), plan.value().greedy_bytes);
        }
      }
    }
  }
}

TEST(PlanProperties, PoolBytesAreExact) {
  for (size_t k = 0; k < classes().size(); ++k) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const Problem problem = random_problem(seed, classes()[k]);
      Plan plan = make_plan(problem, Planner::kBest, quick()).take();
      for (uint64_t& bytes : plan.pool_bytes) {
        if (bytes == 0) continue;
        --bytes;
        EXPECT_TRUE(check(problem, plan).has_value()) << "class " << k << " seed " << seed;
        ++bytes;
      }
    }
  }
}

TEST(PlanProperties, EqualProblemsGetEqualPlans) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Problem problem = random_problem(seed, classes().back());
    const Plan a = make_plan(problem, Planner::kBest, quick()).take();
    const Plan b = make_plan(problem, Planner::kBest, quick()).take();
    for (size_t i = 0; i < a.placements.size(); ++i) {
      ASSERT_EQ(a.placements[i].pool, b.placements[i].pool);
      ASSERT_EQ(a.placements[i].offset, b.placements[i].offset);
    }
    ASSERT_EQ(a.nodes, b.nodes);
  }
}

// A plan with one buffer moved onto another that lives at the same time must be refused, and so
// must any shift that the brute comparison below calls an overlap.
TEST(PlanProperties, CorruptedPlansAreRefused) {
  int corrupted = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const Problem problem = random_problem(seed, {.buffers = 8, .holes = true});
    Plan plan = make_plan(problem, Planner::kBest, quick()).take();
    Dice dice(seed + 1);
    const uint32_t victim = dice.roll(8);
    plan.placements[victim].offset = dice.roll(60);
    plan.pool_bytes[0] = 1000;
    bool overlap = false;
    for (uint32_t j = 0; j < 8; ++j) {
      if (j == victim) continue;
      const Buffer& a = problem.buffers[victim];
      const Buffer& b = problem.buffers[j];
      const uint64_t at = plan.placements[victim].offset;
      const uint64_t bt = plan.placements[j].offset;
      if (std::max(at, bt) >= std::min(at + a.size, bt + b.size)) continue;
      for (Step step = 0; step < 40; ++step) {
        auto alive = [&](const Buffer& x) {
          return std::any_of(x.live.begin(), x.live.end(), [&](const Interval& life) {
            return life.begin <= step && step < life.end;
          });
        };
        overlap = overlap || (alive(a) && alive(b));
      }
    }
    ASSERT_EQ(check(problem, plan).has_value(), overlap) << "seed " << seed;
    corrupted += overlap ? 1 : 0;
  }
  EXPECT_GT(corrupted, 500);
}

TEST(PlanProperties, TheSetOfSixIsPlannedIn160InEveryInputOrder) {
  const std::vector<Buffer> six = {{"b0", {{2, 3}}, 48}, {"b1", {{1, 4}}, 64},
                                   {"b2", {{1, 2}}, 96}, {"b3", {{5, 6}}, 96},
                                   {"b4", {{3, 7}}, 64}, {"b5", {{0, 1}}, 80}};
  std::vector<int> order = {0, 1, 2, 3, 4, 5};
  do {
    Problem problem;
    problem.pools = {{"main"}};
    for (int i : order) problem.buffers.push_back(six[i]);
    const Plan plan = make_plan(problem).take();
    ASSERT_EQ(plan.pool_bytes[0], 160u);
    ASSERT_TRUE(plan.proven_optimal);
    ASSERT_FALSE(check(problem, plan).has_value());
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace berth::plan
