#include "compiler/target/byte_size.h"

#include <cstdio>

#include "contract/checked.h"

namespace berth::target {
namespace {

struct Unit {
  std::string_view name;
  uint64_t bytes;
};
constexpr Unit kUnits[] = {
    {"", 1}, {"B", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}};

Error wrong(std::string_view text, const std::string& why) {
  return {"", "size \"" + std::string(text) + "\" " + why};
}

}  // namespace

Result<uint64_t> parse_byte_size(std::string_view text) {
  size_t at = 0;
  uint64_t number = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    if (!checked_mul(number, 10, &number) ||
        !checked_add(number, static_cast<uint64_t>(text[at] - '0'), &number)) {
      return wrong(text, "does not fit in 64 bits");
    }
    ++at;
  }
  const char* right = "; write bytes or KiB, MiB, GiB: 65536 or 64KiB";
  if (at == 0) return wrong(text, std::string("does not begin with a number") + right);
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string_view suffix = text.substr(at);
  for (const Unit& unit : kUnits) {
    if (suffix != unit.name) continue;
    uint64_t bytes = 0;
    if (!checked_mul(number, unit.bytes, &bytes)) return wrong(text, "does not fit in 64 bits");
    return bytes;
  }
  return wrong(text, "ends with an unknown unit \"" + std::string(suffix) + "\"" + right);
}

std::string human_bytes(uint64_t bytes) {
  const Unit* unit = &kUnits[1];
  for (const Unit& larger : kUnits) {
    if (larger.bytes > 1 && bytes >= larger.bytes) unit = &larger;
  }
  char text[48];
  const double value = static_cast<double>(bytes) / static_cast<double>(unit->bytes);
  const bool whole = bytes % unit->bytes == 0;
  std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", value, unit->name.data());
  return text;
}

}  // namespace berth::target
