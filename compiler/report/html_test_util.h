// What tests of pages look at.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace berth::report {

inline size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Every element is closed, in its order; attributes are quoted; no bare & or <. What tests/
// cli_html_test.py asks a real parser, on the pages of real files.
inline std::string find_mistake(const std::string& page) {
  std::vector<std::string> open;
  for (size_t i = page.find('\n') + 1; i < page.size();) {  // behind the doctype
    if (page[i] == '&') {
      const size_t end = page.find(';', i);
      if (end == std::string::npos || end - i > 6) return "a bare & at " + page.substr(i, 30);
      i = end;
    }
    if (page[i] != '<') {
      ++i;
      continue;
    }
    const size_t end = page.find('>', i);
    if (end == std::string::npos) return "a bare < at the end";
    const std::string tag = page.substr(i + 1, end - i - 1);
    if (tag.find('<') != std::string::npos) return "a bare < at " + tag;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "a lone quote in " + tag;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "closes " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    i = end + 1;
  }
  return open.empty() ? "" : "left open: " + open.back();
}

}  // namespace berth::report
