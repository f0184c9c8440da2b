#include "compiler/place/place.h"

#include <gtest/gtest.h>

#include "compiler/place/method_builder.h"
#include "compiler/place/recorded_plan.h"

namespace berth::place {
namespace {

PlaceOptions one_pool(uint64_t capacity = 0) {
  PlaceOptions options;
  options.pools = {{"main", 1, kDefaultAlignment, capacity, {}}};
  return options;
}

// x[64] -> t[64] -> u[64] -> out[32]
program::Program chain(bool with_options) {
  MethodBuilder b;
  const int32_t x = b.input("x", 64);
  const int32_t t = b.tensor("t", 64);
  const int32_t u = b.tensor("u", 64);
  const int32_t out = b.tensor("out", 32);
  const int32_t first = b.call({x}, t);
  const int32_t second = b.call({t}, u);
  b.call({u}, out);
  b.output(out);
  if (with_options) {
    b.in_place(first, t, x);
    b.in_place(second, u, t);
  }
  program::Program program;
  program.methods.push_back(b.method());
  return program;
}

TEST(PlaceTest, TwoBuffersOfAChainAlternate) {
  program::Program program = chain(false);
  ASSERT_FALSE(place(&program, one_pool()));
  EXPECT_EQ(program.methods[0].pools[0].bytes, 128u);
  EXPECT_EQ(program.methods[0].plan->pool_use[0].lower_bound, 128u);
  EXPECT_FALSE(prove_plan(program));
}

TEST(PlaceTest, TakenOptionsMergeStoragesAndTheRecord) {
  program::Program program = chain(true);
  ASSERT_FALSE(place(&program, one_pool()));
  const program::Method& method = program.methods[0];
  EXPECT_EQ(method.pools[0].bytes, 96u);
  EXPECT_EQ(method.storages.size(), 2u);
  EXPECT_EQ(method.plan->value_buffer[0], method.plan->value_buffer[2]);
  EXPECT_EQ(method.plan->buffers[0].role, Role::kInput);
  EXPECT_FALSE(prove_plan(program));
}

TEST(PlaceTest, NoReuseGivesEveryBufferItsOwnBytes) {
  program::Program program = chain(true);
  PlaceOptions options = one_pool();
  options.reuse = false;
  ASSERT_FALSE(place(&program, options));
  EXPECT_EQ(program.methods[0].pools[0].bytes, 64u * 3 + 32);
}

TEST(PlaceTest, AShortageNamesPoolBytesInstructionAndBuffers) {
  program::Program program = chain(false);
  const auto error = place(&program, one_pool(112));
  ASSERT_TRUE(error);
  for (const char* word : {"'main'", "needs 128", "has 112", "16 short", "test::op.out",
                           "x (64, input)", "t (64, activation"}) {
    EXPECT_NE(error->message.find(word), std::string::npos) << word << " in: " << error->message;
  }
  EXPECT_TRUE(program.methods[0].pools.empty()) << "the program must stay as it was";
}

TEST(PlaceTest, AnUnknownPoolIsAnErrorThatListsTheBoardsPools) {
  program::Program program = chain(false);
  program.methods[0].storages[1].pool = "dtcm";
  const auto error = place(&program, one_pool());
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("'dtcm'"), std::string::npos);
  EXPECT_NE(error->message.find("main"), std::string::npos);
  EXPECT_EQ(error->place, "method forward, buffer t");
  program.methods[0].storages[1].owner = 0;
  EXPECT_EQ(place(&program, one_pool())->place, "method forward, buffer t of 0 test::op.out");
}

TEST(PlaceTest, ABufferGoesToThePoolItNames) {
  program::Program program = chain(false);
  program.methods[0].storages[1].pool = "dtcm";
  PlaceOptions options = one_pool();
  options.pools.push_back({"dtcm", 3, 16, 0, {}});
  ASSERT_FALSE(place(&program, options));
  EXPECT_EQ(program.methods[0].storages[1].mem_id, 3u);
  ASSERT_EQ(program.methods[0].pools.size(), 2u);
  EXPECT_EQ(program.methods[0].pools[1].mem_id, 3u);
  EXPECT_EQ(program.methods[0].pools[1].bytes, 64u);
}

TEST(PlaceTest, OtherBuffersGoToThePoolWithMemIdOneOrElseToTheFirst) {
  for (const uint32_t second : {1u, 4u}) {
    program::Program program = chain(false);
    PlaceOptions options;
    options.pools = {{"fast", 3, 16, 0, {}}, {"slow", second, 16, 0, {}}};
    ASSERT_FALSE(place(&program, options));
    EXPECT_EQ(program.methods[0].storages[0].mem_id, second == 1 ? 1u : 3u);
  }
}

TEST(PlaceTest, ProveRefusesOverlapAndAWrongRecord) {
  program::Program program = chain(false);
  ASSERT_FALSE(place(&program, one_pool()));
  program::Program overlap = program;
  overlap.methods[0].storages[1].offset = overlap.methods[0].storages[0].offset;
  EXPECT_TRUE(prove_plan(overlap));
  program::Program late = program;
  late.methods[0].plan->buffers[0].live[0].end += 1;
  EXPECT_TRUE(prove_plan(late));
}

TEST(PlaceTest, AMethodWithNothingButEmptyBuffersHasItsPool) {
  MethodBuilder b;
  const int32_t empty = b.tensor("empty", 0);
  b.call({}, empty);
  program::Program program;
  program.methods.push_back(b.method());
  ASSERT_FALSE(place(&program, one_pool()));
  ASSERT_EQ(program.methods[0].pools.size(), 1u);
  EXPECT_EQ(program.methods[0].pools[0].bytes, 0u);
  EXPECT_EQ(program.methods[0].storages[0].mem_id, 1u);
}

// The example that a checker without jumps lets through:
// 1 write V · 2 use V · 3 write U · 4 use U, jump if false to 7 · 5 write V · 6 - · 7 - · 8 use V.
// On the path 4 -> 7 -> 8 V must hold its first contents, so V is live at 3 and 4 as well.
TEST(PlaceTest, APathOverAJumpKeepsABufferLive) {
  MethodBuilder b;
  const int32_t c = b.boolean(true);
  b.method().inputs.push_back(c);
  const int32_t v = b.tensor("V", 16);
  const int32_t u = b.tensor("U", 16);
  const int32_t w = b.tensor("W", 16);
  b.call({}, w);
  b.call({}, v);
  b.call({v}, w);
  b.call({}, u);
  b.call({u}, w);
  b.jump_false(c, 7);
  b.call({}, v);
  b.call({v}, w);
  b.output(w);
  program::Program program;
  program.methods.push_back(b.method());
  program::Program bad = program;
  ASSERT_FALSE(place(&program, one_pool()));
  EXPECT_NE(program.methods[0].storages[0].offset, program.methods[0].storages[1].offset);
  bad = program;
  bad.methods[0].storages[1].offset = bad.methods[0].storages[0].offset;
  EXPECT_TRUE(prove_plan(bad));
}

}  // namespace
}  // namespace berth::place
