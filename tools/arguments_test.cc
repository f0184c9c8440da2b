#include "tools/arguments.h"

#include <gtest/gtest.h>

namespace berth::tools {
namespace {

TEST(Arguments, NamedBytesHaveANameAndASize) {
  const NamedBytes main = parse_named_bytes("main=64KiB").take();
  EXPECT_EQ(main.first, "main");
  EXPECT_EQ(main.second, 65536u);
  for (const char* text : {"", "main", "=5", "main=", "main=x", "main=64KB"}) {
    EXPECT_FALSE(parse_named_bytes(text).ok()) << text;
  }
}

TEST(Arguments, FillsAreABytesOrNoise) {
  Bytes bytes(3);
  parse_fill("0xA5").take().apply(bytes.data(), bytes.size());
  EXPECT_EQ(bytes, Bytes(3, std::byte{0xa5}));
  Bytes noise(64), same(64), other(64);
  parse_fill("noise:1").take().apply(noise.data(), noise.size());
  parse_fill("noise:1").take().apply(same.data(), same.size());
  parse_fill("noise:2").take().apply(other.data(), other.size());
  EXPECT_EQ(noise, same);
  EXPECT_NE(noise, other);
  for (const char* text :
       {"", "0x", "0x1", "0x100", "00", "0xGG", "noise", "noise:", "noise:x", "noise:-1"}) {
    EXPECT_FALSE(parse_fill(text).ok()) << text;
  }
}

TEST(Arguments, AnUnknownBoardNameIsTheCommandLinesFaultAndABadFileIsNot) {
  bool is_usage = false;
  EXPECT_EQ(load_board("host", &is_usage).value().name, "host");
  EXPECT_FALSE(load_board("hots", &is_usage).ok());
  EXPECT_TRUE(is_usage);
  const Error error = load_board("/nonexistent/x.toml", &is_usage).error();
  EXPECT_FALSE(is_usage);
  EXPECT_EQ(error.place, "/nonexistent/x.toml");
}

TEST(Arguments, NumbersAreSaidInTheirOwnWords) {
  EXPECT_EQ(parse_count("1", 1).value(), 1u);
  EXPECT_EQ(parse_count("4294967295", 0).value(), UINT32_MAX);
  EXPECT_EQ(parse_count("0", 0).value(), 0u);
  for (const char* wrong : {"", "0", "-1", "010", "1.5", "abc", "4294967296", "99999999999"}) {
    EXPECT_EQ(parse_count(wrong, 1).error().message,
              "\"" + std::string(wrong) + "\" is no whole number from 1 to 4294967295");
  }
  EXPECT_EQ(parse_tolerance("1e-5").value(), 1e-5);
  EXPECT_EQ(parse_tolerance("0").value(), 0);
  for (const char* wrong : {"", "nan", "inf", "-1", "1e999", "0x1", "1e", "abc", "1 "}) {
    EXPECT_EQ(parse_tolerance(wrong).error().message,
              "\"" + std::string(wrong) + "\" is no number from 0 on; write 0.01 or 1e-5");
  }
}

}  // namespace
}  // namespace berth::tools
