// The complete search: what it takes, finds, proves and gives up. (Its answers on the hard
// published problems: tools/plan_io_test.cc.)
#include "plan/exact.h"

#include <gtest/gtest.h>

#include "plan/brute_force.h"
#include "plan/case_text.h"
#include "plan/check.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

using Answer = ExactSearch::Answer;

Problem problem_of(const std::string& text) {
  return parse_cases("# case x\n" + text).front().problem;
}

TEST(Exact, TakesPlainModelsOnly) {
  auto plain = [](const std::string& text) {
    const Problem problem = problem_of(text);
    return is_plain(Model(problem, true, true));
  };
  EXPECT_TRUE(plain("a [0,2)[3,4) 10 align 8\nb [1,3) 10\n"));
  EXPECT_FALSE(plain("a [0,2) 10\nb [1,3) 10 share a\n"));
  EXPECT_FALSE(plain("a [0,2) 10 fixed 0:0\nb [1,3) 10\n"));
  EXPECT_FALSE(plain("# pool: x\n# pool: y\na [0,2) 10 pools 0,1\nb [1,3) 10\n"));
  EXPECT_FALSE(plain("# pool: x\n# pool: y\na [0,2) 10 pools 1\nb [1,3) 10\n"));
}

TEST(Exact, FindsTheLeastHeightAndProvesThatNoneIsLower) {
  uint64_t above_live = 0;
  for (uint64_t seed = 100; seed < 160; ++seed) {
    const Kinds kinds = {.buffers = 7, .steps = 6, .max_size = 12, .alignments = seed % 2 == 1};
    const Problem problem = random_problem(seed, kinds);
    const Model model(problem, true, true);
    if (!is_plain(model)) continue;
    const uint64_t least = BruteForce(problem).find_optimum()->bytes;
    ExactSearch search(model);
    ASSERT_EQ(search.find(least, 1'000'000), Answer::kFound) << seed;
    Plan plan = model.expand(search.places());
    EXPECT_EQ(plan.pool_bytes[0], least) << seed;
    EXPECT_FALSE(check(problem, plan).has_value()) << seed;
    EXPECT_EQ(least % search.grain(), 0u) << seed;
    if (least == 0) continue;
    ASSERT_EQ(search.find(least - 1, 1'000'000), Answer::kImpossible) << seed;
    above_live += lower_bound(problem)[0].bytes < least ? 1 : 0;
  }
  EXPECT_GT(above_live, 0u);  // else the proofs were those of the bound
}

TEST(Exact, TellsTheGrainOfHeights) {
  const auto grain = [](const std::string& text) {
    const Problem problem = problem_of(text);
    return ExactSearch(Model(problem, true, true)).grain();
  };
  EXPECT_EQ(grain("a [0,2) 12\nb [1,3) 18\n"), 6u);
  EXPECT_EQ(grain("a [0,2) 32 align 16\nb [1,3) 64 align 16\n"), 32u);
  EXPECT_EQ(grain("a [0,2) 32 align 32\nb [1,3) 64 align 16\n"), 16u);
  EXPECT_EQ(grain("a [0,2) 0\n"), 1u);
}

TEST(Exact, GivesTheSameAnswerAfterTheSameNodes) {
  const Problem problem = random_problem(3, {.buffers = 20, .steps = 10, .max_size = 1000});
  const Model model(problem, true, true);
  const uint64_t live = lower_bound(problem)[0].bytes;
  ExactSearch first(model), second(model);
  EXPECT_EQ(first.find(live, 3000), second.find(live, 3000));
  EXPECT_EQ(first.nodes(), second.nodes());
}

// Problems one after the other in time; with `middle`, each two of them are joined by a root of so
// many bytes.
Problem row_of(const std::vector<Problem>& of_each, uint64_t middle) {
  Problem row;
  row.pools = {{"main"}};
  Step begin = 0;
  for (const Problem& problem : of_each) {
    Step end = begin;
    for (Buffer buffer : problem.buffers) {
      for (Interval& life : buffer.live) {
        life = {life.begin + begin, life.end + begin};
        end = std::max(end, life.end);
      }
      row.buffers.push_back(std::move(buffer));
    }
    if (middle > 0) row.buffers.push_back({"", {{end - 1, end + 1}}, middle, 1});
    begin = end;
  }
  return row;
}

TEST(Exact, SearchesApartWhatIsApart) {
  // Else each layout of those that fit would be tried with all of the one that does not: a hundred
  // thousand nodes were not enough.
  const Kinds kinds = {.buffers = 16, .steps = 12, .max_size = 12, .holes = true};
  const Problem fits = random_problem(180, kinds);
  const Problem does_not = random_problem(105, kinds);
  for (uint64_t middle : {0, 1}) {
    const Problem problem = row_of({fits, does_not, fits, fits}, middle);
    const Model model(problem, true, true);
    EXPECT_LE(lower_bound(problem)[0].bytes, 37u);
    EXPECT_EQ(ExactSearch(model).find(37, 1000), Answer::kImpossible) << middle;
    const Problem others = row_of({fits, fits, fits}, middle);
    const Model other_model(others, true, true);
    EXPECT_EQ(ExactSearch(other_model).find(37, 1000), Answer::kFound) << middle;
  }
}

TEST(Exact, GivesUpAfterItsNodes) {
  const Problem problem = random_problem(3, {.buffers = 60, .steps = 10, .max_size = 1000});
  const Model model(problem, true, true);
  ExactSearch search(model);
  EXPECT_EQ(search.find(lower_bound(problem)[0].bytes, 50), Answer::kSpent);
  EXPECT_GE(search.nodes(), 50u);
  EXPECT_LE(search.nodes(), 60u);
}

}  // namespace
}  // namespace berth::plan
