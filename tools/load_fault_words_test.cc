#include "tools/load_fault_words.h"

#include <gtest/gtest.h>

namespace berth::tools {
namespace {

std::string words(Status status, const char* field, uint32_t index, uint64_t need, uint64_t have) {
  const LoadFault fault{status, field, index, need, have};
  const Error error = load_fault_words(status, fault, {{1, "sram"}});
  return error.place + ": " + error.message;
}

TEST(LoadFaultWords, NameThePoolNeedAndHave) {
  EXPECT_EQ(words(Status::kTooSmall, "memory.pools", 1, 16000, 15999),
            "pool sram: 15999 bytes are given and 16000 are needed; --pool sram=16000 suffices");
  EXPECT_EQ(words(Status::kTooSmall, "memory.pools", 3, 5, 4),
            "pool mem3: 4 bytes are given and 5 are needed; --pool mem3=5 suffices");
}

TEST(LoadFaultWords, NameTheMethodMemory) {
  EXPECT_EQ(words(Status::kTooSmall, "memory.method", 0, 800, 799),
            "method memory: 799 bytes are given and 800 are needed; --method-bytes 800 suffices");
}

TEST(LoadFaultWords, NameTheFieldOfABadFile) {
  EXPECT_EQ(words(Status::kBadIndex, "values.val", 7, 5, 9),
            "values.val: index out of range (entry 7: found 9, limit 5)");
  EXPECT_EQ(words(Status::kTruncated, "header", 0, 0, 0), "header: truncated (entry 0)");
  EXPECT_EQ(words(Status::kKernelFailed, "", 0, 0, 0), ": kernel failed");
}

TEST(LoadFaultWords, DelegatesAreNamedByTheirNumbers) {
  EXPECT_EQ(words(Status::kBadArguments, "delegates.scratch", 9, 4, 1),
            "instruction 9: calls delegate 1, which has scratch and is called at instruction 4 "
            "already; a handle with scratch serves one call");
  EXPECT_EQ(words(Status::kTooSmall, "backends.options.memory", 2, 128, 0),
            "delegate 2: its backend needs 128 bytes of memory with the load options and was given "
            "0");
  EXPECT_EQ(
      words(Status::kMisaligned, "backends.options.memory", 2, 64, 8),
      "delegate 2: its backend was given memory 8 bytes after a multiple of 64; it must start "
      "at one");
}

}  // namespace
}  // namespace berth::tools
