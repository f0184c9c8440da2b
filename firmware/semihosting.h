// What an image tells the emulator (or a debugger): text, and how it ended. Arm's semihosting: a
// breakpoint that whoever watches answers.
#pragma once

#include <cstdint>

namespace berth::firmware {

// The exit codes of `./dev firmware`, docs/firmware.md.
enum class Outcome : uint8_t {
  kRight = 0,
  kWrongResult = 1,  // the first element that differs is printed
  kLoadStatus = 2,   // the file was refused: status and field are printed
  kHardFault = 3,    // where is printed
  kHang = 4,         // more instructions than allowed
  kRunStatus = 5,    // set_input or execute answered something else than kOk
  kBadEmulator = 6,  // the emulator gets a known answer wrong
  kBadMemory = 7,    // memory that should have been refused was taken, or bytes were written that
                     // are nobody's to write
};

[[noreturn]] void stop(Outcome outcome);

void print(const char* text);
void print(uint64_t number);
void print_hex(uint32_t number);

// print_all("pool ", name, ": ", bytes, "\n")
template <typename... Parts>
void print_all(const Parts&... parts) {
  (print(parts), ...);
}

}  // namespace berth::firmware
