// First fit by blocks of steps lays out as the fitter does, which looks at every neighbour.
#include "plan/first_fit.h"

#include <gtest/gtest.h>

#include "plan/fit.h"
#include "plan/orders.h"
#include "plan/random_problem.h"

namespace berth::plan {
namespace {

TEST(FirstFit, PlacesAsTheFitterDoes) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    // Enough steps for many blocks, and lives that fill several of them.
    const Kinds kinds = {.buffers = seed % 3 == 0 ? 300u : 30u,
                         .steps = seed % 3 == 0 ? 900u : 40u,
                         .max_size = 50,
                         .holes = seed % 2 == 0,
                         .alignments = seed % 5 == 0};
    const Problem problem = random_problem(seed, kinds);
    const Model model(problem, true, true);
    ASSERT_TRUE(is_plain(model));
    FirstFit first_fit(model);
    Fitter fitter(model);
    for (Key key : kAllKeys) {
      const auto order = order_by(model, key);
      fitter.reset();
      for (int32_t i : order) fitter.place(i, Fit::kFirst);
      ASSERT_TRUE(first_fit.run(order, UINT64_MAX));
      for (size_t i = 0; i < order.size(); ++i) {
        ASSERT_EQ(first_fit.places()[i].offset, fitter.places()[i].offset)
            << "seed " << seed << " root " << i;
      }
      EXPECT_FALSE(first_fit.run(order, fitter.pool_bytes(0)));
      EXPECT_TRUE(first_fit.run(order, fitter.pool_bytes(0) + 1));
    }
  }
}

}  // namespace
}  // namespace berth::plan
