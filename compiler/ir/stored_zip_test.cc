#include "compiler/ir/stored_zip.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace berth::ir {
namespace {

using Bytes = std::vector<std::byte>;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

const std::string kHello = "hello, zip", kEmpty;

Bytes two_entries() {
  return write_zip({{"a/hello", bytes_of(kHello)}, {"empty", bytes_of(kEmpty)}}).take();
}

std::string error_of(const Bytes& file) {
  const Result<std::vector<ZipEntry>> entries = read_zip(file);
  return entries.ok() ? "" : entries.error().place + ": " + entries.error().message;
}

void set(Bytes* file, size_t at, uint8_t value) { (*file)[at] = std::byte{value}; }

TEST(StoredZip, EntriesComeBackInTheirOrder) {
  const Bytes file = two_entries();
  const Result<std::vector<ZipEntry>> entries = read_zip(file);
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(2u, entries.value().size());
  EXPECT_EQ("a/hello", entries.value()[0].name);
  ASSERT_EQ(kHello.size(), entries.value()[0].bytes.size());
  EXPECT_EQ(0, std::memcmp(kHello.data(), entries.value()[0].bytes.data(), kHello.size()));
  EXPECT_EQ("empty", entries.value()[1].name);
  EXPECT_TRUE(entries.value()[1].bytes.empty());
  EXPECT_EQ(file, two_entries());
  const Bytes none = write_zip({}).take();
  EXPECT_TRUE(read_zip(none).value().empty());
}

// What other tools write and read: made with Python's zipfile, one entry "a" of "hi", stored.
TEST(StoredZip, WhatOtherToolsWriteIsReadAndOursIsTheSame) {
  const uint8_t theirs[] = {80,  75,  3, 4,  20, 0,   0, 0,  0, 0, 0, 0,  33, 0,  172, 42,  147,
                            216, 2,   0, 0,  0,  2,   0, 0,  0, 1, 0, 0,  0,  97, 104, 105, 80,
                            75,  1,   2, 20, 3,  20,  0, 0,  0, 0, 0, 0,  0,  33, 0,   172, 42,
                            147, 216, 2, 0,  0,  0,   2, 0,  0, 0, 1, 0,  0,  0,  0,   0,   0,
                            0,   0,   0, 0,  0,  128, 1, 0,  0, 0, 0, 97, 80, 75, 5,   6,   0,
                            0,   0,   0, 1,  0,  1,   0, 47, 0, 0, 0, 33, 0,  0,  0,   0,   0};
  Bytes file(sizeof theirs);
  std::memcpy(file.data(), theirs, sizeof theirs);
  const Result<std::vector<ZipEntry>> entries = read_zip(file);
  ASSERT_TRUE(entries.ok()) << error_of(file);
  ASSERT_EQ(1u, entries.value().size());
  EXPECT_EQ("a", entries.value()[0].name);
  const std::string hi = "hi";
  const Bytes ours = write_zip({{"a", bytes_of(hi)}}).take();
  ASSERT_EQ(file.size(), ours.size());
  // But for who made it, names in UTF-8 and the rights of a file.
  size_t different = 0;
  for (size_t i = 0; i < file.size(); ++i) different += file[i] != ours[i] ? 1 : 0;
  EXPECT_LE(different, 5u);
}

TEST(StoredZip, CutsAndLiesAreErrorsWithTheEntry) {
  const Bytes file = two_entries();
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE("", error_of(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size))));
  const size_t directory = file.size() - 22 - 2 * 46 - 12;
  Bytes lie = file;
  set(&lie, directory + 10, 8);
  EXPECT_NE(std::string::npos, error_of(lie).find("entry 0: is compressed"));
  lie = file;
  set(&lie, directory + 8, 1);
  EXPECT_NE(std::string::npos, error_of(lie).find("encrypted"));
  lie = file;
  set(&lie, directory + 16, 0);
  EXPECT_NE(std::string::npos, error_of(lie).find("checksum"));
  lie = file;
  set(&lie, directory + 20, 200);
  set(&lie, directory + 24, 200);
  EXPECT_NE(std::string::npos, error_of(lie).find("200 bytes, more than the file has"));
  lie = file;
  set(&lie, directory + 42, 1);
  EXPECT_NE(std::string::npos, error_of(lie).find("begins at 1, where no entry does"));
  lie = file;
  set(&lie, file.size() - 12, 3);
  set(&lie, file.size() - 14, 3);
  EXPECT_NE(std::string::npos, error_of(lie).find("entry 2: is not in the directory"));
}

TEST(StoredZip, TwoEntriesOfOneNameAreRefused) {
  const Bytes file = write_zip({{"x", bytes_of(kHello)}, {"x", bytes_of(kEmpty)}}).take();
  EXPECT_EQ("entry 1: is the second of its name", error_of(file));
}

// Many names for the same bytes: a small file does not become a large one.
TEST(StoredZip, EntriesTogetherAreNoLargerThanTheFile) {
  const std::string large(1000, 'x');
  Bytes file =
      write_zip({{"a", bytes_of(large)}, {"b", bytes_of(kEmpty)}, {"c", bytes_of(kEmpty)}}).take();
  const size_t directory = file.size() - 22 - 3 * 47;
  for (const size_t line : {directory + 47, directory + 94}) {
    for (size_t i = 16; i < 28; ++i) file[line + i] = file[directory + i];
    for (size_t i = 42; i < 46; ++i) file[line + i] = file[directory + i];
  }
  EXPECT_NE(std::string::npos, error_of(file).find("entry 1: has 1000 bytes, more than the file"));
}

TEST(StoredZip, AnyChangedByteIsAnErrorOrHarmless) {
  const Bytes file = two_entries();
  for (size_t i = 0; i < file.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      Bytes changed = file;
      changed[i] ^= static_cast<std::byte>(flip);
      const Result<std::vector<ZipEntry>> entries = read_zip(changed);
      if (!entries.ok()) continue;
      EXPECT_EQ(kHello.size(), entries.value()[0].bytes.size());
    }
  }
}

}  // namespace
}  // namespace berth::ir
