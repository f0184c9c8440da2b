#include "compiler/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::report {

std::string timeline(const std::vector<uint64_t>& live_bytes, uint64_t top,
                     const std::string& indent) {
  constexpr size_t kColumns = 64;
  constexpr uint64_t kRows = 8;
  const size_t count = live_bytes.size();
  top = std::max(top, count == 0 ? 0 : *std::max_element(live_bytes.begin(), live_bytes.end()));
  if (top == 0 || count < 2) return "";

  const size_t columns = std::min(count, kColumns);
  std::vector<uint64_t> height(columns, 0);
  for (size_t k = 0; k < count; ++k) {
    uint64_t& column = height[k * columns / count];
    column = std::max(column, live_bytes[k]);
  }
  std::string out;
  for (uint64_t row = kRows; row-- > 0;) {
    // A mark where more than `floor` bytes are live; doubles keep row x top from wrapping.
    const double floor = static_cast<double>(top) * static_cast<double>(row) / kRows;
    std::string line;
    for (uint64_t h : height) line += static_cast<double>(h) > floor ? '#' : ' ';
    line.erase(line.find_last_not_of(' ') + 1);
    const std::string scale = row == kRows - 1 ? std::to_string(top) : "";
    out += fmt::format("{}{:>12} |{}\n", indent, scale, line);
  }
  const std::string last = std::to_string(count - 1);
  std::string axis = "0";
  if (columns > last.size() + 1) axis += std::string(columns - 1 - last.size(), ' ') + last;
  out += fmt::format("{}{:>12} +{}\n", indent, 0, std::string(columns, '-'));
  out += fmt::format("{}{:>12}  {}\n", indent, "instruction", axis);
  return out;
}

}  // namespace berth::report
