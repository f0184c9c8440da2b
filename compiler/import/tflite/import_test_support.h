// What the tests of this folder share: the known-answer models, if this machine has them, and small
// files made on the spot.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace berth::import {

using FileBytes = std::vector<std::byte>;

inline std::filesystem::path models_folder() {
  return std::filesystem::path(BERTH_SHARED_DIR) / "models";
}

inline FileBytes read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// Use in a test: skips it, and says so, where the known answers are missing.
#define BERTH_NEEDS_MODELS()                     \
  if (!std::filesystem::exists(models_folder())) \
  GTEST_SKIP() << "no known answers at " << models_folder()

}  // namespace berth::import
