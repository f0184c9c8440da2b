// Random problems of every kind against the best plan there is (up to seven buffers) and against
// the checker (larger ones): every planner, every trick of `best` switched off. 300 problems of a
// kind here, 10,000 with BERTH_LONG=1 (about five minutes), 100 under sanitizers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "plan/brute_force.h"
#include "plan/case_text.h"
#include "plan/check.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

struct Kind {
  const char* name;
  Kinds kinds;
};

const Kind kAllKinds[] = {
    {"Plain", {}},
    {"Holes", {.holes = true}},
    {"Alignment", {.alignments = true}},
    {"Capacity", {.holes = true, .capacities = true}},
    {"Inside", {.holes = true, .parts = true}},
    {"Fixed", {.alignments = true, .fixed = true, .near = true}},
    {"InPlace", {.steps = 6, .in_place = true}},
    {"Pools", {.holes = true, .pools = 3, .costs = false}},
    {"Costs", {.holes = true, .pools = 2}},
    {"Capacities", {.holes = true, .pools = 2, .capacities = true}},
    {"Accesses", {.holes = true, .pools = 2, .accesses = true, .capacities = true}},
    {"Mixed",
     {.holes = true,
      .alignments = true,
      .in_place = true,
      .parts = true,
      .fixed = true,
      .near = true,
      .pools = 2,
      .capacities = true}},
};

#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kHere = 100;
#else
constexpr uint64_t kHere = 300;
#endif

uint64_t how_many() { return std::getenv("BERTH_LONG") != nullptr ? 10'000 : kHere; }

uint64_t total(const std::vector<uint64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
}

std::string words(const MaybeError& error) {
  return error ? error->place + " " + error->message : "";
}

// All tricks, and one after the other switched off.
std::vector<Options> every_switch(uint64_t max_nodes) {
  std::vector<Options> all(8);
  for (Options& options : all) options.max_nodes = max_nodes;
  all[1].use_holes = false;
  all[2].use_in_place = false;
  all[3].use_bottom_up = false;
  all[4].use_mixes = false;
  all[5].improve = false;
  all[6].use_exact = false;
  all[7].use_spread = false;
  return all;
}

// The rules that hold for every planner and whatever was switched off.
void expect_sound(const Problem& problem, const std::optional<BruteForce::Optimum>& optimum,
                  const Result<Plan>& made, const std::optional<Shortage>& shortage) {
  if (!made.ok()) {
    // Fixed buffers that collide, or too little room.
    if (!shortage || shortage->proven) {
      ASSERT_FALSE(optimum.has_value()) << made.error().place << " " << made.error().message;
    }
    return;
  }
  const Plan& plan = made.value();
  ASSERT_EQ(words(check(problem, plan)), "");
  ASSERT_TRUE(optimum.has_value()) << "brute force finds no plan";
  ASSERT_GE(plan.cost, optimum->cost);
  if (plan.cost == optimum->cost) {
    ASSERT_GE(total(plan.pool_bytes), optimum->bytes);
  }
  if (plan.proven_optimal) {
    ASSERT_EQ(plan.cost, optimum->cost);
    ASSERT_EQ(total(plan.pool_bytes), optimum->bytes);
  }
}

// What measures the others is measured by hand.
TEST(BruteForce, FindsWhatOneSees) {
  const auto bytes = [](const std::string& text) {
    const Problem problem = parse_cases("# case x\n" + text).front().problem;
    const auto optimum = BruteForce(problem).find_optimum();
    return optimum ? std::to_string(optimum->cost) + "," + std::to_string(optimum->bytes) : "none";
  };
  EXPECT_EQ(bytes("a [0,2) 10\nb [1,3) 20\nc [2,4) 30\n"), "0,50");
  EXPECT_EQ(bytes("a [0,2)[4,6) 10\nb [2,4) 10\n"), "0,10");
  EXPECT_EQ(bytes("a [0,2) 10 align 16\nb [1,3) 20 align 32\n"), "0,48");
  EXPECT_EQ(bytes("a [0,2) 10 fixed 0:100\nb [1,3) 101\n"), "0,211");
  EXPECT_EQ(bytes("a [0,2) 10 fixed 0:5\nb [1,3) 9 fixed 0:14\n"), "none");
  EXPECT_EQ(bytes("a [0,2) 50\nb [1,3) 50 share a\n"), "0,50");
  EXPECT_EQ(bytes("a [0,2) 50\nb [1,3) 51 share a\n"), "0,101");
  EXPECT_EQ(bytes("a [0,3) 50\nb [1,3) 50 share a\n"), "0,100");
  EXPECT_EQ(bytes("a [0,2) 50 fixed 0:4\nb [1,3) 50 share a\n"), "0,54");
  // The partner's grid lifts both.
  EXPECT_EQ(bytes("f [0,2) 4 fixed 0:0\na [0,2) 50\nb [1,3) 32 align 16 share a\n"), "0,66");
  EXPECT_EQ(bytes("h [3,4) 64\np [0,1) 16 inside h+16\nx [0,1) 8\n"), "0,72");
  const std::string pools = "# pool: x 10 cost 1\n# pool: y 40 cost 3\n";
  EXPECT_EQ(bytes(pools + "a [0,2) 10 pools 0,1\nb [1,3) 20 pools 0,1\n"), "70,30");
  EXPECT_EQ(bytes(pools + "a [0,2) 10 pools 0,1\nb [1,3) 10 pools 0,1\nc [2,4) 10 pools 0\n"),
            "50,20");
  EXPECT_EQ(bytes(pools + "a [0,2) 11 pools 0\n"), "none");
}

TEST(BruteForce, CountsTheFewestThatDoNotFit) {
  Problem problem =
      parse_cases("# case x\na [0,3) 60\nb [1,4) 50\nc [2,5) 10\nd [7,8) 115\n").front().problem;
  const auto fewest = [&](uint64_t capacity) {
    problem.pools[0].capacity = capacity;
    return BruteForce(problem).fewest_in_conflict(0);
  };
  EXPECT_EQ(fewest(120), 0u);
  EXPECT_EQ(fewest(119), 3u);
  EXPECT_EQ(fewest(115), 3u);
  EXPECT_EQ(fewest(114), 1u);
  problem.buffers[3].size = 100;
  EXPECT_EQ(fewest(109), 2u);
}

// The buffers in conflict have no room together, none of them can be spared, and in plain problems
// there is no smaller set.
void expect_conflict(const Problem& problem, BruteForce* brute_force, const Shortage& shortage) {
  const uint64_t capacity = *problem.pools[shortage.pool].capacity;
  ASSERT_EQ(capacity, shortage.have);
  ASSERT_FALSE(shortage.conflict.empty());
  // Without the others there is still no plan.
  Problem alone = problem;
  for (size_t i = 0; i < alone.buffers.size(); ++i) {
    size_t host = i;
    while (alone.buffers[host].inside) {
      host = static_cast<size_t>(alone.buffers[host].inside->buffer);
    }
    if (std::count(shortage.conflict.begin(), shortage.conflict.end(), host) > 0) continue;
    alone.buffers[i].size = 0;
    alone.buffers[i].fixed.reset();
    if (alone.buffers[i].inside) alone.buffers[i].inside->offset = 0;
  }
  ASSERT_FALSE(BruteForce(alone).find_optimum().has_value());
  bool plain = problem.pools.size() == 1;
  for (const Buffer& buffer : problem.buffers) {
    plain = plain && !buffer.fixed && buffer.may_share.empty();
  }
  for (size_t k = 0; k < shortage.conflict.size(); ++k) {
    std::vector<int32_t> others = shortage.conflict;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (plain) {
      ASSERT_LE(brute_force->height_of(others), capacity);
    }
  }
  if (plain) {
    ASSERT_EQ(shortage.conflict.size(), brute_force->fewest_in_conflict(shortage.pool));
  }
}

class PlanRandom : public testing::TestWithParam<Kind> {};

TEST_P(PlanRandom, SmallProblemsAgainstTheBestPlanThereIs) {
  uint64_t missed = 0;
  uint64_t unproven = 0;
  uint64_t none = 0;
  for (uint64_t seed = 0; seed < how_many(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Kinds kinds = GetParam().kinds;
    kinds.buffers = 1 + static_cast<uint32_t>(seed % 7);
    const Problem problem = random_problem(seed, kinds);
    BruteForce brute_force(problem);
    const auto optimum = brute_force.find_optimum();
    const auto bound = lower_bound(problem);
    for (size_t p = 0; optimum && p < bound.size(); ++p) {
      ASSERT_LE(bound[p].bytes, optimum->fewest[p]);
    }
    const auto all = every_switch(20'000);
    for (size_t k = 1; k < all.size(); ++k) {
      std::optional<Shortage> missing;
      const auto made = make_plan(problem, Planner::kBest, all[k], &missing);
      ASSERT_NO_FATAL_FAILURE(expect_sound(problem, optimum, made, missing)) << "switch " << k;
    }
    for (Planner planner : {Planner::kGreedy, Planner::kNaive}) {
      std::optional<Shortage> missing;
      const auto made = make_plan(problem, planner, {}, &missing);
      ASSERT_NO_FATAL_FAILURE(expect_sound(problem, optimum, made, missing));
    }
    std::optional<Shortage> shortage;
    const auto best = make_plan(problem, Planner::kBest, all[0], &shortage);
    ASSERT_NO_FATAL_FAILURE(expect_sound(problem, optimum, best, shortage));
    if (shortage && shortage->proven) {
      ASSERT_NO_FATAL_FAILURE(expect_conflict(problem, &brute_force, *shortage));
    }
    if (!optimum) {
      ++none;
      if (shortage && !shortage->proven) ++unproven;
      continue;
    }
    const bool hit = best.ok() && best.value().cost == optimum->cost &&
                     total(best.value().pool_bytes) == optimum->bytes;
    missed += hit ? 0 : 1;
    unproven += hit && best.value().proven_optimal ? 0 : 1;
  }
  RecordProperty("missed", std::to_string(missed));
  RecordProperty("unproven", std::to_string(unproven));
  RecordProperty("impossible", std::to_string(none));
  EXPECT_EQ(missed, 0u);
  EXPECT_EQ(unproven, 0u);
  EXPECT_LT(none, how_many());
}

TEST_P(PlanRandom, LargerProblemsAgainstTheChecker) {
  for (uint64_t seed = 0; seed < how_many(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Kinds kinds = GetParam().kinds;
    // Most of some tens, a few of some hundreds.
    kinds.buffers = 8 + static_cast<uint32_t>(seed % 100 == 0 ? 100 + seed % 700 / 3 : seed % 40);
    kinds.steps = 4 + static_cast<uint32_t>(seed % 60);
    kinds.max_size = seed % 3 == 0 && !kinds.fixed ? 1000 : 20;
    kinds.near = false;  // so many would collide
    const Problem problem = random_problem(seed, kinds);
    const auto options = every_switch(500)[seed % 8];
    std::optional<uint64_t> greedy_bytes;
    for (Planner planner : {Planner::kGreedy, Planner::kNaive, Planner::kBest}) {
      std::optional<Shortage> shortage;
      const auto made = make_plan(problem, planner, options, &shortage);
      if (!made.ok()) {
        // What greedy can do best can.
        ASSERT_FALSE(planner == Planner::kBest && greedy_bytes) << made.error().message;
        continue;
      }
      const Plan& plan = made.value();
      ASSERT_EQ(words(check(problem, plan)), "") << planner_name(planner);
      for (size_t p = 0; p < problem.pools.size(); ++p) {
        ASSERT_GE(plan.pool_bytes[p], plan.lower_bound[p]);
        ASSERT_GE(plan.lower_bound[p], lower_bound(problem)[p].bytes);
      }
      if (planner == Planner::kGreedy) {
        greedy_bytes = plan.greedy_bytes;
        ASSERT_EQ(total(plan.pool_bytes), plan.greedy_bytes);
      }
      if (planner == Planner::kBest && greedy_bytes && problem.pools.size() == 1) {
        ASSERT_LE(total(plan.pool_bytes), *greedy_bytes);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PlanRandom, testing::ValuesIn(kAllKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace berth::plan
