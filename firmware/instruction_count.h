// Machine instructions, counted by SysTick: with QEMU's -icount shift=0 an instruction takes a
// nanosecond of the board's time. The same clock ends an image that hangs.
#pragma once

#include <cstdint>

namespace berth::firmware {

// Starts to count; the image ends with Outcome::kHang after about `limit` instructions.
void start_counting(uint64_t limit);

// Instructions since then, to one tick of SysTick: 40 instructions at 25 MHz.
uint64_t count_instructions();

}  // namespace berth::firmware
