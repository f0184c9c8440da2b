// How much stack was used: the free part is painted, and what has lost its paint was used.
#pragma once

#include <cstdint>

namespace berth::firmware {

void paint_stack();

// Bytes below the caller's frame that were written since then.
uint32_t measure_stack();

// All of it.
uint32_t stack_bytes();

}  // namespace berth::firmware
