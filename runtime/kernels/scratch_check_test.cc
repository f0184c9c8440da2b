// The scratch that a kernel is given against its rule. Built twice: with BERTH_RUNTIME_CHECKS, as
// tests and images of ./dev firmware are, and without, as firmware is that does not ask for it.
#include <gtest/gtest.h>

#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

#ifdef BERTH_RUNTIME_CHECKS
constexpr Status kIfOther = Status::kBadArguments;
#else
constexpr Status kIfOther = Status::kOk;
#endif

Status check(uint64_t build_need, uint64_t need, Isa isa = Isa::kMve) {
  TestTensor scratch(ScalarType::kByte, {100});
  KernelContext context;
  context.isa = isa;
  return check_scratch(context, scratch.tensor(), [&](Isa asked) {
    return asked == kBuildIsa ? build_need : asked == isa ? need : kNoScratchSize;
  });
}

TEST(ScratchCheck, LessThanThisMachineNeedsIsRefused) {
  EXPECT_EQ(check(0, 100), Status::kOk);
  EXPECT_EQ(check(100, 100), Status::kOk);
  EXPECT_EQ(check(101, 100), Status::kScratchTooSmall);
  EXPECT_EQ(check(kNoScratchSize, 100), Status::kBadShape);
}

TEST(ScratchCheck, OtherThanTheRuleGivesIsRefusedWhereItIsChecked) {
  EXPECT_EQ(check(0, 99), kIfOther);
  EXPECT_EQ(check(0, 101), kIfOther);
  EXPECT_EQ(check(0, kNoScratchSize), kIfOther);
}

TEST(ScratchCheck, FilesThatDoNotSayTheirInstructionSetMayHaveMore) {
  EXPECT_EQ(check(0, 99, Isa::kUnstated), Status::kOk);
  EXPECT_EQ(check(101, 99, Isa::kUnstated), Status::kScratchTooSmall);
}

#ifdef BERTH_RUNTIME_CHECKS  // the kernels linked are built so
TEST(ScratchCheck, KernelsAskTheirRuleForTheInstructionSetOfTheFile) {
  TestTensor in(ScalarType::kChar, {1, 3, 4, 4}, {0, 2, 3, 1});
  TestTensor out(ScalarType::kChar, {1, 3, 2, 2}, {0, 2, 3, 1});
  const auto run = [&](int32_t bytes, Isa isa) {
    TestTensor scratch(ScalarType::kByte, {bytes});
    Call call;
    call << in << std::vector<int64_t>{2, 2} << std::vector<int64_t>{2, 2}
         << std::vector<int64_t>{0, 0} << false << 0 << 0 << 0 << scratch << out;
    return call.run(kQuantizedAvgPool2dKernel, isa);
  };
  EXPECT_EQ(run(12, Isa::kDsp), Status::kOk);
  EXPECT_EQ(run(11, Isa::kDsp), Status::kBadArguments);
  EXPECT_EQ(run(13, Isa::kDsp), Status::kBadArguments);
  EXPECT_EQ(run(0, Isa::kMve), Status::kOk);
  EXPECT_EQ(run(12, Isa::kMve), Status::kBadArguments);
  EXPECT_EQ(run(13, Isa::kUnstated), Status::kOk);
}
#endif

}  // namespace
}  // namespace berth::runtime
