// What the tests of program/ share: files as bytes, and a writer that must not fail.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "program/program.h"
#include "program/sample_program.h"
#include "program/write.h"

namespace berth::program {

// Empty when there is no such file.
inline Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(data, data + text.size());
}

inline Bytes must_write(const Program& program, const WriteOptions& options = {}) {
  auto file = write(program, options);
  EXPECT_TRUE(file.ok()) << file.error().place << ": " << file.error().message;
  return file.ok() ? file.take() : Bytes();
}

inline Bytes sample_file() { return must_write(sample_program()); }

}  // namespace berth::program
