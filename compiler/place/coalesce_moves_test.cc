#include "compiler/place/coalesce_moves.h"

#include <gtest/gtest.h>

#include "compiler/place/method_builder.h"

namespace berth::place {
namespace {

class CoalesceMovesTest : public ::testing::Test {
 protected:
  void coalesce() {
    const Result<Lifetimes> lifetimes = find_lifetimes(b_.method());
    coalesce_moves(lifetimes.value(), &b_.method());
  }
  bool share(int32_t a, int32_t b) const { return b_.storage(a) == b_.storage(b); }
  // c ? p : q, moved into r.
  void branch(int32_t c, int32_t p, int32_t q, int32_t r) {
    const auto start = static_cast<int32_t>(b_.method().instructions.size());
    b_.jump_false(c, start + 4);
    b_.call({}, p);
    b_.move(p, r);
    b_.jump_false(never_, start + 6);
    b_.call({}, q);
    b_.move(q, r);
  }
  int32_t condition() {
    const int32_t c = b_.boolean(true);
    b_.method().inputs.push_back(c);
    return c;
  }

  MethodBuilder b_;
  const int32_t never_ = b_.boolean(false);
};

TEST_F(CoalesceMovesTest, ResultsOfBothBranchesAreOneBuffer) {
  const int32_t p = b_.tensor("p", 32);
  const int32_t q = b_.tensor("q", 48);
  const int32_t r = b_.tensor("r", 32);
  branch(condition(), p, q, r);
  b_.output(r);
  coalesce();
  EXPECT_TRUE(share(p, q));
  EXPECT_TRUE(share(p, r));
  EXPECT_EQ(b_.method().storages[static_cast<size_t>(b_.storage(p))].nbytes, 48u);
}

// The input is needed after the join, so the other branch must not write over it.
TEST_F(CoalesceMovesTest, WhatLivesOnStaysApart) {
  const int32_t x = b_.input("x", 32);
  const int32_t c = condition();
  const int32_t q = b_.tensor("q", 32);
  const int32_t r = b_.tensor("r", 32);
  const int32_t out = b_.tensor("out", 32);
  b_.jump_false(c, 3);
  b_.move(x, r);
  b_.jump_false(never_, 5);
  b_.call({}, q);
  b_.move(q, r);
  b_.call({x, r}, out);
  b_.output(out);
  coalesce();
  EXPECT_FALSE(share(x, q));
}

TEST_F(CoalesceMovesTest, NestedBranchesFormOneWeb) {
  const int32_t p = b_.tensor("p", 32);
  const int32_t q = b_.tensor("q", 32);
  const int32_t inner = b_.tensor("inner", 32);
  const int32_t s = b_.tensor("s", 32);
  const int32_t r = b_.tensor("r", 32);
  const int32_t outer = condition();
  b_.jump_false(outer, 9);
  branch(condition(), p, q, inner);
  b_.move(inner, r);
  b_.jump_false(never_, 11);
  b_.call({}, s);
  b_.move(s, r);
  b_.output(r);
  coalesce();
  EXPECT_TRUE(share(p, q));
  EXPECT_TRUE(share(p, s));
  EXPECT_TRUE(share(p, r));
}

TEST_F(CoalesceMovesTest, TwoResultsNeededTogetherKeepTheirBytes) {
  const int32_t c = condition();
  const int32_t p = b_.tensor("p", 32);
  const int32_t q = b_.tensor("q", 32);
  const int32_t r = b_.tensor("r", 32);
  const int32_t t = b_.tensor("t", 32);
  const int32_t u = b_.tensor("u", 32);
  const int32_t w = b_.tensor("w", 32);
  branch(c, p, q, r);
  branch(c, t, u, w);
  const int32_t out = b_.tensor("out", 32);
  b_.call({r, w}, out);
  b_.output(out);
  coalesce();
  EXPECT_TRUE(share(p, q));
  EXPECT_TRUE(share(t, u));
  EXPECT_FALSE(share(p, t));
}

}  // namespace
}  // namespace berth::place
