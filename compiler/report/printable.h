// Names from files are a stranger's bytes: before a terminal or a one-line message sees them,
// anything that is not plain text becomes \xNN, and a very long name is cut.
#pragma once

#include <string>
#include <string_view>

namespace berth::report {

// One line; UTF-8 passes where it is well-formed.
std::string printable(std::string_view text, size_t longest = 200);

// The text as part of a C macro: "sram-2" becomes "SRAM_2".
std::string macro_part(std::string_view text);

}  // namespace berth::report
