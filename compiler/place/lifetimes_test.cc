#include "compiler/place/lifetimes.h"

#include <gtest/gtest.h>

#include "compiler/place/method_builder.h"

namespace berth::place {
namespace {

std::string text(const Intervals& set) {
  std::string out;
  for (const program::Interval& i : set) {
    out += "[" + std::to_string(i.begin) + "," + std::to_string(i.end) + ")";
  }
  return out;
}

class LifetimesTest : public ::testing::Test {
 protected:
  std::string life(int32_t value) {
    const Result<Lifetimes> lifetimes = find_lifetimes(b_.method());
    if (!lifetimes.ok()) return lifetimes.error().message;
    return text(lifetimes.value().live[static_cast<size_t>(b_.storage(value))]);
  }
  MethodBuilder b_;
};

TEST_F(LifetimesTest, StraightCodeLivesFromWriteToLastRead) {
  const int32_t x = b_.input("x", 16);
  const int32_t t = b_.tensor("t", 16);
  const int32_t u = b_.tensor("u", 16);
  b_.call({x}, t);
  b_.call({t}, u);
  b_.output(u);
  EXPECT_EQ(life(x), "[0,1)");
  EXPECT_EQ(life(t), "[0,2)");
  EXPECT_EQ(life(u), "[1,2)");
}

TEST_F(LifetimesTest, InputsAreOccupiedAtTheStartEvenWhenUnused) {
  const int32_t x = b_.input("x", 16);
  const int32_t y = b_.input("y", 16);
  const int32_t t = b_.tensor("t", 16);
  b_.call({y}, t);
  b_.output(t);
  EXPECT_EQ(life(x), "[0,1)");
}

TEST_F(LifetimesTest, OutputsLiveToTheEndAndDeadResultsOneStep) {
  const int32_t x = b_.input("x", 16);
  const int32_t early = b_.tensor("early", 16);
  const int32_t dead = b_.tensor("dead", 16);
  b_.call({x}, early);
  b_.call({x}, dead);
  b_.output(early);
  EXPECT_EQ(life(early), "[0,2)");
  EXPECT_EQ(life(dead), "[1,2)");
}

TEST_F(LifetimesTest, AMethodWithoutInstructionsCountsOneStep) {
  const int32_t x = b_.input("x", 16);
  b_.method().outputs.push_back(x);
  EXPECT_EQ(life(x), "[0,1)");
}

TEST_F(LifetimesTest, StateLivesThroughout) {
  const int32_t s = b_.tensor("s", 16, Role::kState);
  const int32_t t = b_.tensor("t", 16);
  const int32_t u = b_.tensor("u", 16);
  b_.call({}, t);
  b_.call({t}, u);
  b_.output(u);
  EXPECT_EQ(life(s), "[0,2)");
}

TEST_F(LifetimesTest, PartsOfAConcatenationBeginTheirHost) {
  const int32_t x = b_.input("x", 16);
  const int32_t whole = b_.tensor("whole", 32);
  const int32_t first = b_.part("first", b_.storage(whole), 0, 16);
  const int32_t second = b_.part("second", b_.storage(whole), 16, 16);
  const int32_t other = b_.tensor("other", 16);
  b_.call({x}, other);
  b_.call({x}, first);
  b_.call({other}, second);
  b_.call({whole}, other);
  b_.output(other);
  EXPECT_EQ(life(whole), "[1,4)");
  EXPECT_EQ(life(other), "[0,4)");  // read at 2, written anew at 3: two lives that touch
}

TEST_F(LifetimesTest, AListOfOutsIsWrittenNotRead) {
  const int32_t x = b_.input("x", 16);
  const int32_t t = b_.tensor("t", 32);
  const int32_t first = b_.tensor("first", 16);
  const int32_t second = b_.tensor("second", 16);
  b_.call({x}, t);
  b_.unbind(t, {first, second});
  b_.call({second}, x);
  b_.output(x);
  EXPECT_EQ(life(t), "[0,2)");
  EXPECT_EQ(life(first), "[1,2)");
  EXPECT_EQ(life(second), "[1,3)");
}

// A conditional: 0 jump-false c -> 4 · 1 write t · 2 read t, write r · 3 jump -> 5 · 4 read x,
// write r
TEST_F(LifetimesTest, ABranchThatDoesNotUseABufferIsAHole) {
  const int32_t x = b_.input("x", 16);
  const int32_t c = b_.boolean(true);
  const int32_t never = b_.boolean(false);
  const int32_t t = b_.tensor("t", 16);
  const int32_t r = b_.tensor("r", 16);
  b_.method().inputs.push_back(c);
  b_.jump_false(c, 4);
  b_.call({}, t);
  b_.call({t}, r);
  b_.jump_false(never, 5);
  b_.call({x}, r);
  b_.output(r);
  EXPECT_EQ(life(x), "[0,1)[4,5)");
  EXPECT_EQ(life(t), "[1,3)");
  EXPECT_EQ(life(r), "[2,5)");
}

// 0 write t · 1 read t, write u · 2 jump-false c -> 1: t crosses the back edge.
TEST_F(LifetimesTest, ALoopKeepsWhatItReadsAgain) {
  const int32_t c = b_.boolean(true);
  b_.method().inputs.push_back(c);
  const int32_t t = b_.tensor("t", 16);
  const int32_t u = b_.tensor("u", 16);
  b_.call({}, t);
  b_.call({t}, u);
  b_.jump_false(c, 1);
  b_.output(u);
  EXPECT_EQ(life(t), "[0,3)");
  EXPECT_EQ(life(u), "[1,3)");
}

// A moved value stands for the bytes of either branch's result.
TEST_F(LifetimesTest, AMoveKeepsItsSourceAsLongAsTheTargetIsRead) {
  const int32_t c = b_.boolean(true);
  const int32_t never = b_.boolean(false);
  b_.method().inputs.push_back(c);
  const int32_t p = b_.tensor("p", 16);
  const int32_t q = b_.tensor("q", 16);
  const int32_t r = b_.tensor("r", 16);
  const int32_t out = b_.tensor("out", 16);
  b_.jump_false(c, 4);
  b_.call({}, p);
  b_.move(p, r);
  b_.jump_false(never, 6);
  b_.call({}, q);
  b_.move(q, r);
  b_.call({r}, out);
  b_.output(out);
  EXPECT_EQ(life(p), "[1,4)[6,7)");
  EXPECT_EQ(life(q), "[4,7)");
  EXPECT_EQ(life(r), "");
}

}  // namespace
}  // namespace berth::place
