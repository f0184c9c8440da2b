#include "compiler/place/replan.h"

#include <gtest/gtest.h>

#include "compiler/place/method_builder.h"
#include "program/validate_program.h"

namespace berth::place {
namespace {

class ReplanTest : public ::testing::Test {
 protected:
  // x -> a -> b -> out, each of 32 bytes, all apart: two would do at a time.
  void build_chain() {
    const int32_t x = b_.input_at("x", 0, 32);
    const int32_t a = b_.tensor_at("a", 32, 32);
    const int32_t b = b_.tensor_at("b", 64, 32);
    const int32_t out = b_.tensor_at("out", 96, 32);
    b_.call({x}, a);
    b_.call({a}, b);
    b_.call({b}, out);
    b_.output(out);
    b_.method().pools = {{1, 128, 0, 0}};
  }
  void use_delegate(uint64_t tail) {
    b_.method().delegates.push_back({"TestBackend", 0, {}});
    b_.method().pools[0].bytes += tail;
    blob_ = true;
  }
  program::Program program() {
    program::Program p;
    p.methods.push_back(b_.method());
    if (blob_) p.delegate_data.push_back(program::Bytes(4));
    return p;
  }
  program::Program replanned(const program::Program& before) {
    program::Program after = before;
    const MaybeError error = replan(&after, options_, &notes_);
    EXPECT_FALSE(error) << error->place << ": " << error->message;
    return after;
  }
  static uint64_t offset_of(const program::Method& method, int32_t v) {
    const program::Tensor& tensor = *method.values[static_cast<size_t>(v)].tensor();
    return method.storages[static_cast<size_t>(tensor.storage)].offset + tensor.offset;
  }

  MethodBuilder b_;
  bool blob_ = false;
  ReplanOptions options_;
  Diagnostics notes_;
};

TEST_F(ReplanTest, ReusesWhatTheFileKeptApart) {
  build_chain();
  const program::Program after = replanned(program());
  ASSERT_EQ(after.methods[0].pools.size(), 1u);
  EXPECT_EQ(after.methods[0].pools[0].bytes, 64u);
  ASSERT_TRUE(after.record);
  EXPECT_EQ(after.record->pools[0].name, "mem1");
  EXPECT_EQ(after.record->isa, Isa::kUnstated);
  EXPECT_FALSE(after.record->separate_methods);
}

TEST_F(ReplanTest, LeavesBuffersWhereTheyAreWhenNothingIsToBeGained) {
  const int32_t x = b_.input_at("x", 32, 32);
  const int32_t out = b_.tensor_at("out", 0, 32);
  b_.call({x}, out);
  b_.output(out);
  b_.method().pools = {{1, 64, 0, 0}};
  const program::Program after = replanned(program());
  EXPECT_EQ(offset_of(after.methods[0], x), 32u);
  EXPECT_EQ(offset_of(after.methods[0], out), 0u);
}

TEST_F(ReplanTest, SecondTimeChangesNothing) {
  build_chain();
  const program::Program once = replanned(program());
  const program::Program twice = replanned(once);
  EXPECT_EQ(once.methods[0].storages.size(), twice.methods[0].storages.size());
  for (int32_t v = 0; v < 4; ++v)
    EXPECT_EQ(offset_of(once.methods[0], v), offset_of(twice.methods[0], v));
  EXPECT_TRUE(once.record == twice.record);
}

// 0 jump-false c -> 3 · 1 r = x · 2 jump -> 4 · 3 r = x · 4 out = r: the result of the first
// branch dies where the second one begins, for the jump arrives without it.
TEST_F(ReplanTest, CutsALifeWhereAJumpArrivesWithoutIt) {
  const int32_t x = b_.input_at("x", 0, 16);
  const int32_t c = b_.boolean(true), never = b_.boolean(false);
  const int32_t r = b_.tensor_at("r", 16, 16);
  const int32_t out = b_.tensor_at("out", 32, 16);
  b_.jump_false(c, 3);
  b_.call({x}, r);
  b_.jump_false(never, 4);
  b_.call({x}, r);
  b_.call({r}, out);
  b_.output(out);
  b_.method().pools = {{1, 48, 0, 0}};
  const program::Program after = replanned(program());
  ASSERT_TRUE(after.methods[0].plan);
  const auto& plan = *after.methods[0].plan;
  const auto& live =
      plan.buffers[static_cast<size_t>(plan.value_buffer[static_cast<size_t>(r)])].live;
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0].begin, 1u);
  EXPECT_EQ(live[0].end, 3u);
  EXPECT_EQ(live[1].begin, 3u);
  EXPECT_EQ(live[1].end, 5u);
}

TEST_F(ReplanTest, KeepsATailWhereThereAreDelegates) {
  build_chain();
  use_delegate(64);
  const program::Program after = replanned(program());
  EXPECT_EQ(after.methods[0].pools[0].bytes, 64u + 64u);
  ASSERT_TRUE(after.methods[0].plan);
  EXPECT_EQ(after.methods[0].plan->pool_use[0].tail, 64u);
  EXPECT_EQ(after.methods[0].plan->pool_use[0].lower_bound, 64u);
  const program::Program twice = replanned(after);
  EXPECT_EQ(twice.methods[0].pools[0].bytes, 128u);
}

TEST_F(ReplanTest, KeepsTheDeviceOfAnArena) {
  build_chain();
  b_.method().pools[0].device_type = 1;
  const program::Program after = replanned(program());
  EXPECT_EQ(after.methods[0].pools[0].device_type, 1);
}

TEST_F(ReplanTest, MovesInputsAndOutputsToTheCaller) {
  build_chain();
  options_.caller_io = true;
  const program::Program after = replanned(program());
  EXPECT_EQ(after.methods[0].pools[0].bytes, 64u);
  const program::Tensor& x = *after.methods[0].values[0].tensor();
  EXPECT_EQ(after.methods[0].storages[static_cast<size_t>(x.storage)].kind,
            program::StorageKind::kCaller);
}

TEST_F(ReplanTest, PlansForABoardsPools) {
  build_chain();
  options_.place.pools = {{"sram", 1, 16, 4096, {}}, {"dtcm", 3, 16, 4096, {}}};
  const program::Program after = replanned(program());
  EXPECT_EQ(after.methods[0].pools[0].mem_id, 1u);
  EXPECT_EQ(after.record->pools[0].name, "sram");
}

TEST_F(ReplanTest, APoolThatIsTooSmallIsAnErrorAndNothingChanges) {
  build_chain();
  options_.capacities = {{"mem1", 63}};
  program::Program after = program();
  const MaybeError error = replan(&after, options_, &notes_);
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("'mem1' needs 64 bytes and has 63"), std::string::npos)
      << error->message;
  EXPECT_TRUE(after == program());
}

TEST_F(ReplanTest, ACapacityOfAPoolThatIsNotThereIsAnError) {
  build_chain();
  options_.capacities = {{"sram", 64}};
  program::Program after = program();
  const MaybeError error = replan(&after, options_, &notes_);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->place, "pool sram");
  EXPECT_NE(error->message.find("mem1"), std::string::npos);
}

// Two methods of a stock file, a state of one name at one place in both: one memory.
TEST_F(ReplanTest, SharedStateStaysWhereItIs) {
  program::Program p;
  for (const char* name : {"write", "read"}) {
    MethodBuilder b;
    b.method().name = name;
    const int32_t state = b.tensor("cache", 32, Role::kState);
    b.place(state, 16, 2);
    b.method().values[static_cast<size_t>(state)].tensor()->fully_qualified_name = "cache";
    const int32_t x = b.input_at("x", 0, 16);
    const int32_t a = b.tensor_at("a", 16, 16);
    const int32_t out = b.tensor_at("out", 32, 16);
    b.call({x, state}, a);
    b.call({a}, out);
    b.output(out);
    b.method().pools = {{1, 48, 0, 0}, {2, 48, 0, 0}};
    p.methods.push_back(b.method());
  }
  const program::Program after = replanned(p);
  for (const program::Method& method : after.methods) {
    EXPECT_EQ(offset_of(method, 0), 16u);
    EXPECT_EQ(method.pools[0].bytes, 32u);
    EXPECT_EQ(method.pools[1].bytes, 48u);
  }
  ASSERT_TRUE(after.record);
  EXPECT_TRUE(after.record->separate_methods);
}

// A loop fills its accumulator part by part: no certificate could say when it begins.
TEST_F(ReplanTest, WhatNoCertificateCanSayGoesWithoutARecord) {
  const int32_t c = b_.boolean(true);
  b_.method().inputs.push_back(c);
  const int32_t x = b_.input_at("x", 0, 32);
  const int32_t part = b_.tensor_at("part", 32, 32);
  const int32_t all = b_.tensor_at("all", 64, 64);
  const int32_t index = b_.boolean(false);
  b_.call({x}, part);
  b_.call_operator("executorch_prim::et_copy_index", "tensor", {all, part, index});
  b_.jump_false(c, 0);
  b_.output(all);
  b_.method().pools = {{1, 128, 0, 0}};
  const program::Program after = replanned(program());
  EXPECT_FALSE(after.record);
  EXPECT_FALSE(after.methods[0].plan);
  ASSERT_EQ(notes_.notes.size(), 1u);
  EXPECT_NE(notes_.notes[0].message.find("no certificate"), std::string::npos);
}

}  // namespace
}  // namespace berth::place
