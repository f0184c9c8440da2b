// What each trick of `best` is worth, and what it says when a capacity is missed. (Its answers:
// testdata/best.txt; its properties: plan_property_test.cc.)
#include <gtest/gtest.h>

#include "plan/case_text.h"
#include "plan/check.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

Problem problem_of(const std::string& text) {
  return parse_cases("# case x\n" + text).front().problem;
}

uint64_t bytes_with(const Problem& problem, const Options& options) {
  const Plan plan = make_plan(problem, Planner::kBest, options).take();
  EXPECT_FALSE(check(problem, plan).has_value());
  return plan.pool_bytes[0];
}

TEST(Best, TheHelloOfThePublicHeaderIsTrue) {
  Problem problem;
  problem.pools = {{"sram", 65536}};
  problem.buffers.push_back({"a", {{0, 2}}, 100, 16});
  problem.buffers.push_back({"b", {{1, 3}}, 100, 16});
  const Result<Plan> plan = make_plan(problem);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().placements[0].offset, 112u);
  EXPECT_EQ(plan.value().pool_bytes[0], 224u);
}

TEST(Best, UsingHolesHelps) {
  const Problem problem = problem_of("a [0,2)[6,8) 64\nb [2,6) 64\n");
  Options without;
  without.use_holes = false;
  EXPECT_EQ(bytes_with(problem, {}), 64u);
  EXPECT_EQ(bytes_with(problem, without), 128u);
}

TEST(Best, WithoutHolesNothingIsCalledProvenThatHolesWouldBeat) {
  Options without;
  without.use_holes = false;
  const Plan plan =
      make_plan(problem_of("a [0,2)[6,8) 64\nb [2,6) 64\n"), Planner::kBest, without).take();
  EXPECT_FALSE(plan.proven_optimal);
  EXPECT_EQ(plan.lower_bound[0], 64u);
}

TEST(Best, FixedBuffersMayLieInHolesAndInPlaceWhateverIsSwitchedOff) {
  Options without;
  without.use_holes = false;
  without.use_in_place = false;
  EXPECT_EQ(bytes_with(problem_of("a [0,2)[6,8) 64 fixed 0:0\nb [2,6) 64 fixed 0:0\n"), without),
            64u);
  EXPECT_EQ(bytes_with(problem_of("a [0,2) 64 fixed 0:0\nb [1,6) 64 fixed 0:0 share a\n"), without),
            64u);
}

TEST(Best, InPlaceOptionsHelp) {
  const Problem problem = problem_of("a [0,2) 50\nb [1,3) 50 share a\nc [2,4) 50 share b\n");
  Options without;
  without.use_in_place = false;
  EXPECT_EQ(bytes_with(problem, {}), 50u);
  EXPECT_EQ(bytes_with(problem, without), 100u);
}

TEST(Best, TryingEverythingHelpsSmallProblems) {
  // No order and fit of the portfolio finds the 17 bytes.
  const Problem problem = problem_of(
      "b0 [2,5) 3\nb1 [4,6) 8\nb2 [3,5) 4\nb3 [6,7) 8\nb4 [1,3) 7\nb5 [5,6) 8\nb6 [1,2) 7\nb7 "
      "[2,4) 4\n");
  Options without;
  without.improve = false;
  EXPECT_EQ(bytes_with(problem, {}), 17u);
  EXPECT_GT(bytes_with(problem, without), 17u);
}

// Over many problems of a class: never worse, and in sum better.
void expect_help(const Kinds& kinds, const Options& with, const Options& without) {
  uint64_t better = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Problem problem = random_problem(seed, kinds);
    const uint64_t a = bytes_with(problem, with);
    const uint64_t b = bytes_with(problem, without);
    ASSERT_LE(a, b) << "seed " << seed;
    better += a < b ? 1 : 0;
  }
  EXPECT_GT(better, 0u);
}

TEST(Best, LocalSearchHelpsLargerProblems) {
  Options with;
  with.max_nodes = 4000;
  Options without;
  without.improve = false;
  expect_help({.buffers = 40, .steps = 20, .max_size = 100}, with, without);
  expect_help({.buffers = 40, .steps = 20, .max_size = 100, .alignments = true, .in_place = true},
              with, without);
}

// Over problems of a hundred buffers: in sum better with the trick than without.
void expect_less_in_sum(const Options& with, const Options& without) {
  uint64_t bytes_by = 0;
  uint64_t bytes_without = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Problem problem = random_problem(seed, {.buffers = 100, .steps = 50, .max_size = 1000});
    bytes_by += bytes_with(problem, with);
    bytes_without += bytes_with(problem, without);
  }
  EXPECT_LT(bytes_by, bytes_without);
}

TEST(Best, LayingOutFromTheBottomUpHelps) {
  Options with;
  with.improve = false;
  Options without = with;
  without.use_bottom_up = false;
  expect_less_in_sum(with, without);
}

TEST(Best, OrdersMixedAtRandomHelp) {
  Options with;
  with.max_nodes = 100;
  with.use_exact = false;
  Options without = with;
  without.use_mixes = false;
  expect_less_in_sum(with, without);
}

TEST(Best, SearchingCompletelyHelps) {
  Options with;
  with.max_nodes = 4000;
  Options without = with;
  without.use_exact = false;
  expect_less_in_sum(with, without);
}

TEST(Best, OnlyACompleteSearchProvesThatNothingIsLowerThanWhatIsAboveTheBound) {
  const Problem problem =
      problem_of("a [4,7) 5\nb [2,5) 9\nc [0,3) 6\nd [0,1) 3\ne [3,4)[6,7) 7\n");
  Options without;
  without.use_exact = false;
  const Plan with = make_plan(problem).take();
  EXPECT_GT(with.pool_bytes[0], with.lower_bound[0]);
  EXPECT_TRUE(with.proven_optimal);
  EXPECT_FALSE(make_plan(problem, Planner::kBest, without).take().proven_optimal);
}

TEST(Best, LooksAtAllLayoutsOfVeryFewBeforeItSearchesLong) {
  const Plan plan = make_plan(problem_of("b0 [4,8) 3\nb1 [5,8) 10\nb2 [3,7)[8,11) 13\nb3 [2,6) 1\n"
                                         "b4 [7,12)[13,15) 14\n"))
                        .take();
  EXPECT_GT(plan.pool_bytes[0], plan.lower_bound[0]);
  EXPECT_TRUE(plan.proven_optimal);
  EXPECT_LE(plan.nodes, 200u);  // one height after the other takes hundreds
}

TEST(Best, TellsOfItsProgressWhichChangesNothing) {
  // One that no search finishes.
  const Problem problem = random_problem(
      3, {.buffers = 20, .steps = 20, .max_size = 60, .holes = true, .alignments = true});
  Options options;
  options.max_nodes = 50'000;
  const Plan quiet = make_plan(problem, Planner::kBest, options).take();
  std::vector<Progress> told;
  options.progress = [&](const Progress& progress) { told.push_back(progress); };
  const Plan plan = make_plan(problem, Planner::kBest, options).take();
  ASSERT_GT(told.size(), 3u);
  EXPECT_LT(told.size(), plan.nodes / 4000);
  for (size_t k = 0; k < told.size(); ++k) {
    EXPECT_GE(told[k].nodes, k == 0 ? 4096 : told[k - 1].nodes + 4096);
    EXPECT_LE(told[k].nodes, plan.nodes);
    EXPECT_LE(told[k].bytes, k == 0 ? plan.greedy_bytes : told[k - 1].bytes);
    EXPECT_GE(told[k].bound, plan.lower_bound[0]);
    EXPECT_LE(told[k].bound, plan.pool_bytes[0]);
  }
  EXPECT_GE(told.back().bytes, plan.pool_bytes[0]);
  EXPECT_EQ(plan.pool_bytes, quiet.pool_bytes);
  EXPECT_EQ(plan.nodes, quiet.nodes);
  EXPECT_EQ(plan.found_by, quiet.found_by);
}

TEST(Best, TellsOfItsProgressWithinOneRunAndWhileItChoosesPools) {
  Problem problem = random_problem(1, {.buffers = 10'000, .steps = 10'000, .max_size = 5000});
  for (Buffer& buffer : problem.buffers)
    buffer.live[0].end = buffer.live[0].begin + 1 + static_cast<Step>(buffer.size % 60);
  Options options;
  options.improve = false;
  std::vector<uint64_t> told;
  options.progress = [&](const Progress& progress) { told.push_back(progress.nodes); };
  make_plan(problem, Planner::kBest, options).take();
  ASSERT_GT(told.size(), 7u);
  for (size_t k = 1; k < told.size(); ++k) EXPECT_LT(told[k] - told[k - 1], 5000u);

  problem = random_problem(1, {.buffers = 100, .steps = 100, .max_size = 500});
  problem.pools = {{"fast", lower_bound(problem)[0].bytes / 3, 1}, {"slow", {}, 4}};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  options = {};
  options.use_spread = false;
  const uint64_t before = make_plan(problem, Planner::kBest, options).take().nodes;
  told.clear();
  options.use_spread = true;
  options.progress = [&](const Progress& progress) { told.push_back(progress.nodes); };
  const Plan plan = make_plan(problem, Planner::kBest, options).take();
  ASSERT_GT(plan.nodes, before);
  EXPECT_GT(told.back(), before);
  EXPECT_LE(told.back(), plan.nodes);
}

TEST(Best, StopsWhenTheBoundIsMet) {
  const Plan plan = make_plan(problem_of("a [0,2) 10\nb [1,3) 10\n")).take();
  EXPECT_TRUE(plan.proven_optimal);
  EXPECT_LE(plan.nodes, 4u);
}

TEST(Best, EndsWhenEverythingIsFixedAndWhenNothingHasBytes) {
  EXPECT_EQ(bytes_with(problem_of("a [0,2) 10 fixed 0:0\nb [2,3) 10 fixed 0:32\n"), {}), 42u);
  EXPECT_EQ(bytes_with(problem_of("a [0,2) 0\nb [1,3) 0\n"), {}), 0u);
}

TEST(Best, SaysWhatIsMissingInNumbers) {
  Problem problem = problem_of("a [0,3) 60\nb [1,4) 50\nc [2,5) 10 align 16\nd [7,8) 115\n");
  problem.pools[0].capacity = 100;
  std::optional<Shortage> shortage;
  const auto plan = make_plan(problem, Planner::kBest, {}, &shortage);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().place, "pool main");
  ASSERT_TRUE(shortage.has_value());
  EXPECT_EQ(shortage->pool, 0);
  EXPECT_EQ(shortage->need, 126u);
  EXPECT_EQ(shortage->have, 100u);
  EXPECT_EQ(shortage->step, 2);
  EXPECT_EQ(shortage->live, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(shortage->conflict, (std::vector<int32_t>{3}));  // at another moment, and fewer
  EXPECT_TRUE(shortage->proven);
}

std::vector<int32_t> conflict_of(const std::string& text, uint64_t capacity) {
  Problem problem = problem_of(text);
  problem.pools[0].capacity = capacity;
  std::optional<Shortage> shortage;
  EXPECT_FALSE(make_plan(problem, Planner::kBest, {}, &shortage).ok());
  EXPECT_TRUE(shortage && shortage->proven);
  return shortage ? shortage->conflict : std::vector<int32_t>{};
}

TEST(Best, NamesTheFewestThatDoNotFitTogether) {
  using Set = std::vector<int32_t>;
  EXPECT_EQ(conflict_of("a [0,3) 60\nb [1,4) 50\nc [2,5) 10\n", 115), (Set{0, 1, 2}));
  EXPECT_EQ(conflict_of("a [0,3) 60\nb [1,4) 50\nc [2,5) 10\n", 109), (Set{0, 1}));
  // Fixed beyond the end.
  EXPECT_EQ(conflict_of("a [0,3) 10\nb [1,4) 10 fixed 0:40\n", 49), (Set{1}));
  // In place, a and b need 60 together; c and d, of which nothing can be taken, need more.
  EXPECT_EQ(conflict_of("a [0,3) 60\nb [2,4) 50 share a\nc [2,5) 10\nd [2,5) 30\n", 99),
            (Set{0, 3, 2}));
  // Of two takers one alone can lie in the giver.
  EXPECT_EQ(conflict_of("a [0,3) 60\nb [2,4) 50 share a\nc [2,4) 40 share a\ne [2,3) 1\n", 99),
            (Set{0, 1, 2}));
  // Every moment has room; but each two of the three meet.
  EXPECT_EQ(conflict_of("a [4,7) 5\nb [2,5) 9\nc [0,3) 6\nd [0,1) 9\ne [3,4)[6,7) 7\n", 20),
            (Set{1, 4, 0}));
}

TEST(Best, NamesNoneThatIsNotNeededBesideFixedPlacesAndInPlaceOptions) {
  using Set = std::vector<int32_t>;
  EXPECT_EQ(conflict_of("f [0,2) 1 fixed 0:4\nx [5,6) 3\ny [0,2) 8\n", 12), (Set{2, 0}));
  const Set two = conflict_of("f [0,1) 8 fixed 0:4\nx [0,1) 6\ny [0,1) 5\nz [0,1) 1\n", 16);
  EXPECT_EQ(two.size(), 2u);
}

TEST(Best, NamesAConflictOfThePoolThatItNames) {
  // The second pool is short of fewer buffers.
  const Problem problem = problem_of(
      "# pool: x 20\n# pool: y 20\na [0,1) 8\nb [0,1) 8\nc [0,1) 8\n"
      "d [0,1) 15 pools 1\ne [0,1) 15 pools 1\n");
  std::optional<Shortage> shortage;
  EXPECT_FALSE(make_plan(problem, Planner::kBest, {}, &shortage).ok());
  ASSERT_TRUE(shortage.has_value());
  EXPECT_EQ(shortage->pool, 0);
  EXPECT_EQ(shortage->conflict, (std::vector<int32_t>{0, 1, 2}));
}

TEST(Best, DoesNotSearchOnWhereNoPlanFits) {
  Problem problem;
  problem.pools = {{"main", 1'000'000}};
  for (uint64_t i = 0; i < 3000; ++i) problem.buffers.push_back({"", {{0, 1}}, 500 + i % 500, 1});
  Options options;
  std::vector<Progress> told;
  options.progress = [&](const Progress& progress) { told.push_back(progress); };
  std::optional<Shortage> shortage;
  EXPECT_FALSE(make_plan(problem, Planner::kBest, options, &shortage).ok());
  ASSERT_TRUE(shortage.has_value());
  EXPECT_TRUE(shortage->proven);
  EXPECT_LT(told.size(), 5u);
}

TEST(Best, ThinsOutAConflictOfManyToOneThatNeedsAllThatIsLeft) {
  Problem problem = random_problem(1, {.buffers = 60, .steps = 200, .max_size = 100});
  // The three above, later and bigger than everything else.
  const uint64_t unit = lower_bound(problem)[0].bytes / 16 + 1;
  problem.buffers.push_back({"", {{404, 407}}, 5 * unit, 1});
  problem.buffers.push_back({"", {{402, 405}}, 9 * unit, 1});
  problem.buffers.push_back({"", {{403, 404}, {406, 407}}, 7 * unit, 1});
  problem.pools[0].capacity = 20 * unit;
  std::optional<Shortage> shortage;
  ASSERT_FALSE(make_plan(problem, Planner::kBest, {}, &shortage).ok());
  ASSERT_TRUE(shortage->proven);
  EXPECT_EQ(shortage->conflict, (std::vector<int32_t>{61, 62, 60}));
}

TEST(Best, GreedyAndNaiveMissCapacitiesTooAndSayItIsNoProof) {
  Problem problem = problem_of("a [0,2)[4,5) 64\nb [2,3) 64\n");
  problem.pools[0].capacity = 100;
  for (Planner planner : {Planner::kGreedy, Planner::kNaive}) {
    std::optional<Shortage> shortage;
    EXPECT_FALSE(make_plan(problem, planner, {}, &shortage).ok());
    ASSERT_TRUE(shortage.has_value());
    EXPECT_EQ(shortage->need, 128u);
    EXPECT_FALSE(shortage->proven);
  }
  EXPECT_TRUE(make_plan(problem).ok());
}

TEST(Best, APlanThatFitsWritesNoShortage) {
  std::optional<Shortage> shortage;
  EXPECT_TRUE(make_plan(problem_of("a [0,1) 4\n"), Planner::kBest, {}, &shortage).ok());
  EXPECT_FALSE(shortage.has_value());
}

TEST(Best, ManyBuffersThatAllMeetAreNoProblem) {
  Problem problem;
  problem.pools = {{"main"}};
  for (int i = 0; i < 3000; ++i) problem.buffers.push_back({"", {{0, 10}}, uint64_t(i % 7), 1});
  const Plan plan = make_plan(problem).take();
  EXPECT_TRUE(plan.proven_optimal);
  EXPECT_FALSE(check(problem, plan).has_value());
}

}  // namespace
}  // namespace berth::plan
