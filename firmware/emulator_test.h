// Before an emulator judges kernels: does it know the instructions they are made of? Known answers
// for shifts, saturation and multiply-accumulate of the instruction set that this image is built
// for.
#pragma once

namespace berth::firmware {

// Null, or the instruction that gives a wrong answer.
const char* find_emulator_fault();

}  // namespace berth::firmware
