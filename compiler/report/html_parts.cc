#include "compiler/report/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/report/printable.h"

namespace berth::report {

std::string html_text(std::string_view text, size_t longest) {
  std::string out;
  for (const char c : printable(text, longest)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string short_operator(std::string_view name) {
  if (const size_t at = name.rfind("::"); at != std::string_view::npos) name.remove_prefix(at + 2);
  if (const size_t at = name.find('.'); at != std::string_view::npos && at > 0)
    name = name.substr(0, at);
  constexpr std::string_view kCommon = "quantized_";  // where one is, all are
  if (name.size() > kCommon.size() && name.substr(0, kCommon.size()) == kCommon)
    name.remove_prefix(kCommon.size());
  return std::string(name);
}

std::string html_buffer_name(const BufferRow& buffer, size_t longest) {
  if (!buffer.name.empty()) return html_text(buffer.name, longest);
  return buffer.values.empty() ? "?" : "%" + std::to_string(buffer.values.front());
}

std::string html_live(const BufferRow& buffer) {
  constexpr size_t kMost = 3;
  std::string text;
  for (size_t i = 0; i < std::min(buffer.live.size(), kMost); ++i)
    text += fmt::format("{}[{},{})", i == 0 ? "" : " ", buffer.live[i].begin, buffer.live[i].end);
  if (buffer.live.size() > kMost) text += fmt::format(" and {} more", buffer.live.size() - kMost);
  return text;
}

std::string html_page_begin(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
      "style-src &#39;unsafe-inline&#39;; script-src &#39;unsafe-inline&#39;\"/>\n"
      "<title>{}: memory</title>\n<style>{}</style></head><body><main>\n<h1>{}</h1>\n",
      title, kHtmlStyle, title);
}

std::string html_page_end() {
  return fmt::format("</main><script>{}</script></body></html>\n", kHtmlScript);
}

std::string html_row(const std::vector<Cell>& cells, const char* tag,
                     const std::string& attributes) {
  std::string out = "<tr" + attributes + ">";
  for (const Cell& cell : cells) {
    out += std::string("<") + tag;
    if (*cell.kind != '\0') out += std::string(" class=\"") + cell.kind + "\"";
    out += ">" + cell.content + "</" + tag + ">";
  }
  return out + "</tr>\n";
}

std::string html_table_begin(const std::string& title, const std::vector<Cell>& head) {
  return "<div class=\"card\"><h3>" + title + "</h3><table>\n" + html_row(head, "th");
}

std::string html_colour_key(int colour) { return fmt::format("<i class=\"key r{}\"></i>", colour); }

}  // namespace berth::report
