// The complete search with in-place options, against the best plan there is.
#include "plan/in_place_search.h"

#include <gtest/gtest.h>

#include "plan/brute_force.h"
#include "plan/case_text.h"
#include "plan/check.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

using Answer = InPlaceSearch::Answer;

Problem problem_of(const std::string& text) {
  return parse_cases("# case x\n" + text).front().problem;
}

TEST(InPlaceSearch, TakesOnePoolWithNothingFixed) {
  const auto takes = [](const std::string& text) {
    const Problem problem = problem_of(text);
    return is_one_open_pool(Model(problem, true, true));
  };
  EXPECT_TRUE(takes("a [0,2) 10\nb [1,3) 10 share a\n"));
  EXPECT_TRUE(takes("# pool: x\n# pool: y\na [0,2) 10 pools 1\nb [1,3) 10 pools 1\n"));
  EXPECT_FALSE(takes("a [0,2) 10 fixed 0:0\nb [1,3) 10\n"));
  EXPECT_FALSE(takes("# pool: x\n# pool: y\na [0,2) 10 pools 0,1\n"));
  EXPECT_FALSE(takes("# pool: x\n# pool: y\na [0,2) 10 pools 1\nb [1,3) 10\n"));
}

Answer ask(const std::string& text, uint64_t height) {
  const Problem problem = problem_of(text);
  const Model model(problem, true, true);
  InPlaceSearch search(model);
  const Answer answer = search.find(height, 100'000);
  if (answer == Answer::kFound) {
    const Plan plan = model.expand(search.places());
    EXPECT_FALSE(check(problem, plan).has_value());
    EXPECT_LE(plan.pool_bytes[0], height);
  }
  return answer;
}

TEST(InPlaceSearch, TakesChainsOfOptions) {
  const std::string chain =
      "a [0,2) 50\nb [1,3) 50 share a\nc [2,4) 50 share b\nd [3,5) 50 share c\n";
  EXPECT_EQ(ask(chain, 50), Answer::kFound);
  EXPECT_EQ(ask(chain, 49), Answer::kImpossible);
}

TEST(InPlaceSearch, OneGiverHasOneTakerAtAStep) {
  const std::string two = "a [0,2) 50\nb [1,3) 50 share a\nc [1,3) 50 share a\n";
  EXPECT_EQ(ask(two, 100), Answer::kFound);
  EXPECT_EQ(ask(two, 99), Answer::kImpossible);
}

TEST(InPlaceSearch, ATakerOfOneStepTakesNoRoomOfItsOwn) {
  EXPECT_EQ(ask("a [0,2) 50\nb [1,2) 50 share a\n", 50), Answer::kFound);
  // c cannot be in b while b is in a.
  EXPECT_NE(ask("a [0,2) 50\nb [1,2) 50 share a\nc [1,2) 10 share b\n", 59), Answer::kFound);
  EXPECT_EQ(ask("a [0,2) 50\nb [1,2) 50 share a\nc [1,2) 10 share b\n", 60), Answer::kFound);
  EXPECT_EQ(ask("a [0,2) 50\nb [1,2) 50 share a\nc [1,2) 10 share a,b\n", 50), Answer::kFound);
  EXPECT_EQ(ask("a [0,2) 50\nb [1,2) 50 share a align 4\nc [0,2) 2\n", 54), Answer::kFound);
  EXPECT_EQ(ask("a [0,2) 50\nb [1,2) 50 share a\nc [1,2) 10\n", 59), Answer::kImpossible);
}

TEST(InPlaceSearch, LeavesAnOptionThatWouldCost) {
  // Taken, a and b would lie in the way of c and d from below and from above.
  const std::string text =
      "a [0,2) 10 share x\nx [0,1) 10\nb [1,3) 10 share a\nc [0,2) 20\nd [1,3) 20\n";
  uint64_t least = 0;
  const Problem problem = problem_of(text);
  least = BruteForce(problem).find_optimum()->bytes;
  EXPECT_EQ(ask(text, least), Answer::kFound);
  EXPECT_EQ(ask(text, least - 1), Answer::kImpossible);
}

// Buffers of one size, as compilers offer them, are always decided; others mostly.
void expect_decided(const Kinds& kinds, bool same_size, int most_open) {
  int undecided = 0;
  int with_options = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Problem problem = random_problem(seed, kinds);
    for (Buffer& buffer : problem.buffers) {
      if (same_size && !buffer.inside) buffer.size = buffer.size == 0 ? 0 : 10;
    }
    if (validate(problem)) continue;
    const Model model(problem, true, true);
    with_options += model.options().empty() ? 0 : 1;
    const uint64_t least = BruteForce(problem).find_optimum()->bytes;
    InPlaceSearch search(model);
    const Answer at = search.find(least, 1'000'000);
    ASSERT_NE(at, Answer::kImpossible) << "seed " << seed;
    if (at == Answer::kFound) {
      const Plan plan = model.expand(search.places());
      ASSERT_EQ(plan.pool_bytes[0], least) << "seed " << seed;
      ASSERT_FALSE(check(problem, plan).has_value()) << "seed " << seed;
    }
    Answer below = Answer::kImpossible;
    if (least > 0) below = search.find(least - 1, 1'000'000);
    ASSERT_NE(below, Answer::kFound) << "seed " << seed;
    undecided += at == Answer::kSpent || below == Answer::kSpent ? 1 : 0;
  }
  EXPECT_GT(with_options, 150);
  EXPECT_LE(undecided, most_open);
}

TEST(InPlaceSearch, FindsTheLeastHeightAndProvesThatNoneIsLower) {
  expect_decided({.buffers = 7, .steps = 6, .in_place = true}, true, 0);
  expect_decided({.buffers = 6, .steps = 6, .holes = true, .in_place = true}, true, 0);
  expect_decided({.buffers = 7, .steps = 6, .holes = true, .in_place = true, .parts = true}, false,
                 25);
  expect_decided({.buffers = 6, .steps = 6, .alignments = true, .in_place = true}, false, 30);
}

TEST(InPlaceSearch, GivesTheSameAnswerAfterTheSameNodesAndStopsThere) {
  const Problem problem =
      random_problem(3, {.buffers = 60, .steps = 10, .max_size = 1000, .in_place = true});
  const Model model(problem, true, true);
  InPlaceSearch first(model), second(model);
  const uint64_t live = lower_bound(problem)[0].bytes;
  EXPECT_EQ(first.find(live, 500), Answer::kSpent);
  EXPECT_EQ(second.find(live, 500), Answer::kSpent);
  EXPECT_EQ(first.nodes(), second.nodes());
  EXPECT_LE(first.nodes(), 600u);
}

}  // namespace
}  // namespace berth::plan
