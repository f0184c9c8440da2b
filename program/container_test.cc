// The shell of a file: every header that occurs, and those that must not.
#include "program/container.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "program/program_test_util.h"
#include "program/read.h"
#include "program/wire_edit.h"

namespace berth::program {
namespace {

namespace pte = format::pte;

template <typename T>
void put(Bytes& file, size_t at, T value) {
  std::memcpy(file.data() + at, &value, sizeof(T));
}

void expect_refused(const Bytes& file, std::string_view place, std::string_view words) {
  const auto result = open_container(file);
  ASSERT_FALSE(result.ok()) << place;
  EXPECT_EQ(place, result.error().place);
  EXPECT_NE(std::string::npos, result.error().message.find(words)) << result.error().message;
}

TEST(Container, EveryKnownHeaderGivesTheSameProgram) {
  const Program expected = read(must_write(sample_program())).take();
  const WireFile wire = take_apart(must_write(sample_program()));
  for (uint32_t header_bytes : {24u, 32u, 40u, 200u}) {
    SCOPED_TRACE(header_bytes);
    auto program = read(put_together(wire, header_bytes));
    ASSERT_TRUE(program.ok()) << program.error().place << ": " << program.error().message;
    EXPECT_EQ(expected, program.value());
  }
}

TEST(Container, FileWithoutHeaderIsAllProgram) {
  const auto container = open_container(must_write(add_program()));
  ASSERT_TRUE(container.ok());
  EXPECT_EQ(1u, container.value().segments.size());
  EXPECT_TRUE(container.value().segments[0].empty());
}

TEST(Container, SegmentsWithBytesNeedAHeader) {
  const WireFile wire = take_apart(must_write(sample_program()));
  expect_refused(pack(*wire.program), "segments[0].size", "no header");
}

TEST(Container, MoreBytesThanTheHeaderSaysAreAccepted) {
  Bytes file = must_write(sample_program());
  file.resize(file.size() + 100);
  EXPECT_TRUE(read(file).ok());
}

TEST(Container, ProgramAtAnOddAddressIsReadAllTheSame) {
  const Bytes file = must_write(sample_program());
  Bytes moved(file.size() + 1);
  std::memcpy(moved.data() + 1, file.data(), file.size());
  auto program = read(std::span(moved).subspan(1));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(read(file).take(), program.value());
}

TEST(Container, WrongIdentifiersAreNamed) {
  Bytes file = must_write(sample_program());
  std::memcpy(file.data() + 4, "ET99", 4);
  expect_refused(file, "file identifier", "another format version");
  std::memcpy(file.data() + 4, "TFL3", 4);
  expect_refused(file, "file identifier", "this is a .tflite");
  std::memcpy(file.data() + 4, "RIFF", 4);
  expect_refused(file, "file identifier", "no .pte");
  std::memcpy(file.data() + 4, "\x01\x02\xff\0", 4);
  expect_refused(file, "file identifier", "????");
  expect_refused(Bytes(63), "file size", "63 bytes");
  expect_refused(Bytes(), "file size", "0 bytes");
}

TEST(Container, HeadersThatLieAreNamed) {
  const Bytes good = must_write(sample_program());
  Bytes file = good;
  put(file, 12, uint32_t{23});
  expect_refused(file, "extended_header.length", "23");
  put(file, 12, UINT32_MAX);
  expect_refused(file, "extended_header.length", "4294967295");
  file = good;
  put(file, 16, uint64_t{20});
  expect_refused(file, "extended_header.program_size", "20");
  put(file, 16, uint64_t{good.size() + 1});
  expect_refused(file, "extended_header.program_size", std::to_string(good.size() + 1));
  put(file, 16, UINT64_MAX);
  expect_refused(file, "extended_header.program_size", "18446744073709551615");
  file = good;
  put(file, 24, UINT64_MAX - 5);
  expect_refused(file, "extended_header.segment_base_offset", "18446744073709551610");
  file = good;
  put(file, 24, uint64_t{0});
  expect_refused(file, "segments[0].size", "no header that says where segments begin");
  file = good;
  put(file, 32, UINT64_MAX);
  expect_refused(file, "extended_header.segment_data_size", "cut short");
}

TEST(Container, RootOffsetOutsideIsRefused) {
  Bytes file = must_write(sample_program());
  for (uint32_t root : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
    put(file, 0, root);
    expect_refused(file, "program", "FlatBuffer");
  }
}

}  // namespace
}  // namespace berth::program
