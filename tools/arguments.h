// The parts of a command line that several commands share: NAME=BYTES, sizes, fills, boards.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/target/board.h"
#include "contract/result.h"
#include "plan/plan.h"
#include "tools/files.h"

namespace berth::tools {

using NamedBytes = std::pair<std::string, uint64_t>;

// "main=64KiB". Errors have no place.
Result<NamedBytes> parse_named_bytes(const std::string& text);

// How pools look before the first run: one byte everywhere, or noise from a seed.
struct Fill {
  bool noise = false;
  uint8_t byte = 0;
  uint64_t seed = 0;
  void apply(std::byte* begin, size_t count) const;
};
// "0x00", "0xFF", "noise:7"
Result<Fill> parse_fill(const std::string& text);

// A whole number from `least` on, in decimal digits.
Result<uint32_t> parse_count(const std::string& text, uint32_t least);
// A finite number from 0 on: 0.01, 1e-5.
Result<double> parse_tolerance(const std::string& text);

// For CLI11: what is wrong with the name of a report, whose suffix says its format; or nothing.
std::string check_report_name(const std::string& path);

// "best", "greedy" or "naive". REQUIRES: one of them.
plan::Planner parse_planner(const std::string& name);

// A compiled-in name, or the path of a file: what has a '/' or ends with .toml. `is_usage` (never
// null) says whether the error is one of the command line (an unknown name) or of the file.
Result<target::Board> load_board(const std::string& name_or_file, bool* is_usage);

// For CLI11: the words of the error, or nothing.
template <typename T>
std::string complaint(const Result<T>& result) {
  return result.ok() ? std::string() : result.error().message;
}

}  // namespace berth::tools
