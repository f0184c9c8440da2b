// The page of a plan of buffers alone.
#include <gtest/gtest.h>

#include "compiler/report/html_test_util.h"
#include "compiler/report/plan_page.h"
#include "plan/check.h"

namespace berth::report {
namespace {

using plan::Buffer;

plan::Problem every_kind() {
  plan::Problem problem;
  problem.pools = {{"sram", 1600}, {"dram"}};
  problem.buffers.push_back({"usual", {{0, 2}}, 1000, 16});
  problem.buffers.push_back({"holes", {{0, 2}, {5, 7}}, 500, 16});
  Buffer fixed = {"fixed", {{1, 3}}, 64, 16};
  fixed.fixed = plan::Fixed{1, 128};
  problem.buffers.push_back(fixed);
  Buffer taker = {"taker", {{1, 4}}, 900, 16};
  taker.may_share = {0};
  problem.buffers.push_back(taker);
  Buffer part = {"part", {{3, 4}}, 100, 4};
  part.inside = plan::Inside{1, 200};
  problem.buffers.push_back(part);
  return problem;
}

std::string page_of(const plan::Problem& problem) {
  const auto plan = plan::make_plan(problem);
  if (!plan.ok()) return "no plan: " + plan.error().place + " " + plan.error().message;
  EXPECT_FALSE(plan::check(problem, plan.value()).has_value());
  return html_plan(problem, plan.value(), "p.json");
}

TEST(HtmlPlan, ShowsEachBufferOnceWithWhatItIs) {
  const std::string page = page_of(every_kind());
  EXPECT_EQ(find_mistake(page), "");
  for (int b = 0; b < 5; ++b) {
    EXPECT_EQ(count_of(page, "data-b=\"" + std::to_string(b) + "\""), 1u) << b;
    EXPECT_EQ(count_of(page, "data-r=\"" + std::to_string(b) + "\""), 1u) << b;
  }
  for (const char* part :
       {"p.json", "usual: 1,008 bytes at 0, live [0,2)<", "live [0,2) [5,7)",
        "taker: 912 bytes at 0, live [1,4), in place of usual<",
        "fixed: 64 bytes at 128, live [1,3), fixed<",
        "100 bytes at 1,208, live [3,4), inside holes<", "capacity 1,600", "Pool dram",
        "proven optimal",
        // 1008 and 512 at steps 0 and 1; the taker lies on what is there.
        "<td>step 1</td><td>(4 buffers)</td><td class=\"n\">1,520</td><td class=\"n\">64</td>",
        // The part keeps its host.
        "<td>step 3</td><td>(2 buffers)</td><td class=\"n\">1,424</td><td class=\"n\">0</td>",
        "<td>step 4</td><td>(0 buffers)</td><td class=\"n\">0</td>",
        "fullest moment: 1,520 bytes at step 0", "prefers-color-scheme:dark"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page_of(every_kind()), page);
}

TEST(HtmlPlan, TheBoundIsMarkedWhereThePlanIsAboveIt) {
  plan::Problem problem;
  problem.pools = {{"main"}};
  problem.buffers = {{"a", {{4, 7}}, 5},
                     {"b", {{2, 5}}, 9},
                     {"c", {{0, 3}}, 6},
                     {"d", {{0, 1}}, 3},
                     {"e", {{3, 4}, {6, 7}}, 7}};
  const std::string page = page_of(problem);
  EXPECT_NE(page.find(">planned 21<"), std::string::npos);
  EXPECT_NE(page.find(">lower bound 16<"), std::string::npos);
  EXPECT_NE(
      page.find("main: fullest at step 3, where rounding takes 0 of the bound; 5 bytes are lost"),
      std::string::npos);
  EXPECT_NE(page.find("fullest moment: 16 bytes at step 3"), std::string::npos);
}

TEST(HtmlPlan, LevelsThatMeetAreOneLine) {
  plan::Problem problem;
  problem.pools = {{"main", 100}};
  problem.buffers = {{"a", {{0, 1}}, 100}};
  const std::string page = page_of(problem);
  EXPECT_NE(page.find(">planned 100 = lower bound = capacity<"), std::string::npos);
  EXPECT_EQ(count_of(page, "class=\"level"), 2u);  // and the fullest moment
}

TEST(HtmlPlan, NamesOfAStrangerStayText) {
  plan::Problem problem = every_kind();
  const std::string evil = "\"><script>alert('x')</script>&\x01\xff";
  for (plan::Pool& pool : problem.pools) pool.name = evil;
  for (Buffer& buffer : problem.buffers) buffer.id = evil;
  plan::Plan plan = plan::make_plan(problem).take();
  const std::string page = html_plan(problem, plan, evil);
  EXPECT_EQ(find_mistake(page), "");
  EXPECT_EQ(count_of(page, "<script"), 1u);
  EXPECT_EQ(count_of(page, "alert('"), 0u);
}

plan::Problem row_of(size_t count, plan::Step apart) {
  plan::Problem problem;
  problem.pools = {{"main"}};
  for (size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<plan::Step>(i) * apart;
    problem.buffers.push_back(
        {"b" + std::to_string(i), {{begin, begin + 3 * apart}}, 100 + i % 7, 16});
  }
  return problem;
}

TEST(HtmlPlan, AThousandBuffersAreAPageOfReasonableSizeAndAHundredThousandOneThatOpens) {
  const std::string page = page_of(row_of(1000, 1));
  EXPECT_EQ(count_of(page, "\" data-b=\""), 1000u);
  EXPECT_LT(page.size(), 500'000u);
  const std::string large = page_of(row_of(100'000, 1));
  EXPECT_EQ(find_mistake(large), "");
  EXPECT_EQ(count_of(large, "\" data-b=\""), 5000u);
  EXPECT_NE(large.find("95,000 smaller buffers are not drawn"), std::string::npos);
  EXPECT_NE(large.find("and 95,002 more"), std::string::npos);
  EXPECT_LT(large.size(), 3'000'000u);
}

TEST(HtmlPlan, StepsFarApartAreMoments) {
  const std::string page = page_of(row_of(20, plan::Step{1} << 56));
  EXPECT_EQ(find_mistake(page), "");
  EXPECT_NE(page.find("address over moments"), std::string::npos);
  EXPECT_NE(page.find("<summary>22 moments</summary>"), std::string::npos);
  EXPECT_NE(page.find("<td>step 72057594037927936</td>"), std::string::npos);
}

TEST(HtmlPlan, SizesNearTheEndOfNumbersAndNoBuffersAtAllAreDrawn) {
  plan::Problem problem;
  problem.pools = {{"main", INT64_MAX}};
  EXPECT_EQ(find_mistake(page_of(problem)), "");
  problem.buffers.push_back({"", {{INT64_MIN, INT64_MAX}}, INT64_MAX - 8, 1});
  problem.buffers.push_back({"", {{-1, 1}}, 0, 1});
  const std::string page = page_of(problem);
  EXPECT_EQ(find_mistake(page), "");
  EXPECT_EQ(count_of(page, "nan"), 0u);
  EXPECT_NE(page.find("#1: 0 bytes"), std::string::npos);
}

}  // namespace
}  // namespace berth::report
