#include "compiler/report/printable.h"

#include <cstdint>

namespace berth::report {
namespace {

// Not seen, and able to show the text beside it in another order or on another line: marks of
// direction, embeddings, isolates, joiners, separators of lines, the byte order mark.
bool is_invisible(uint32_t code) {
  return code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

// Bytes of the well-formed UTF-8 sequence at `at`, or 0. C1 controls (U+0080 to U+009F), which
// some terminals obey, and invisible characters count as ill-formed.
size_t utf8_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(at);
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || at + length > text.size()) return 0;
  uint32_t code = lead & (0xff >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3f);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code < 0xa0 || code > 0x10ffff) return 0;
  return is_invisible(code) ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text, size_t longest) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (out.size() >= longest) {
      out += "...";
      break;
    }
    const auto c = static_cast<uint8_t>(text[i]);
    if (c >= 0x20 && c < 0x7f) {
      out += text[i++];
      continue;
    }
    const size_t length = c < 0x80 ? 0 : utf8_length(text, i);
    if (length > 0) {
      out.append(text.substr(i, length));
      i += length;
    } else {
      out += "\\x";
      out += kHex[c >> 4];
      out += kHex[c & 15];
      ++i;
    }
  }
  return out;
}

std::string macro_part(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    const bool kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += kept ? c : '_';
  }
  return out;
}

}  // namespace berth::report
