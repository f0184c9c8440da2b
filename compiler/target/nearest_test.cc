#include "compiler/target/nearest.h"

#include <gtest/gtest.h>

namespace berth::target {
namespace {

TEST(Nearest, FindsTheNameWithTheFewestChanges) {
  const std::vector<std::string> known = {"size", "name", "mem_id", "alignment"};
  EXPECT_EQ(nearest_name("sise", known), "size");
  EXPECT_EQ(nearest_name("memid", known), "mem_id");
  EXPECT_EQ(nearest_name("algnment", known), "alignment");
}

TEST(Nearest, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("colour", {"size", "name"}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), {"x"}), "");
  EXPECT_EQ(nearest_name("size", {}), "");
}

TEST(Nearest, TiesGoToTheEarlierName) { EXPECT_EQ(nearest_name("abx", {"aby", "abz"}), "aby"); }

TEST(Nearest, ListsNames) { EXPECT_EQ(name_list({"a", "b", "c"}), "a, b, c"); }

}  // namespace
}  // namespace berth::target
