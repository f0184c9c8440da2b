#include "tools/guarded_memory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace berth::tools {
namespace {

TEST(GuardedMemory, IsAsAlignedAsAskedAndNoMore) {
  for (uint64_t alignment : {1, 8, 16, 64, 4096}) {
    GuardedMemory memory;
    ASSERT_TRUE(memory.allocate(100, alignment));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % alignment, 0u);
    EXPECT_NE(reinterpret_cast<uintptr_t>(memory.data()) % (2 * alignment), 0u);
  }
}

TEST(GuardedMemory, SeesAByteWrittenOnEitherSide) {
  GuardedMemory memory;
  ASSERT_TRUE(memory.allocate(100, 16));
  std::memset(memory.data(), 0xff, 100);
  EXPECT_FALSE(memory.is_damaged());
  memory.data()[100] ^= 1;
  EXPECT_TRUE(memory.is_damaged());
  memory.data()[100] ^= 1;
  memory.data()[-1] ^= 1;
  EXPECT_TRUE(memory.is_damaged());
}

TEST(GuardedMemory, MovesAndTakesNoBytesAtAll) {
  GuardedMemory first;
  ASSERT_TRUE(first.allocate(0, 16));
  GuardedMemory second = std::move(first);
  EXPECT_EQ(second.size(), 0u);
  EXPECT_FALSE(second.is_damaged());
}

TEST(GuardedMemory, WhatCannotBeIsRefused) {
  GuardedMemory memory;
  EXPECT_FALSE(memory.allocate(UINT64_MAX, 16));
  EXPECT_FALSE(memory.allocate(uint64_t{1} << 62, 16));
  // The system would lend the addresses, but a fill of them would never end.
  EXPECT_FALSE(memory.allocate(uint64_t{1} << 46, 16));
}

}  // namespace
}  // namespace berth::tools
