#include "firmware/stack_paint.h"

extern "C" {
extern uint32_t STACK_LIMIT[], STACK_TOP[];
}

namespace berth::firmware {
namespace {

constexpr uint32_t kPaint = 0x5AFEC0DE;

// What is left for the frames of the functions below, which may begin after this one looks.
constexpr uint32_t kOwnFrame = 16;

uint32_t* stack_pointer() {
  uint32_t* sp = nullptr;
  asm volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

}  // namespace

[[gnu::noinline]] void paint_stack() {
  uint32_t* const end = stack_pointer() - kOwnFrame;
  for (volatile uint32_t* at = STACK_LIMIT; at != end; ++at) *at = kPaint;
}

[[gnu::noinline]] uint32_t measure_stack() {
  const uint32_t* const end = stack_pointer();
  const volatile uint32_t* at = STACK_LIMIT;
  while (at != end && *at == kPaint) ++at;
  return static_cast<uint32_t>(end - const_cast<const uint32_t*>(at)) * sizeof(uint32_t);
}

uint32_t stack_bytes() { return static_cast<uint32_t>(STACK_TOP - STACK_LIMIT) * sizeof(uint32_t); }

}  // namespace berth::firmware
