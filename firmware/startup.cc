// From reset to run_image(), and faults. The symbols in capitals are the linker script's
// (firmware/link_script.py).
#include "firmware/startup.h"

#include <cstdint>

#include "firmware/semihosting.h"

extern "C" {
extern uint32_t DATA_BEGIN[], DATA_END[], BSS_BEGIN[], BSS_END[], STACK_LIMIT[], STACK_TOP[];
extern const uint32_t DATA_IN_ROM[];
extern void (*const CONSTRUCTORS_BEGIN[])();
extern void (*const CONSTRUCTORS_END[])();
}

namespace berth::firmware {

extern "C" void count_turn();

// `frame`: what the processor pushed: r0-r3, r12, lr, pc, xPSR.
extern "C" [[gnu::used]] void report_fault(const uint32_t* frame) {
  print("hard fault");
  const bool inside = frame >= STACK_LIMIT && frame + 8 <= STACK_TOP;
  if (inside) {
    print(" at pc ");
    print_hex(frame[6]);
    print(", called from ");
    print_hex(frame[5]);
  } else {
    print(": the stack is full");
  }
#if __ARM_ARCH >= 7
  print(", CFSR ");
  print_hex(*reinterpret_cast<volatile uint32_t*>(0xE000ED28));
#endif
  print("\n");
  stop(Outcome::kHardFault);
}

extern "C" [[gnu::naked]] void handle_fault() {
  asm volatile(
      ".syntax unified\n"
      "mrs r0, msp\n"
      "ldr r1, =report_fault\n"
      "bx r1\n"
      ".ltorg\n");
}

extern "C" [[noreturn]] void start_image() {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  // Full access to floating point and vectors (CPACR, coprocessors 10 and 11).
  volatile uint32_t& access = *reinterpret_cast<volatile uint32_t*>(0xE000ED88);
  access = access | (0xFu << 20);
  asm volatile("dsb\nisb" ::: "memory");
#endif
  const uint32_t* from = DATA_IN_ROM;
  for (uint32_t* to = DATA_BEGIN; to != DATA_END; ++to) *to = *from++;
  for (uint32_t* to = BSS_BEGIN; to != BSS_END; ++to) *to = 0;
  for (auto at = CONSTRUCTORS_BEGIN; at != CONSTRUCTORS_END; ++at) (*at)();
  run_image();
  stop(Outcome::kRight);
}

using Handler = void (*)();

struct VectorTable {
  uint32_t* stack;
  Handler handlers[15];
};

[[gnu::section(".vectors"), gnu::used]] const VectorTable kVectors = {
    STACK_TOP,
    {start_image, handle_fault, handle_fault, handle_fault, handle_fault, handle_fault,
     handle_fault, nullptr, nullptr, nullptr, handle_fault, handle_fault, nullptr, handle_fault,
     count_turn}};

}  // namespace berth::firmware
