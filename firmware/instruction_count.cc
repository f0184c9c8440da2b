#include "firmware/instruction_count.h"

#include "firmware/semihosting.h"

namespace berth::firmware {
namespace {

struct SysTick {
  volatile uint32_t control, reload, current, calibration;
};
SysTick& systick() { return *reinterpret_cast<SysTick*>(0xE000E010); }
constexpr uint32_t kEnable = 1, kInterrupt = 2, kProcessorClock = 4;
// A turn is 40 million instructions at 25 MHz: how exactly the limit is kept.
constexpr uint32_t kTurn = 1 << 20;

volatile uint32_t turns = 0;
uint32_t turns_allowed = UINT32_MAX;
uint32_t instructions_in_four_ticks = 0;

// Whether the clock has come round and count_turn() is still to be called.
bool is_turn_pending() {
  return (*reinterpret_cast<volatile uint32_t*>(0xE000ED04) & (1u << 26)) != 0;
}

// The clock counts down; a turn begins when it reaches 0.
uint64_t count_ticks() {
  uint32_t before = 0, current = 0;
  do {
    before = turns;
    current = systick().current;
  } while (turns != before || is_turn_pending());
  return uint64_t{before} * kTurn + (current == 0 ? 0 : kTurn - current);
}

// Two instructions a turn.
void spin(uint32_t count) {
  asm volatile(
      ".syntax unified\n"
      "1: subs %0, #1\n"
      "   bne 1b\n"
      : "+l"(count)::"cc");
}

}  // namespace

void start_counting(uint64_t limit) {
  constexpr uint32_t kSpins = 200000;
  systick().reload = kTurn - 1;
  systick().current = 0;
  systick().control = kEnable | kInterrupt | kProcessorClock;
  while (systick().current == 0) {
  }
  const uint64_t begin = count_ticks();
  spin(kSpins);
  const uint32_t ticks = static_cast<uint32_t>(count_ticks() - begin);
  // Boards' clocks are such that this is a whole number.
  instructions_in_four_ticks = (8 * kSpins + ticks / 2) / ticks;
  const uint64_t instructions_in_turn = uint64_t{kTurn} * instructions_in_four_ticks / 4;
  turns_allowed = static_cast<uint32_t>(limit / instructions_in_turn + 1);
}

uint64_t count_instructions() { return count_ticks() * instructions_in_four_ticks / 4; }

// The vector table's.
extern "C" void count_turn() {
  turns = turns + 1;
  if (turns <= turns_allowed) return;
  print_all("hang: stopped after ", turns_allowed, " turns of ",
            uint32_t{kTurn} / 4 * instructions_in_four_ticks, " machine instructions\n");
  stop(Outcome::kHang);
}

}  // namespace berth::firmware
