// Arithmetic that cannot lie: every size and offset that comes from a file goes through these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth {

// True and *out written when the result fits in 64 bits; false and *out untouched otherwise.
[[nodiscard]] constexpr bool checked_add(uint64_t a, uint64_t b, uint64_t* out) {
  if (a > UINT64_MAX - b) return false;
  *out = a + b;
  return true;
}

[[nodiscard]] constexpr bool checked_mul(uint64_t a, uint64_t b, uint64_t* out) {
  if (a != 0 && b > UINT64_MAX / a) return false;
  *out = a * b;
  return true;
}

constexpr bool is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// REQUIRES: alignment is a power of two.
[[nodiscard]] constexpr bool checked_align_up(uint64_t value, uint64_t alignment, uint64_t* out) {
  uint64_t raised = 0;
  if (!checked_add(value, alignment - 1, &raised)) return false;
  *out = raised & ~(alignment - 1);
  return true;
}

// REQUIRES: alignment is a power of two and the result fits.
constexpr uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace berth
