#include "compiler/place/spread_pools.h"

#include <gtest/gtest.h>

#include "compiler/place/method_builder.h"

namespace berth::place {
namespace {

// x -> delegate A with `work` -> y -> kernel -> out, on a board of four pools.
class SpreadPoolsTest : public ::testing::Test {
 protected:
  enum Pool : int32_t { kDram, kTcm, kShared, kNpu };

  SpreadPoolsTest() {
    options_.pools = {{"dram", 1, kDefaultAlignment, 0, {}},
                      {"tcm", 2, kDefaultAlignment, 0, {"cpu"}},
                      {"shared", 3, kDefaultAlignment, 0, {"cpu", "npu"}},
                      {"npu", 4, kDefaultAlignment, 0, {"npu"}}};
    options_.spread = PoolSpread{{5, 1, 2, 1}, {{"A", {"cpu", "npu"}}}, false};
    x_ = b_.input("x", 32);
    work_ = b_.tensor("work", 64, Role::kDelegateScratch);
    y_ = b_.tensor("y", 32);
    out_ = b_.tensor("out", 32);
    b_.call_delegate("A", {x_, y_, work_});
    b_.call({y_}, out_);
    b_.output(out_);
  }

  std::vector<int32_t> pools_of(int32_t value) {
    const Lifetimes lifetimes = find_lifetimes(b_.method()).take();
    return spread_pools(b_.method(), lifetimes, options_)[static_cast<size_t>(b_.storage(value))];
  }
  program::Storage& storage(int32_t value) {
    return b_.method().storages[static_cast<size_t>(b_.storage(value))];
  }

  MethodBuilder b_;
  PlaceOptions options_;
  int32_t x_ = 0, work_ = 0, y_ = 0, out_ = 0;
};

using Pools = std::vector<int32_t>;

TEST_F(SpreadPoolsTest, PoolsThatAllUsersReachCheapestFirst) {
  EXPECT_EQ(pools_of(out_), (Pools{kTcm, kShared, kDram}));
  EXPECT_EQ(pools_of(y_), (Pools{kTcm, kShared, kDram}));
  EXPECT_EQ(pools_of(work_), (Pools{kTcm, kNpu, kShared, kDram}));
  options_.spread->reach["A"] = {"npu"};
  EXPECT_EQ(pools_of(y_), (Pools{kShared, kDram}));
  EXPECT_EQ(pools_of(work_), (Pools{kNpu, kShared, kDram}));
}

TEST_F(SpreadPoolsTest, OfEquallyCheapPoolsTheDefaultComesFirst) {
  options_.spread->costs = {1, 1, 1, 1};
  EXPECT_EQ(pools_of(out_), (Pools{kDram, kTcm, kShared}));
  options_.pools[0].mem_id = 3;
  options_.pools[2].mem_id = 1;
  EXPECT_EQ(pools_of(out_), (Pools{kShared, kDram, kTcm}));
}

TEST_F(SpreadPoolsTest, WhatAnUnknownBackendTouchesStays) {
  options_.spread->reach.clear();
  EXPECT_EQ(pools_of(x_), Pools());
  EXPECT_EQ(pools_of(y_), Pools());
  EXPECT_EQ(pools_of(work_), Pools());
  EXPECT_NE(pools_of(out_), Pools());
}

TEST_F(SpreadPoolsTest, WhatAsksForAPoolAndWhatABackendKeepsStay) {
  storage(y_).pool = "dram";
  storage(work_).role = Role::kPersistent;
  EXPECT_EQ(pools_of(y_), Pools());
  EXPECT_EQ(pools_of(work_), Pools());
  EXPECT_NE(pools_of(x_), Pools());
}

TEST_F(SpreadPoolsTest, InAFileOnlyScratchOutsideTheDefaultWasAskedFor) {
  options_.spread->is_replan = true;
  for (const int32_t value : {y_, work_}) storage(value).pool = "tcm";
  EXPECT_NE(pools_of(y_), Pools()) << "some planner put it there";
  EXPECT_EQ(pools_of(work_), Pools());
  storage(work_).pool = "dram";
  EXPECT_NE(pools_of(work_), Pools());
}

TEST_F(SpreadPoolsTest, StateIsTheCallersToReadAndStaysInAFile) {
  const int32_t state = b_.tensor("state", 16, Role::kState);
  b_.call_delegate("A", {x_, state});
  EXPECT_EQ(pools_of(state), (Pools{kTcm, kShared, kDram}));
  options_.spread->is_replan = true;
  EXPECT_EQ(pools_of(state), Pools());
}

}  // namespace
}  // namespace berth::place
