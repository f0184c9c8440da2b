// What start-up code and a program owe each other.
#pragma once

namespace berth::firmware {

// The program of an image, defined by each; startup.cc calls it once. By then .data
// and .bss are as the language wants them, static constructors have run, floating point and vectors
// are on, and faults are reported. SysTick is still: start_counting() is the program's. It runs on
// the only stack. Returning ends the image with Outcome::kRight, and no destructor runs; stop()
// ends it with another.
void run_image();

}  // namespace berth::firmware
