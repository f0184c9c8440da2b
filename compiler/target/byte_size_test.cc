#include "compiler/target/byte_size.h"

#include <gtest/gtest.h>

namespace berth::target {
namespace {

TEST(ByteSize, ReadsPlainBytesAndBinaryUnits) {
  EXPECT_EQ(parse_byte_size("0").value(), 0u);
  EXPECT_EQ(parse_byte_size("4096").value(), 4096u);
  EXPECT_EQ(parse_byte_size("100 B").value(), 100u);
  EXPECT_EQ(parse_byte_size("64KiB").value(), 65536u);
  EXPECT_EQ(parse_byte_size("2 MiB").value(), 2097152u);
  EXPECT_EQ(parse_byte_size("3GiB").value(), 3221225472u);
  EXPECT_EQ(parse_byte_size("18446744073709551615").value(), UINT64_MAX);
}

TEST(ByteSize, RefusesWhatMeansTwoThingsOrNothing) {
  for (const char* text : {"", "KiB", "-1", "+1", "1.5MiB", "64KB", "64k", "64 kib", "64KiB ",
                           " 64", "0x40", "18446744073709551616", "18446744073709551615KiB"}) {
    EXPECT_FALSE(parse_byte_size(text).ok()) << text;
  }
}

TEST(ByteSize, SaysWhatWouldBeRight) {
  EXPECT_EQ(parse_byte_size("64KB").error().message,
            "size \"64KB\" ends with an unknown unit \"KB\"; write bytes or KiB, MiB, GiB: 65536 "
            "or 64KiB");
}

TEST(ByteSize, HumanFormIsShort) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(2451840), "2.3 MiB");
}

}  // namespace
}  // namespace berth::target
