// Sizes as people write them: in board files and on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "contract/result.h"

namespace berth::target {

// "4096", "64KiB", "2 MiB", "1GiB". Powers of 1024 only: "64KB" is refused, since it means two
// things. The error has no place; the caller knows it.
Result<uint64_t> parse_byte_size(std::string_view text);

// "1536" is "1.5 KiB": for people, beside the exact number and never instead of it. Below 1 KiB:
// "100 B".
std::string human_bytes(uint64_t bytes);

}  // namespace berth::target
