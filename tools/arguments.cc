#include "tools/arguments.h"

#include <cmath>
#include <cstdlib>

#include "compiler/target/byte_size.h"

namespace berth::tools {

Result<NamedBytes> parse_named_bytes(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return Error{"", "\"" + text + "\" is not NAME=BYTES; write main=65536 or main=64KiB"};
  }
  Result<uint64_t> bytes = target::parse_byte_size(std::string_view(text).substr(equals + 1));
  if (!bytes.ok()) return Error{"", bytes.error().message};
  return NamedBytes{text.substr(0, equals), bytes.value()};
}

void Fill::apply(std::byte* begin, size_t count) const {
  uint64_t state = seed;
  for (size_t i = 0; i < count; ++i) {
    if (!noise) {
      begin[i] = std::byte{byte};
      continue;
    }
    // SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine.
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    begin[i] = static_cast<std::byte>(z >> 56);
  }
}

Result<Fill> parse_fill(const std::string& text) {
  const Error wrong{
      "", "fill \"" + text + "\" is unknown; write 0x00, 0xFF (any byte in hex) or noise:SEED"};
  Fill fill;
  if (text.rfind("noise:", 0) == 0) {
    const std::string seed = text.substr(6);
    if (seed.empty() || seed.find_first_not_of("0123456789") != std::string::npos) return wrong;
    if (seed.size() > 19) return wrong;
    fill.noise = true;
    fill.seed = std::strtoull(seed.c_str(), nullptr, 10);
    return fill;
  }
  if (text.size() != 4 || text.rfind("0x", 0) != 0) return wrong;
  if (text.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string::npos) return wrong;
  fill.byte = static_cast<uint8_t>(std::strtoul(text.c_str(), nullptr, 16));
  return fill;
}

Result<uint32_t> parse_count(const std::string& text, uint32_t least) {
  const bool is_number = !text.empty() && text.size() <= 10 &&
                         text.find_first_not_of("0123456789") == std::string::npos &&
                         (text[0] != '0' || text.size() == 1);
  const uint64_t number = is_number ? std::strtoull(text.c_str(), nullptr, 10) : UINT64_MAX;
  if (number >= least && number <= UINT32_MAX) return static_cast<uint32_t>(number);
  return Error{"", "\"" + text + "\" is no whole number from " + std::to_string(least) + " to " +
                       std::to_string(UINT32_MAX)};
}

Result<double> parse_tolerance(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_number = text.find_first_not_of("0123456789.eE+-") == std::string::npos &&
                         end != text.c_str() && *end == '\0';
  if (is_number && std::isfinite(number) && number >= 0) return number;
  return Error{"", "\"" + text + "\" is no number from 0 on; write 0.01 or 1e-5"};
}

std::string check_report_name(const std::string& path) {
  if (ends_with(path, ".txt") || ends_with(path, ".json") || ends_with(path, ".html")) return "";
  return "the suffix of \"" + path + "\" says no format; use .txt, .json or .html";
}

plan::Planner parse_planner(const std::string& name) {
  if (name == "greedy") return plan::Planner::kGreedy;
  return name == "naive" ? plan::Planner::kNaive : plan::Planner::kBest;
}

Result<target::Board> load_board(const std::string& name_or_file, bool* is_usage) {
  *is_usage = false;
  if (ends_with(name_or_file, ".toml") || name_or_file.find('/') != std::string::npos) {
    Result<Bytes> text = read_file(name_or_file);
    if (!text.ok()) return Error{name_or_file, text.error().message};
    Result<target::Board> board = target::parse_board(as_text(text.value()));
    if (!board.ok()) return Error{name_or_file + ": " + board.error().place, board.error().message};
    return board;
  }
  *is_usage = true;
  return target::find_board(name_or_file);
}

}  // namespace berth::tools
