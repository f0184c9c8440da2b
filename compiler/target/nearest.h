// "Did you mean": the nearest of a few known names, for errors about a name that is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::target {

// The name with the fewest single-letter changes (insert, delete, replace), ties to the earlier
// one; empty when none is near enough to be meant: more than half of its letters would change.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known);

// "a, b, c".
std::string name_list(const std::vector<std::string>& names);

}  // namespace berth::target
