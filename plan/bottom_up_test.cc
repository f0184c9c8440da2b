// Layouts from the bottom up: the tree answers what a look at every root does.
#include "plan/bottom_up.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "contract/checked.h"
#include "plan/check.h"
#include "plan/orders.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

bool meet(const Root& a, const Root& b) {
  for (const Interval& x : a.live) {
    for (const Interval& y : b.live) {
      if (x.begin < y.end && y.begin < x.end) return true;
    }
  }
  return false;
}

// The rule in words: of those not placed the one with the least low, ties by the order.
std::vector<uint64_t> expected(const Model& model, const std::vector<int32_t>& order) {
  const auto& roots = model.roots();
  std::vector<uint64_t> lows(roots.size(), 0);
  std::vector<int32_t> left = order;
  while (!left.empty()) {
    const auto next = std::min_element(left.begin(), left.end(),
                                       [&](int32_t a, int32_t b) { return lows[a] < lows[b]; });
    const int32_t i = *next;
    left.erase(next);
    if (roots[i].bytes == 0) continue;
    for (int32_t j : left) {
      if (roots[j].bytes == 0 || !meet(roots[i], roots[j])) continue;
      lows[j] = std::max(lows[j], align_up(lows[i] + roots[i].bytes, roots[j].alignment));
    }
  }
  return lows;
}

TEST(BottomUp, PlacesAsTheRuleSays) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Kinds kinds = {.buffers = 30,
                         .steps = 20,
                         .max_size = 50,
                         .holes = seed % 2 == 0,
                         .alignments = seed % 3 == 0};
    const Problem problem = random_problem(seed, kinds);
    const Model model(problem, true, true);
    ASSERT_TRUE(is_plain(model));
    BottomUp bottom_up(model);
    for (Key key : kAllKeys) {
      const auto order = order_by(model, key);
      ASSERT_TRUE(bottom_up.run(order, UINT64_MAX));
      const auto lows = expected(model, order);
      for (size_t i = 0; i < lows.size(); ++i) {
        ASSERT_EQ(bottom_up.places()[i].offset, lows[i]) << "seed " << seed << " root " << i;
      }
      const Plan plan = model.expand(bottom_up.places());
      EXPECT_FALSE(check(problem, plan).has_value()) << seed;
      EXPECT_EQ(plan.pool_bytes[0], bottom_up.height()) << seed;
      // It ends as soon as it cannot be lower, and keeps what it had.
      EXPECT_FALSE(bottom_up.run(order, bottom_up.height()));
      EXPECT_EQ(model.expand(bottom_up.places()).pool_bytes, plan.pool_bytes);
      EXPECT_TRUE(bottom_up.run(order, bottom_up.height() + 1));
    }
  }
}

TEST(BottomUp, NothingTakesNothing) {
  Problem problem;
  problem.pools = {{"main"}};
  for (const bool has_buffer : {false, true}) {
    if (has_buffer) problem.buffers.push_back({"", {{3, 4}}, 0, 1});
    const Model model(problem, true, true);
    BottomUp bottom_up(model);
    ASSERT_TRUE(bottom_up.run(order_by(model, Key::kSize), 1)) << has_buffer;
    EXPECT_EQ(bottom_up.height(), 0u);
  }
}

TEST(BottomUp, StepsMayLieAsFarApartAsTheirTypeHolds) {
  Problem problem;
  problem.pools = {{"main"}};
  const Step far = INT64_MAX;
  // One is alive always; the others' 17 bytes no order finds, so that every search has its turn.
  for (const auto& [begin, end, bytes] :
       std::vector<std::tuple<Step, Step, uint64_t>>{{-far, far, 1},
                                                     {2, 5, 3},
                                                     {4, 6, 8},
                                                     {3, 5, 4},
                                                     {6, 7, 8},
                                                     {1, 3, 7},
                                                     {5, 6, 8},
                                                     {1, 2, 7},
                                                     {2, 4, 4}}) {
    problem.buffers.push_back({"", {{begin, end}}, bytes, 1});
  }
  const auto plan = make_plan(problem);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_FALSE(check(problem, plan.value()).has_value());
  EXPECT_EQ(plan.value().pool_bytes[0], 18u);
}

}  // namespace
}  // namespace berth::plan
