#include "compiler/place/clobbers.h"

#include <gtest/gtest.h>

#include "compiler/place/method_builder.h"

namespace berth::place {
namespace {

class ClobbersTest : public ::testing::Test {
 protected:
  std::vector<Clobber> find() {
    const Result<Lifetimes> lifetimes = find_lifetimes(b_.method());
    Result<std::vector<Clobber>> found = find_clobbers(b_.method(), lifetimes.value());
    return found.take();
  }
  MethodBuilder b_;
};

TEST_F(ClobbersTest, NothingWhereBuffersLiveOneAfterTheOther) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t b = b_.tensor_at("b", 0, 32);
  b_.call({x}, a);
  b_.call({a}, b);
  b_.output(b);
  EXPECT_TRUE(find().empty());
}

TEST_F(ClobbersTest, NamesTheWriterTheVictimAndTheMoment) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t b = b_.tensor_at("b", 48, 32);
  const int32_t out = b_.tensor_at("out", 96, 32);
  b_.call({x}, a);
  b_.call({x}, b);
  b_.call({a, b}, out);
  b_.output(out);
  const std::vector<Clobber> found = find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].instruction, 1u);
  EXPECT_EQ(found[0].writer, b);
  EXPECT_EQ(found[0].victim, a);
  const Error error = clobber_error(b_.method(), found[0]);
  EXPECT_EQ(error.place, "method forward");
  EXPECT_EQ(error.message,
            "instruction 1 test::op.out writes values[2] (b) over values[1] (a), which is needed "
            "there: bytes [48, 80) and [32, 64) of memory 1");
}

TEST_F(ClobbersTest, AResultOnAnArgumentOfItsOwnCallIsOne) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t out = b_.tensor_at("out", 16, 32);
  b_.call({x}, out);
  b_.output(out);
  ASSERT_EQ(find().size(), 1u);
  EXPECT_EQ(find()[0].instruction, 0u);
}

TEST_F(ClobbersTest, TwoInputsInOnePlaceAreOne) {
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t y = b_.input_at("y", 0, 32);
  const int32_t out = b_.tensor_at("out", 32, 32);
  b_.call({x, y}, out);
  b_.output(out);
  EXPECT_EQ(find().size(), 1u);
}

TEST_F(ClobbersTest, StateIsNeededAfterTheEnd) {
  const int32_t state = b_.tensor("state", 32, Role::kState);
  b_.place(state, 0, 1);
  const int32_t a = b_.tensor_at("a", 32, 32);
  const int32_t late = b_.tensor_at("late", 0, 32);
  b_.call({state}, a);
  b_.call({a}, late);
  b_.output(late);
  EXPECT_EQ(find().size(), 1u);
}

// After a branch a value may stand for either result: both are live there, and neither is written.
TEST_F(ClobbersTest, AlternativesInOnePlaceAreNone) {
  const int32_t c = b_.boolean(true);
  const int32_t never = b_.boolean(false);
  b_.method().inputs.push_back(c);
  const int32_t p = b_.tensor_at("p", 0, 32);
  const int32_t q = b_.tensor_at("q", 0, 32);
  const int32_t r = b_.tensor_at("r", 0, 32);
  const int32_t out = b_.tensor_at("out", 32, 32);
  b_.jump_false(c, 4);
  b_.call({}, p);
  b_.move(p, r);
  b_.jump_false(never, 6);
  b_.call({}, q);
  b_.move(q, r);
  b_.call({r}, out);
  b_.output(out);
  EXPECT_TRUE(find().empty());
}

// Two conditionals in a row whose results all lie at 0: the second overwrites the first one's.
TEST_F(ClobbersTest, ASecondConditionalOnTheFirstOnesResultIsOne) {
  const int32_t c = b_.boolean(true);
  const int32_t never = b_.boolean(false);
  b_.method().inputs.push_back(c);
  int32_t results[2];
  for (int32_t& r : results) {
    const auto start = static_cast<int32_t>(b_.method().instructions.size());
    const int32_t p = b_.tensor_at("p", 0, 32);
    const int32_t q = b_.tensor_at("q", 0, 32);
    r = b_.tensor_at("r", 64, 32);
    b_.jump_false(c, start + 4);
    b_.call({}, p);
    b_.move(p, r);
    b_.jump_false(never, start + 6);
    b_.call({}, q);
    b_.move(q, r);
  }
  const int32_t out = b_.tensor_at("out", 32, 32);
  b_.call({results[0], results[1]}, out);
  b_.output(out);
  const std::vector<Clobber> found = find();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].instruction, 7u);
}

}  // namespace
}  // namespace berth::place
