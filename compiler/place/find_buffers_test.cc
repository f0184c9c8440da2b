#include "compiler/place/find_buffers.h"

#include <gtest/gtest.h>

#include "compiler/place/found_buffers_test_util.h"

namespace berth::place {
namespace {

class FindBuffersTest : public FoundBuffersTest {
 protected:
  bool share(int32_t a, int32_t b) const { return tensor(a).storage == tensor(b).storage; }
  int32_t add(int32_t a, int32_t b, int32_t out) {
    return b_.call_operator("aten::add", "out", {a, b, alpha_, out, out});
  }

  const int32_t alpha_ = b_.boolean(true);
};

TEST_F(FindBuffersTest, OnePlaceUsedTwiceIsTwoBuffers) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t again = b_.tensor_at("again", 0, 32);
  add(x, x, a);
  add(a, a, again);
  b_.output(again);
  find();
  EXPECT_FALSE(share(x, again));
  EXPECT_EQ(storage(x).role, Role::kInput);
  EXPECT_EQ(storage(again).role, Role::kOutput);
  EXPECT_EQ(storage(again).owner, 1);
}

TEST_F(FindBuffersTest, WhatNobodyWritesIsAViewOfTheLastWriter) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t old = b_.tensor_at("old", 32, 32);
  const int32_t base = b_.tensor_at("base", 32, 64);
  const int32_t view = b_.tensor_at("view", 48, 16);
  const int32_t out = b_.tensor_at("out", 96, 32);
  add(x, x, old);
  add(x, old, out);
  add(x, x, base);
  add(view, x, out);
  b_.output(out);
  find();
  EXPECT_TRUE(share(view, base));
  EXPECT_FALSE(share(view, old));
  EXPECT_EQ(tensor(view).offset, 16u);
  EXPECT_EQ(storage(base).nbytes, 64u);
}

TEST_F(FindBuffersTest, AViewOverSeveralWritersHoldsThemTogether) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t left = b_.tensor_at("left", 64, 32);
  const int32_t right = b_.tensor_at("right", 96, 32);
  const int32_t whole = b_.tensor_at("whole", 64, 64);
  add(x, x, left);
  add(x, x, right);
  b_.output(whole);
  find();
  EXPECT_TRUE(share(left, right));
  EXPECT_TRUE(share(left, whole));
  EXPECT_EQ(tensor(right).offset, 32u);
}

TEST_F(FindBuffersTest, AViewAfterABranchShowsEitherWriter) {
  const int32_t c = b_.boolean(true);
  const int32_t never = b_.boolean(false);
  b_.method().inputs.push_back(c);
  const int32_t p = b_.tensor_at("p", 0, 32);
  const int32_t q = b_.tensor_at("q", 0, 32);
  const int32_t view = b_.tensor_at("view", 0, 32);
  b_.jump_false(c, 3);
  b_.call({}, p);
  b_.jump_false(never, 4);
  b_.call({}, q);
  b_.output(view);
  find();
  EXPECT_TRUE(share(view, p));
  EXPECT_TRUE(share(view, q));
}

TEST_F(FindBuffersTest, ViewsOfInputsAndStateBelongToThem) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t state = b_.tensor("state", 32, Role::kState);
  b_.place(state, 32, 1);
  const int32_t of_input = b_.tensor_at("of_input", 16, 16);
  const int32_t of_state = b_.tensor_at("of_state", 32, 16);
  const int32_t out = b_.tensor_at("out", 64, 16);
  add(of_input, of_state, out);
  b_.output(out);
  find();
  EXPECT_TRUE(share(of_input, x));
  EXPECT_TRUE(share(of_state, state));
  EXPECT_EQ(storage(state).kind, program::StorageKind::kState);
}

TEST_F(FindBuffersTest, AResultOnADyingArgumentSharesWithIt) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t b = b_.tensor_at("b", 32, 32);
  add(x, x, a);
  add(a, x, b);
  b_.output(b);
  find();
  EXPECT_TRUE(share(a, b));
}

TEST_F(FindBuffersTest, AResultOfAKnownOperatorOnALiveArgumentDoesNot) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t b = b_.tensor_at("b", 32, 32);
  const int32_t out = b_.tensor_at("out", 64, 32);
  add(x, x, a);
  add(a, x, b);
  add(a, b, out);
  b_.output(out);
  find();
  EXPECT_FALSE(share(a, b));
}

TEST_F(FindBuffersTest, AResultOfAnUnknownOperatorOnAnArgumentSharesWithItAlways) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t inside = b_.tensor_at("inside", 48, 16);
  const int32_t out = b_.tensor_at("out", 64, 32);
  add(x, x, a);
  b_.call({a}, inside);
  add(a, inside, out);
  b_.output(out);
  find();
  EXPECT_TRUE(share(a, inside));
  EXPECT_EQ(tensor(inside).offset, 16u);
}

TEST_F(FindBuffersTest, WhatIsReadBeforeAnythingFilledItIsState) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t cache = b_.tensor_at("cache", 32, 32);
  const int32_t a = b_.tensor_at("a", 64, 32);
  add(x, cache, a);
  b_.call_operator("aten::copy_", "", {cache, a, alpha_, cache});
  b_.output(a);
  find();
  EXPECT_EQ(storage(cache).kind, program::StorageKind::kState);
  EXPECT_EQ(storage(cache).role, Role::kState);
}

TEST_F(FindBuffersTest, ADelegatesLastNewArgumentsAreItsResults) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t view = b_.tensor_at("view", 32, 16);  // stands before x: an argument
  const int32_t out = b_.tensor_at("out", 64, 32);
  add(x, x, a);
  b_.call_delegate("TestBackend", {view, x, out});
  b_.output(out);
  find();
  EXPECT_TRUE(share(view, a));
  EXPECT_EQ(storage(out).owner, 1);
}

TEST_F(FindBuffersTest, TheTargetOfAMoveIsNoBuffer) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t target = b_.tensor_at("target", 32, 32);
  add(x, x, a);
  b_.move(a, target);
  b_.output(target);
  find();
  EXPECT_FALSE(share(a, target));
  EXPECT_EQ(storage(target).owner, -1);
}

// A stranger's file may call by the name of et_view and give it too little.
TEST_F(FindBuffersTest, AnEtViewWithoutATargetIsACallLikeAnyOther) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t out = b_.tensor_at("out", 32, 32);
  b_.call_operator("executorch_prim::et_view", "default", {x});
  b_.call_operator("executorch_prim::et_view", "default", {});
  b_.call_operator("executorch_prim::et_view", "default", {x, alpha_, alpha_});
  add(x, x, out);
  b_.output(out);
  find();
  EXPECT_EQ(storage(out).owner, 3);
}

}  // namespace
}  // namespace berth::place
