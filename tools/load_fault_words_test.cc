#include "tools/load_fault_words.h"

#include <gtest/gtest.h>

namespace berth::tools {
namespace {

std::string words(Status status, const char* field, uint32_t index, uint64_t need, uint64_t have) {
  const LoadFault fault{status, field, index, 0, need, have};
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

// A call of delegate 1 at instruction 1, with scratch "rows" and persistent memory "weights".
program::Method with_delegates() {
  program::Method method;
  method.delegates.resize(2);
  method.delegates[0].id = "gpu";
  method.delegates[1].id = "npu";
  method.storages.resize(4);
  program::RecordedPlan plan;
  const Role roles[] = {Role::kInput, Role::kOutput, Role::kDelegateScratch, Role::kPersistent};
  const char* const names[] = {"", "", "rows", "weights"};
  for (int32_t i = 0; i < 4; ++i) {
    program::Tensor tensor;
    tensor.dtype = ScalarType::kByte;
    tensor.sizes = {64};
    tensor.dim_order = {0};
    tensor.storage = i;
    method.values.emplace_back().data = tensor;
    plan.value_buffer.push_back(i);
    plan.buffers.push_back({i, {{0, 1}}, roles[i], 16, 1, names[i]});
  }
  method.instructions.resize(2);
  method.instructions[1].call = program::DelegateCall{1, {0, 1, 2, 3}};
  method.instructions[1].input_count = method.instructions[1].output_count = 1;
  method.plan = plan;
  return method;
}

std::string delegate_words(const program::Method& method, Status status, const char* field,
                           uint32_t index, uint32_t part, uint64_t need, uint64_t have) {
  const LoadFault fault{status, field, index, part, need, have};
  const Error error = load_fault_words(status, fault, {}, &method);
  return error.place + ": " + error.message;
}

TEST(LoadFaultWords, WhatABackendRefusesIsNamedWithItsBufferNeedAndHave) {
  const program::Method method = with_delegates();
  EXPECT_EQ(
      delegate_words(method, Status::kScratchTooSmall, "delegates.init.scratch", 1, 0, 80, 64),
      "delegate 1 (npu): scratch 0 \"rows\": its backend needs 80 bytes here and the file "
      "gives 64");
  EXPECT_EQ(delegate_words(method, Status::kTooSmall, "delegates.init.persistent", 1, 0, 80, 64),
            "delegate 1 (npu): persistent memory 0 \"weights\": its backend needs 80 bytes here "
            "and the file gives 64");
  EXPECT_EQ(delegate_words(method, Status::kTooSmall, "delegates.init.persistent", 1, 3, 80, 0),
            "delegate 1 (npu): persistent memory 3: its backend needs 80 bytes here and the file "
            "gives 0");
  EXPECT_EQ(delegate_words(method, Status::kTruncated, "delegates.init.processed", 0, 0, 28, 3),
            "delegate 0 (gpu): its backend refuses its blob: truncated; it has 3 bytes and needs "
            "28");
  EXPECT_EQ(delegate_words(method, Status::kBadMagic, "delegates.init.processed", 0, 0, 0, 0),
            "delegate 0 (gpu): its backend refuses its blob: it does not begin as the "
            "backend's do");
  EXPECT_EQ(delegate_words(method, Status::kBackendFailed, "delegates", 0, 0, 0, 0),
            "delegate 0 (gpu): its backend refuses it: backend failed");
}

TEST(LoadFaultWords, AFileWithoutItsRecordHasNoPersistentMemory) {
  program::Method method = with_delegates();
  method.plan.reset();
  EXPECT_EQ(delegate_words(method, Status::kTooSmall, "delegates.init.persistent", 1, 0, 80, 0),
            "delegate 1 (npu): persistent memory 0: its backend needs 80 bytes here and the file "
            "gives 0; without a plan record none is found");
}

TEST(LoadFaultWords, EntriesAndCallsOfDelegatesAreNamedByTheirBackend) {
  const program::Method method = with_delegates();
  EXPECT_EQ(delegate_words(method, Status::kBadIndex, "delegates.processed.index", 1, 0, 2, 7),
            "delegate 1 (npu), delegates.processed.index: index out of range (found 7, limit 2)");
  EXPECT_EQ(delegate_words(method, Status::kBadArguments, "instructions.args", 1, 0, 2, 0),
            "instruction 1, delegate 1 (npu), instructions.args: arguments do not fit the operator "
            "(found 0, limit 2)");
  EXPECT_EQ(delegate_words(method, Status::kBadArguments, "delegates.scratch", 9, 0, 4, 1),
            "instruction 9: calls delegate 1 (npu), which has scratch and is called at instruction "
            "4 already; a handle with scratch serves one call");
  EXPECT_EQ(delegate_words(method, Status::kBadIndex, "instructions.args", 0, 0, 2, 7),
            "instructions.args: index out of range (entry 0: found 7, limit 2)");
}

TEST(LoadFaultWords, TheMemoryOfACallIsListed) {
  const program::Method method = with_delegates();
  EXPECT_EQ(work_of_call(method, 1),
            "scratch 0 \"rows\" of 64 bytes, persistent memory 0 \"weights\" of 64 bytes");
  EXPECT_EQ(work_of_call(method, 0), "");
}

}  // namespace
}  // namespace berth::tools
