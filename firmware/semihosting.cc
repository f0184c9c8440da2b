#include "firmware/semihosting.h"

namespace berth::firmware {
namespace {

constexpr uint32_t kWrite0 = 0x04, kExitExtended = 0x20;
constexpr uint32_t kApplicationExit = 0x20026;

void call_host(uint32_t operation, const void* parameters) {
  register uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = parameters;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

}  // namespace

void stop(Outcome outcome) {
  const uint32_t parameters[2] = {kApplicationExit, static_cast<uint32_t>(outcome)};
  for (;;) call_host(kExitExtended, parameters);
}

void print(const char* text) { call_host(kWrite0, text); }

void print(uint64_t number) {
  char digits[21];
  char* at = digits + sizeof(digits);
  *--at = '\0';
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  print(at);
}

void print_hex(uint32_t number) {
  char digits[11] = "0x";
  int count = 2;
  for (int shift = 28; shift >= 0; shift -= 4) {
    const uint32_t digit = (number >> shift) & 15;
    if (digit == 0 && count == 2 && shift > 4) continue;  // at least two digits
    digits[count++] = static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10);
  }
  digits[count] = '\0';
  print(digits);
}

}  // namespace berth::firmware
