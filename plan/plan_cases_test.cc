// Runs every text case of plan/testdata. All three planners run on each and must pass the checker;
// the one the case names must also answer what the case says.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "plan/case_text.h"
#include "plan/check.h"

namespace berth::plan {
namespace {

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(BERTH_SOURCE_DIR "/plan/testdata")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_answer(const Case& given, const Plan& plan) {
  for (size_t i = 0; i < given.expected.size(); ++i) {
    if (!given.expected[i]) continue;
    EXPECT_EQ(plan.placements[i].pool, given.expected[i]->pool) << given.problem.buffers[i].id;
    EXPECT_EQ(plan.placements[i].offset, given.expected[i]->offset) << given.problem.buffers[i].id;
  }
  if (!given.peak.empty()) {
    EXPECT_EQ(plan.pool_bytes, given.peak);
  }
  if (!given.bound.empty()) {
    EXPECT_EQ(plan.lower_bound, given.bound);
  }
  if (given.optimal) {
    EXPECT_EQ(plan.proven_optimal, *given.optimal);
  }
}

TEST(PlanCases, EveryCaseGetsItsAnswerAndEveryPlanPassesTheChecker) {
  const auto files = case_files();
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    for (const Case& given : read_cases(file)) {
      SCOPED_TRACE(file + ": " + given.name);
      for (Planner planner : {Planner::kNaive, Planner::kGreedy, Planner::kBest}) {
        SCOPED_TRACE(planner_name(planner));
        const Result<Plan> plan = make_plan(given.problem, planner);
        if (plan.ok()) {
          const auto violation = check(given.problem, plan.value());
          EXPECT_FALSE(violation.has_value()) << violation->place << " " << violation->message;
        }
        if (planner != given.planner) continue;
        if (!given.error.empty()) {
          ASSERT_FALSE(plan.ok());
          const std::string words = plan.error().place + ": " + plan.error().message;
          EXPECT_NE(words.find(given.error), std::string::npos) << words;
        } else {
          ASSERT_TRUE(plan.ok()) << plan.error().place << ": " << plan.error().message;
          expect_answer(given, plan.value());
        }
      }
    }
  }
}

}  // namespace
}  // namespace berth::plan
