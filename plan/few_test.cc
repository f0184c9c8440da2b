// The complete search of few buffers: what it finds and when it gives up. (Its answers on ten
// thousand problems of each kind: plan_random_test.cc.)
#include "plan/few.h"

#include <gtest/gtest.h>

#include "plan/case_text.h"
#include "plan/check.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

constexpr Score kWorst = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

Problem problem_of(const std::string& text) {
  return parse_cases("# case x\n" + text).front().problem;
}

// Cost and bytes of the best plan; the checker has seen it.
std::string best_of(const Problem& problem) {
  const Model model(problem, true, true);
  FewSearch search(model, 100'000);
  EXPECT_TRUE(search.run(kWorst));
  if (search.places().empty()) return "none";
  const Plan plan = model.expand(search.places());
  const MaybeError wrong = check(problem, plan);
  EXPECT_FALSE(wrong.has_value()) << wrong->place << " " << wrong->message;
  const Score score = judge(model, search.places());
  return std::to_string(score.cost) + "," + std::to_string(score.bytes);
}

TEST(Few, FindsTheLeastOverPools) {
  const std::string pools = "# pool: x 10 cost 1\n# pool: y 40 cost 3\n";
  EXPECT_EQ(best_of(problem_of(pools + "a [0,2) 10 pools 0,1\nb [1,3) 20 pools 0,1\n")), "70,30");
  EXPECT_EQ(best_of(problem_of(pools + "a [0,2) 11 pools 0\n")), "none");
  // Of pools that cost the same the one that need not grow, not the one that is liked best.
  EXPECT_EQ(best_of(problem_of("# pool: x\n# pool: y\na [0,2) 10 pools 0\nb [1,3) 30 pools 1\n"
                               "c [0,2) 5 pools 0,1\nd [0,1) 25 pools 0,1\n")),
            "0,45");
}

TEST(Few, FindsInPlaceChainsThatAFixedBufferAndAnAlignmentHold) {
  EXPECT_EQ(best_of(problem_of("a [0,2) 50 fixed 0:4\nb [1,3) 50 share a\nc [2,4) 40 share b\n")),
            "0,54");
  EXPECT_EQ(best_of(problem_of("f [0,2) 4 fixed 0:0\na [0,2) 50\nb [1,3) 32 align 16 share a\n")),
            "0,66");
}

TEST(Few, KeepsToItselfWhatIsNoBetter) {
  const Problem problem = problem_of("a [0,2) 10\nb [1,3) 20\n");
  const Model model(problem, true, true);
  FewSearch search(model, 1000);
  EXPECT_TRUE(search.run({0, 0, 30}));
  EXPECT_TRUE(search.places().empty());
  EXPECT_TRUE(FewSearch(model, 1000).run({0, 0, 31}));
}

TEST(Few, GivesUpAfterItsNodesAndTheSameWayEachTime) {
  const Problem problem = random_problem(
      5, {.buffers = 20, .steps = 12, .max_size = 60, .alignments = true, .in_place = true});
  const Model model(problem, true, true);
  FewSearch first(model, 2000), second(model, 2000);
  EXPECT_FALSE(first.run(kWorst));
  EXPECT_FALSE(second.run(kWorst));
  EXPECT_EQ(first.nodes(), second.nodes());
  EXPECT_EQ(first.nodes(), 2000u);
  ASSERT_FALSE(first.places().empty());
  EXPECT_FALSE(check(problem, model.expand(first.places())).has_value());
  for (size_t i = 0; i < first.places().size(); ++i) {
    EXPECT_EQ(first.places()[i].offset, second.places()[i].offset);
  }
}

TEST(Few, TakesTwentyRootsAndAnyNumberOfParts) {
  Problem problem;
  problem.pools = {{"main"}};
  for (int i = 0; i < 20; ++i) problem.buffers.push_back({"", {{0, 1}}, 4});
  problem.buffers.push_back({"", {{0, 1}}, 2});
  problem.buffers.back().inside = Inside{0, 1};
  EXPECT_TRUE(FewSearch::takes(Model(problem, true, true)));
  problem.buffers.back().inside.reset();
  EXPECT_FALSE(FewSearch::takes(Model(problem, true, true)));
}

}  // namespace
}  // namespace berth::plan
