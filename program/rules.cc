#include "program/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::program {

MaybeError check_index(const FieldPath& path, std::string_view field, int64_t index, size_t count,
                       const char* of) {
  if (index >= 0 && static_cast<uint64_t>(index) < count) return {};
  if (count == 0) return path.error(field, fmt::format("{}, but there are no {}", index, of));
  return path.error(field, fmt::format("{}; must be 0..{} ({})", index, count - 1, of));
}

MaybeError check_value_indices(const FieldPath& path, const char* field,
                               const std::vector<int32_t>& indices, size_t values) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= 0 && static_cast<size_t>(indices[i]) < values) continue;
    return check_index(path, fmt::format("{}[{}]", field, i), indices[i], values, "values");
  }
  return {};
}

MaybeError check_distinct(const FieldPath& path, std::vector<std::string_view> names,
                          std::string_view field, const char* what) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return {};
  return path.error(field, fmt::format("the {} {} occurs twice", what, *twice));
}

}  // namespace berth::program
