#include "compiler/target/nearest.h"

#include <algorithm>

namespace berth::target {
namespace {

// Wagner and Fischer's edit distance, one row at a time.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 64;  // no name is longer, and a stranger's key may be
  if (wrong.size() > kLongest) return "";
  std::string best;
  size_t best_distance = 0;
  for (const std::string& name : known) {
    const size_t changes = distance(wrong, name);
    if (changes * 2 > std::max(wrong.size(), name.size())) continue;
    if (best.empty() || changes < best_distance) {
      best = name;
      best_distance = changes;
    }
  }
  return best;
}

std::string name_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace berth::target
