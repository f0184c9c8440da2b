// Files without a record, whose delegates have bytes behind their other arguments.
#include "compiler/place/delegates_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/place/found_buffers_test_util.h"
#include "compiler/place/replan.h"

namespace berth::place {
namespace {

class DelegatesMemoryTest : public FoundBuffersTest {
 protected:
  // x -> a -> delegate with `work` -> c -> out, of which the plan keeps a, c and out apart.
  void build(uint64_t work_at) {
    x_ = b_.input_at("x", 0, 32);
    a_ = b_.tensor_at("a", 64, 32);
    work_ = b_.tensor_at("work", work_at, 64);
    c_ = b_.tensor_at("c", 96, 32);
    out_ = b_.tensor_at("out", 64, 32);
    b_.call({x_}, a_);
    b_.call_delegate("A", {a_, c_, work_});
    b_.call({c_}, out_);
    b_.output(out_);
    b_.method().pools = {{1, std::max<uint64_t>(work_at + 64, 128), 0, 0}};
  }
  bool is_kept() const {
    const program::Storage& work = storage(work_);
    EXPECT_EQ(work.kind == program::StorageKind::kState, work.role == Role::kPersistent);
    return work.role == Role::kPersistent;
  }

  int32_t x_ = 0, a_ = 0, work_ = 0, c_ = 0, out_ = 0;
};

TEST_F(DelegatesMemoryTest, BytesOfItsOwnMayBeKept) {
  build(128);
  find();
  EXPECT_TRUE(is_kept());
  EXPECT_EQ(storage(c_).kind, program::StorageKind::kPlanned);
}

TEST_F(DelegatesMemoryTest, BytesThatTheFileGivesToOthersTooAreScratch) {
  build(0);  // over x, which nobody needs by then
  find();
  EXPECT_FALSE(is_kept());
}

TEST_F(DelegatesMemoryTest, SeveralCallsOfOneHandleKeepIt) {
  build(128);
  const int32_t again = b_.tensor_at("again", 192, 32);
  const int32_t call = b_.call_delegate("A", {c_, again, work_});
  auto& second =
      std::get<program::DelegateCall>(b_.method().instructions[static_cast<size_t>(call)].call);
  second.delegate = 0;
  find();
  EXPECT_TRUE(is_kept());
  EXPECT_EQ(storage(again).owner, call) << "a result, though it stands before what is kept";
}

TEST_F(DelegatesMemoryTest, WhatAnotherTouchesIsNobodysOwn) {
  build(128);
  b_.call({work_}, out_);
  find();
  EXPECT_FALSE(is_kept());
}

TEST_F(DelegatesMemoryTest, WhatTwoDelegatesNameIsNobodysOwn) {
  build(128);
  const int32_t again = b_.tensor_at("again", 192, 32);
  b_.call_delegate("B", {c_, again, work_});
  find();
  EXPECT_FALSE(is_kept());
}

TEST_F(DelegatesMemoryTest, OnlyWhatStandsBehindAllOthersIsMeant) {
  build(128);
  b_.method().instructions.clear();
  b_.call({x_}, a_);
  b_.call_delegate("A", {a_, work_, c_});
  b_.call({c_}, out_);
  program::Tensor& c = *b_.method().values[static_cast<size_t>(c_)].tensor();
  c.dtype = ScalarType::kFloat;
  c.sizes = {8};
  find();
  EXPECT_FALSE(is_kept());
}

TEST_F(DelegatesMemoryTest, CountsOfARecordAreBelieved) {
  build(128);
  program::Instruction& call = b_.method().instructions[1];
  call.input_count = 1;
  call.output_count = 1;
  find();
  EXPECT_FALSE(is_kept());
}

// Where a plan without that knowledge would put the rest over it: 96 bytes do for all.
TEST_F(DelegatesMemoryTest, AReplanPutsNothingOverIt) {
  build(128);
  program::Program program;
  program.methods.push_back(b_.method());
  program.delegate_data.push_back(program::Bytes(4));
  Diagnostics notes;
  ReplanOptions options;
  const MaybeError error = replan(&program, options, &notes);
  ASSERT_FALSE(error) << error->place << ": " << error->message;
  found_ = program.methods[0];
  EXPECT_TRUE(is_kept());
  EXPECT_EQ(program.methods[0].pools[0].bytes, 64u + 64u);
  const program::Storage& work = storage(work_);
  for (const int32_t v : {x_, a_, c_, out_}) {
    const program::Storage& it = storage(v);
    EXPECT_TRUE(it.offset + it.nbytes <= work.offset || work.offset + work.nbytes <= it.offset)
        << v;
  }
  ASSERT_TRUE(program.methods[0].plan);
}

}  // namespace
}  // namespace berth::place
