// Copying bytes from one place to another that does not overlap it, or is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "contract/isa.h"

namespace berth::runtime {

// On a Cortex-M without a call where there is little to copy: rows of a few channels.
// REQUIRES: count > 0.
inline void copy_some_bytes(const uint8_t* from, uint8_t* to, size_t count) {
#if defined(__ARM_FEATURE_MVE)
  asm volatile(
      ".syntax unified\n"
      "   dlstp.8 lr, %[count]\n"
      "1: vldrb.8 q0, [%[from]], #16\n"
      "   vstrb.8 q0, [%[to]], #16\n"
      "   letp lr, 1b\n"
      : [from] "+r"(from), [to] "+r"(to)
      : [count] "r"(count)
      : "q0", "lr", "memory");
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FEATURE_UNALIGNED)
  constexpr size_t kCall = 32;  // from here on the library's copy is faster, though it is called
  if (count >= kCall) {
    memcpy(to, from, count);
    return;
  }
  uint32_t word = 0;
  for (; count >= sizeof(word); count -= sizeof(word), from += sizeof(word), to += sizeof(word)) {
    memcpy(&word, from, sizeof(word));
    memcpy(to, &word, sizeof(word));
  }
  for (; count > 0; --count) {
    *to++ = *from++;
    asm("" : "+r"(to));  // or gcc makes a call of it
  }
#else
  if (from != to) memmove(to, from, count);
#endif
}

inline void copy_bytes(const uint8_t* from, uint8_t* to, size_t count) {
  if (count != 0) copy_some_bytes(from, to, count);
}

}  // namespace berth::runtime
