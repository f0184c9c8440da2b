#include "tools/npy.h"

#include <gtest/gtest.h>

namespace berth::tools {
namespace {

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

// A version 1 file as NumPy writes it.
Bytes file(const std::string& dict, const Bytes& data) {
  std::string head("\x93NUMPY\x01\x00", 8);
  std::string text = dict;
  while ((head.size() + 2 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  head += static_cast<char>(text.size() & 255);
  head += static_cast<char>(text.size() >> 8);
  Bytes out = as_bytes(head + text);
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

TEST(Npy, WhatIsWrittenIsRead) {
  for (const std::vector<uint64_t>& shape :
       {std::vector<uint64_t>{}, {3}, {1, 3}, {0, 5}, {1, 1, 3, 1}}) {
    NpyArray array;
    array.type = "i2";
    array.shape = shape;
    array.data = shape == std::vector<uint64_t>{} ? bytes({1, 2})
                 : shape[0] == 0                  ? Bytes{}
                                                  : bytes({1, 2, 3, 4, 5, 6});
    const Bytes written = write_npy(array);
    EXPECT_EQ((written.size() - array.data.size()) % 64, 0u);
    const NpyArray read = read_npy(written).take();
    EXPECT_EQ(read.type, "i2");
    EXPECT_EQ(read.shape, shape);
    EXPECT_EQ(read.data, array.data);
  }
}

TEST(Npy, HeaderIsWhatNumpyWrites) {
  NpyArray array;
  array.type = "f4";
  array.shape = {2, 3};
  array.data = Bytes(24);
  const Bytes written = write_npy(array);
  EXPECT_NE(as_text(written).find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"),
            std::string::npos);
  array.type = "i1";
  array.shape = {5};
  array.data = Bytes(5);
  EXPECT_NE(
      as_text(write_npy(array)).find("{'descr': '|i1', 'fortran_order': False, 'shape': (5,), }"),
      std::string::npos);
}

TEST(Npy, BigEndianIsTurnedAround) {
  const auto array = read_npy(
      file("{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", bytes({1, 2, 3, 4})));
  EXPECT_EQ(array.value().data, bytes({2, 1, 4, 3}));
}

TEST(Npy, FortranOrderIsTurnedIntoCOrder) {
  // [[1, 2, 3], [4, 5, 6]] column by column.
  const auto array = read_npy(file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
                                   bytes({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(array.value().data, bytes({1, 2, 3, 4, 5, 6}));
}

TEST(Npy, DamagedFilesAreErrorsWithTheField) {
  const std::string good = "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }";
  const Bytes data = bytes({1, 2});
  ASSERT_TRUE(read_npy(file(good, data)).ok());
  const Bytes whole = file(good, data);
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(
        read_npy(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))).ok())
        << length;
  }
  const auto place = [&](const std::string& dict) {
    return read_npy(file(dict, data)).error().place;
  };
  EXPECT_EQ(place("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"), "descr");
  EXPECT_EQ(place("{'descr': [('a', 'i1')], 'fortran_order': False, 'shape': (2,), }"), "descr");
  EXPECT_EQ(place("{'descr': '|i1', 'fortran_order': 0, 'shape': (2,), }"), "fortran_order");
  EXPECT_EQ(place("{'descr': '|i1', 'fortran_order': False, 'shape': (-2,), }"), "shape");
  EXPECT_EQ(place("{'descr': '|i1', 'fortran_order': False, 'shape': "
                  "(4294967296,4294967296,4294967296), }"),
            "shape");
  EXPECT_EQ(place("{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }"), "data");
  EXPECT_EQ(place("{'descr': '|i1', 'shape': (2,), }"), "header");
  EXPECT_EQ(place("{'descr': '|i1', 'colour': 3, 'shape': (2,), }"), "header");
}

TEST(Npy, DimOrderIsTurnedIntoAxesAndBack) {
  // NCHW sizes (1, 2, 2, 2) over NHWC memory: channel 0 holds 0..3, channel 1 holds 10..13.
  const std::vector<int32_t> sizes = {1, 2, 2, 2};
  const std::vector<uint8_t> channels_last = {0, 2, 3, 1};
  const Bytes memory = bytes({0, 10, 1, 11, 2, 12, 3, 13});
  const Bytes axes = bytes({0, 1, 2, 3, 10, 11, 12, 13});
  EXPECT_EQ(to_c_order(memory, sizes, channels_last, 1), axes);
  EXPECT_EQ(from_c_order(axes, sizes, channels_last, 1), memory);
}

}  // namespace
}  // namespace berth::tools
