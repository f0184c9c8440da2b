// The calls for C: what they answer, and what a refusal says. The calls themselves stand in a C
// file.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/c_api/c_api_test_util.h"
#include "runtime/exec/method_test_util.h"

namespace berth::runtime::method_tests {
namespace {

class CApi : public ::testing::Test {
 protected:
  berth_status add(size_t own_size, const std::vector<berth_pool>& pools) {
    const berth_kernels kernels{make::kernels().data(), make::kernels().size()};
    const c_memory memory{own_.data(), own_size, pools.data(), pools.size()};
    const float in[] = {1, 2, 3, 4};
    return add_in_c(file_.data(), file_.size(), &kernels, &memory, in, out_, &fault_);
  }
  berth_pool pool(size_t size) { return {1, pool_.data(), size}; }

  AlignedBytes file_{build_file(add_file())}, own_{4096}, pool_{48};
  float out_[4] = {};
  berth_load_fault fault_{};
};

TEST_F(CApi, RunsAProgram) {
  EXPECT_EQ(add(own_.size(), {pool(48)}), BERTH_OK);
  EXPECT_EQ(out_[3], 8.0f);
  EXPECT_EQ(fault_.status, BERTH_OK);
}

TEST_F(CApi, ARefusalSaysWhereAndHowMuch) {
  EXPECT_EQ(add(own_.size(), {pool(47)}), BERTH_TOO_SMALL);
  EXPECT_EQ(fault_.status, BERTH_TOO_SMALL);
  EXPECT_EQ(fault_.need, 48u);
  EXPECT_EQ(fault_.have, 47u);
  EXPECT_NE(std::string(fault_.field), "");
  EXPECT_EQ(std::string(berth_status_words(fault_.status)), "memory too small");
  EXPECT_EQ(add(8, {pool(48)}), BERTH_TOO_SMALL);
  EXPECT_EQ(fault_.have, 8u);
  file_.data()[5] ^= 0xFF;
  EXPECT_EQ(add(own_.size(), {pool(48)}), BERTH_BAD_MAGIC);
  EXPECT_EQ(fault_.status, BERTH_BAD_MAGIC);
}

TEST_F(CApi, MorePoolsThanItTakesAreRefused) {
  EXPECT_EQ(add(own_.size(), std::vector<berth_pool>(17, pool(48))), BERTH_UNSUPPORTED);
  EXPECT_EQ(fault_.need, 17u);
  EXPECT_EQ(fault_.have, 16u);
}

}  // namespace
}  // namespace berth::runtime::method_tests
