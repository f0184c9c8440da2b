// The live-bytes bound and the moment that causes it.
#include <gtest/gtest.h>

#include "plan/case_text.h"
#include "plan/plan.h"

namespace berth::plan {
namespace {

std::vector<Moment> bound_of(const std::string& text) {
  return lower_bound(parse_cases("# case x\n" + text).front().problem);
}

TEST(Bound, IsTheMostAliveAtOneStepAndNamesItBiggestFirst) {
  const auto bound = bound_of("a [0,3) 10\nb [1,4) 30\nc [2,5) 20\nd [4,9) 40\n");
  ASSERT_EQ(bound.size(), 1u);
  EXPECT_EQ(bound[0].bytes, 60u);
  EXPECT_EQ(bound[0].step, 2);
  EXPECT_EQ(bound[0].live, (std::vector<int32_t>{1, 2, 0}));
}

TEST(Bound, CountsRoundedSizesAndHostsForTheirParts) {
  EXPECT_EQ(bound_of("a [0,3) 10 align 16\nb [2,4) 1 align 4\n")[0].bytes, 20u);
  EXPECT_EQ(bound_of("h [5,6) 100\np [0,1) 10 inside h+0\nx [0,1) 7\n")[0].bytes, 107u);
}

TEST(Bound, SeesHoles) {
  EXPECT_EQ(bound_of("a [0,2)[4,6) 10\nb [2,4) 10\n")[0].bytes, 10u);
  EXPECT_EQ(bound_of("a [0,2)[2,4) 10\nb [2,4) 10\n")[0].bytes, 20u);
}

TEST(Bound, IsLoweredByWhatInPlaceOptionsCouldSave) {
  EXPECT_EQ(bound_of("a [0,3) 10\nb [2,4) 8 share a\n")[0].bytes, 10u);
  EXPECT_EQ(bound_of("a [0,3) 10\nb [2,4) 8 share a\nc [2,4) 6 share a\n")[0].bytes, 16u);
  EXPECT_EQ(bound_of("a [0,3) 10\nd [0,3) 10\nb [2,4) 8 share a,d\n")[0].bytes, 20u);
  // Unusable: the taker is larger, the giver lives on, they meet for two steps.
  EXPECT_EQ(bound_of("a [0,3) 10\nb [2,4) 11 share a\n")[0].bytes, 21u);
  EXPECT_EQ(bound_of("a [0,9) 10\nb [2,4) 8 share a\n")[0].bytes, 18u);
  EXPECT_EQ(bound_of("a [0,4) 10\nb [2,5) 8 share a\n")[0].bytes, 18u);
}

TEST(Bound, ReachesToTheEndOfFixedBuffers) {
  const auto bound = bound_of("a [0,1) 10 fixed 0:100\nb [3,4) 50\n");
  EXPECT_EQ(bound[0].bytes, 110u);
  EXPECT_EQ(bound[0].step, 0);
}

TEST(Bound, OfAPoolCountsWhatCanBeNowhereElse) {
  const auto bound = bound_of(
      "# pool: x\n# pool: y\n# pool: z\na [0,1) 10 pools 0\nb [0,1) 20 pools 0,1\nc [0,1) 40 fixed "
      "1:0\n");
  EXPECT_EQ(bound[0].bytes, 10u);
  EXPECT_EQ(bound[1].bytes, 40u);
  EXPECT_EQ(bound[2].bytes, 0u);
  EXPECT_TRUE(bound[2].live.empty());
}

TEST(Bound, OfAPlanCountsWhatThePlanPutThere) {
  const auto problem =
      parse_cases("# case x\n# pool: x\n# pool: y\na [0,2) 10\nb [1,3) 20 pools 1,0\n")
          .front()
          .problem;
  const Plan plan = make_plan(problem).take();
  const auto moments = fullest_moments(problem, plan);
  EXPECT_EQ(moments[0].bytes, 10u);
  EXPECT_EQ(moments[1].bytes, 20u);
  EXPECT_EQ(moments[1].step, 1);
  EXPECT_EQ(plan.lower_bound, (std::vector<uint64_t>{10, 20}));
}

}  // namespace
}  // namespace berth::plan
