// When the line is written, and what stays of it.
#include "tools/progress_line.h"

#include <gtest/gtest.h>

namespace berth::tools {
namespace {

class ProgressLineTest : public testing::Test {
 protected:
  ~ProgressLineTest() override { std::fclose(file_); }

  std::string written() {
    std::string text(static_cast<size_t>(std::ftell(file_)), '\0');
    std::rewind(file_);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file_), text.size());
    return text;
  }

  std::FILE* file_ = std::tmpfile();
  double now_ = 100;
};

TEST_F(ProgressLineTest, ComesAfterASecondThenTenTimesASecond) {
  ProgressLine line(file_, [this] { return now_; });
  const auto tell = line.callback();
  for (now_ = 100; now_ < 100.95; now_ += 0.1) tell({1, 10, 8});
  EXPECT_EQ(written(), "");
  for (int k = 0; k < 300; ++k, now_ = 101.005 + k / 1000.0) tell({5, 10, 8});
  const std::string shown = "\rplanning: 5 nodes, 10 bytes, bound 8 (25.00 % above)\x1b[K";
  EXPECT_EQ(written(), shown + shown + shown);
}

TEST_F(ProgressLineTest, LeavesNothingBehind) {
  {
    ProgressLine line(file_, [this] { return now_; });
    now_ = 102;
    line.callback()({UINT64_MAX, 8, 8});
    line.clear();
    line.clear();
    EXPECT_EQ(written(), "\rplanning: 18446744073709551615 nodes, 8 bytes, bound 8\x1b[K\r\x1b[K");
    now_ = 103;
    line.callback()({UINT64_MAX, UINT64_MAX, 1});
  }
  const std::string text = written();
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
  EXPECT_LE(text.size(), 200u);  // no line longer than a terminal's
}

TEST_F(ProgressLineTest, WithoutATerminalNothingIsEvenAskedFor) {
  ProgressLine line(nullptr, [this] { return now_; });
  EXPECT_FALSE(line.callback());
  Console quiet;
  quiet.quiet = true;
  EXPECT_FALSE(ProgressLine(quiet).callback());
}

}  // namespace
}  // namespace berth::tools
