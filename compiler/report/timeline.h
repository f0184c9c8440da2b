// Bytes live per instruction, drawn with letters: instructions go across, bytes up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::report {

// At most 64 columns: where there are more instructions, a column shows the fullest of its share.
// `top` is the height of the scale; every line begins with `indent`. Empty when there is nothing to
// draw.
std::string timeline(const std::vector<uint64_t>& live_bytes, uint64_t top,
                     const std::string& indent);

}  // namespace berth::report
