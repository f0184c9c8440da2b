// The inner loop of all int8 products: four rows times one, for the instruction set that is built
// for. Sums wrap as the reference's do.
//
//            depth
//     a[0] ┌────────┐        b ┌────────┐    sums[i] = sum of a[i][k] * (b[k] + offset)
//     ...  │        │          └────────┘
//     a[3] └────────┘
//
// The offset costs nothing where a processor adds while it widens; where it does not (MVE) there is
// none here: its share is in the bias.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#elif defined(__ARM_FEATURE_DSP)
#include <arm_acle.h>
#endif

namespace berth::runtime {

struct FourRows {
  const int8_t* row[4];
};

struct FourSums {
  uint32_t sum[4];
};

#if defined(__ARM_FEATURE_MVE)

// The same for all products of one depth.
struct DotTail {
  size_t depth;
  explicit DotTail(size_t elements) : depth(elements) {}
};

// Loops whose last turn takes what is left (LETP); no compiler in use makes them of intrinsics.
// Sums begin at `start`. REQUIRES: a depth of at least 1.
[[gnu::always_inline]] inline int32x4_t dot_four(const FourRows& a, const int8_t* b,
                                                 const DotTail& tail, int32_t start) {
  const int8_t *a0 = a.row[0], *a1 = a.row[1], *a2 = a.row[2], *a3 = a.row[3];
  int32_t s0 = start, s1 = start, s2 = start, s3 = start;
  int32x4_t sums;
  asm volatile(
      ".syntax unified\n"
      "   dlstp.8 lr, %[depth]\n"
      "1: vldrb.8 q0, [%[b]], #16\n"
      "   vldrb.8 q1, [%[a0]], #16\n"
      "   vmladava.s8 %[s0], q0, q1\n"
      "   vldrb.8 q2, [%[a1]], #16\n"
      "   vmladava.s8 %[s1], q0, q2\n"
      "   vldrb.8 q1, [%[a2]], #16\n"
      "   vmladava.s8 %[s2], q0, q1\n"
      "   vldrb.8 q2, [%[a3]], #16\n"
      "   vmladava.s8 %[s3], q0, q2\n"
      "   letp lr, 1b\n"
      "   vmov %q[sums][2], %q[sums][0], %[s0], %[s2]\n"
      "   vmov %q[sums][3], %q[sums][1], %[s1], %[s3]\n"
      : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b] "+r"(b), [s0] "+Te"(s0),
        [s1] "+Te"(s1), [s2] "+Te"(s2), [s3] "+Te"(s3), [sums] "=&w"(sums)
      : [depth] "r"(tail.depth)
      : "q0", "q1", "q2", "lr", "memory");
  return sums;
}

// dot_four with the filter as b, which moves on by `step` to the next. The rows' places are read
// from memory, so that the loop over filters keeps what is its own in registers.
[[gnu::always_inline]] inline int32x4_t dot_next(const int8_t* const (&rows)[4], size_t depth,
                                                 int32_t start, size_t step,
                                                 const int8_t** filter) {
  const int8_t* b = *filter;
  const void *a0 = rows, *a1, *a2, *a3;
  int32_t s0 = start, s1, s2, s3;
  int32x4_t sums;
  asm volatile(
      ".syntax unified\n"
      "   ldrd %[a2], %[a3], [%[a0], #8]\n"
      "   ldrd %[a0], %[a1], [%[a0]]\n"
      "   mov %[s1], %[s0]\n"
      "   mov %[s2], %[s0]\n"
      "   mov %[s3], %[s0]\n"
      "   dlstp.8 lr, %[depth]\n"
      "1: vldrb.8 q0, [%[b]], #16\n"
      "   vldrb.8 q1, [%[a0]], #16\n"
      "   vmladava.s8 %[s0], q0, q1\n"
      "   vldrb.8 q2, [%[a1]], #16\n"
      "   vmladava.s8 %[s1], q0, q2\n"
      "   vldrb.8 q1, [%[a2]], #16\n"
      "   vmladava.s8 %[s2], q0, q1\n"
      "   vldrb.8 q2, [%[a3]], #16\n"
      "   vmladava.s8 %[s3], q0, q2\n"
      "   letp lr, 1b\n"
      "   vmov %q[sums][2], %q[sums][0], %[s0], %[s2]\n"
      "   vmov %q[sums][3], %q[sums][1], %[s1], %[s3]\n"
      : [a0] "+r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [b] "+r"(b), [s0] "+Te"(s0),
        [s1] "=&Te"(s1), [s2] "=&Te"(s2), [s3] "=&Te"(s3), [sums] "=w"(sums)
      : [depth] "r"(depth)
      : "q0", "q1", "q2", "lr", "memory");
  *filter = b + (step - (depth + 15) / 16 * 16);
  return sums;
}

// Sums of products of f with four vectors.
[[gnu::always_inline]] inline int32x4_t dot_vectors(int8x16_t f, int8x16_t r0, int8x16_t r1,
                                                    int8x16_t r2, int8x16_t r3) {
  int32_t s0, s1, s2, s3;
  int32x4_t sums;
  asm(".syntax unified\n"
      "   vmladav.s8 %[s0], %q[f], %q[r0]\n"
      "   vmladav.s8 %[s1], %q[f], %q[r1]\n"
      "   vmladav.s8 %[s2], %q[f], %q[r2]\n"
      "   vmladav.s8 %[s3], %q[f], %q[r3]\n"
      "   vmov %q[sums][2], %q[sums][0], %[s0], %[s2]\n"
      "   vmov %q[sums][3], %q[sums][1], %[s1], %[s3]\n"
      : [s0] "=&Te"(s0), [s1] "=&Te"(s1), [s2] "=&Te"(s2), [s3] "=&Te"(s3), [sums] "=w"(sums)
      : [f] "w"(f), [r0] "w"(r0), [r1] "w"(r1), [r2] "w"(r2), [r3] "w"(r3));
  return sums;
}

// Two rows; the other sums are nobody's.
[[gnu::always_inline]] inline int32x4_t dot_two(const int8_t* a0, const int8_t* a1, const int8_t* b,
                                                const DotTail& tail, int32_t start) {
  int32_t s0 = start, s1 = start;
  int32x4_t sums;
  asm volatile(
      ".syntax unified\n"
      "   dlstp.8 lr, %[depth]\n"
      "1: vldrb.8 q0, [%[b]], #16\n"
      "   vldrb.8 q1, [%[a0]], #16\n"
      "   vmladava.s8 %[s0], q0, q1\n"
      "   vldrb.8 q2, [%[a1]], #16\n"
      "   vmladava.s8 %[s1], q0, q2\n"
      "   letp lr, 1b\n"
      "   vdup.32 %q[sums], %[s0]\n"
      "   vmov.32 %q[sums][1], %[s1]\n"
      :
      [a0] "+r"(a0), [a1] "+r"(a1), [b] "+r"(b), [s0] "+Te"(s0), [s1] "+Te"(s1), [sums] "=&w"(sums)
      : [depth] "r"(tail.depth)
      : "q0", "q1", "q2", "lr", "memory");
  return sums;
}

// Sum of the elements.
inline int32_t sum_of(const int8_t* a, size_t count) {
  int32_t sum = 0;
  if (count == 0) return sum;
  asm volatile(
      ".syntax unified\n"
      "   dlstp.8 lr, %[count]\n"
      "1: vldrb.8 q0, [%[a]], #16\n"
      "   vaddva.s8 %[sum], q0\n"
      "   letp lr, 1b\n"
      : [a] "+r"(a), [sum] "+Te"(sum)
      : [count] "r"(count)
      : "q0", "lr", "memory");
  return sum;
}

#elif defined(__ARM_FEATURE_DSP)

inline int32_t load_word(const int8_t* at) {
  int32_t word = 0;
  memcpy(&word, at, sizeof(word));
  return word;
}

// Bytes 1 and 3 widened; gcc makes a rotation of its own of __sxtb16(__ror(word, 8)).
inline int32_t odd_bytes(int32_t word) {
  int32_t halves = 0;
  asm("sxtb16 %0, %1, ror #8" : "=r"(halves) : "r"(word));
  return halves;
}
inline int32_t odd_bytes_plus(int32_t offsets, int32_t word) {
  int32_t halves = 0;
  asm("sxtab16 %0, %1, %2, ror #8" : "=r"(halves) : "r"(offsets), "r"(word));
  return halves;
}

// Offsets for both halves of a word. REQUIRES: element plus offset fits in 16 bits.
inline int32_t both_halves(int32_t offset) {
  return static_cast<int32_t>((static_cast<uint32_t>(offset) & 0xFFFF) * 0x10001u);
}

struct DotTail {
  size_t words, rest;  // of four elements; elements behind them
  explicit DotTail(size_t depth) : words(depth / 4), rest(depth % 4) {}
};

// Two rows; the other sums are nobody's.
template <bool kWithOffset>
[[gnu::always_inline]] inline FourSums dot_two(const int8_t* a0, const int8_t* a1, const int8_t* b,
                                               const DotTail& tail, int32_t offset) {
  int32_t s0 = 0, s1 = 0;
  const int32_t offsets = both_halves(offset);
  const int8_t* const end = b + tail.words * 4;
  for (; b != end; a0 += 4, a1 += 4, b += 4) {
    const int32_t y = load_word(b), x0 = load_word(a0), x1 = load_word(a1);
    const int32_t even = __sxtab16(offsets, y), odd = odd_bytes_plus(offsets, y);
    s0 = __smlad(odd_bytes(x0), odd, __smlad(__sxtb16(x0), even, s0));
    s1 = __smlad(odd_bytes(x1), odd, __smlad(__sxtb16(x1), even, s1));
  }
  for (size_t i = 0; i < tail.rest; ++i) {
    const int32_t y = b[i] + offset;
    s0 = __smlabb(a0[i], y, s0);
    s1 = __smlabb(a1[i], y, s1);
  }
  return {{static_cast<uint32_t>(s0), static_cast<uint32_t>(s1), 0, 0}};
}

// Registers are all in use, so the loop is written out: gcc would keep some on the stack.
template <bool kWithOffset>
[[gnu::always_inline]] inline FourSums dot_four(const FourRows& a, const int8_t* b,
                                                const DotTail& tail, int32_t offset) {
  const int8_t *a0 = a.row[0], *a1 = a.row[1], *a2 = a.row[2], *a3 = a.row[3];
#if defined(__clang__)  // finds no register for the last operand
  const FourSums upper = dot_two<kWithOffset>(a0, a1, b, tail, offset);
  const FourSums lower = dot_two<kWithOffset>(a2, a3, b, tail, offset);
  return {{upper.sum[0], upper.sum[1], lower.sum[0], lower.sum[1]}};
#else
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const int8_t* const end = b + tail.words * 4;
  const int32_t offsets = both_halves(offset);
  if (b != end) {
    int32_t even = 0, odd = 0, x = 0;
    asm volatile(
        ".syntax unified\n"
        "1: ldr %[odd], [%[b]], #4\n"
        "   ldr %[x], %[offsets]\n"
        "   sxtab16 %[even], %[x], %[odd]\n"
        "   sxtab16 %[odd], %[x], %[odd], ror #8\n"
        "   ldr %[x], [%[a0]], #4\n"
        "   sxtb16 r12, %[x]\n"
        "   sxtb16 %[x], %[x], ror #8\n"
        "   smlad %[s0], r12, %[even], %[s0]\n"
        "   smlad %[s0], %[x], %[odd], %[s0]\n"
        "   ldr %[x], [%[a1]], #4\n"
        "   sxtb16 r12, %[x]\n"
        "   sxtb16 %[x], %[x], ror #8\n"
        "   smlad %[s1], r12, %[even], %[s1]\n"
        "   smlad %[s1], %[x], %[odd], %[s1]\n"
        "   ldr %[x], [%[a2]], #4\n"
        "   sxtb16 r12, %[x]\n"
        "   sxtb16 %[x], %[x], ror #8\n"
        "   smlad %[s2], r12, %[even], %[s2]\n"
        "   smlad %[s2], %[x], %[odd], %[s2]\n"
        "   ldr %[x], [%[a3]], #4\n"
        "   sxtb16 r12, %[x]\n"
        "   sxtb16 %[x], %[x], ror #8\n"
        "   smlad %[s3], r12, %[even], %[s3]\n"
        "   smlad %[s3], %[x], %[odd], %[s3]\n"
        "   ldr %[x], %[end]\n"
        "   cmp %[b], %[x]\n"
        "   bne 1b\n"
        : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b] "+r"(b), [s0] "+r"(s0),
          [s1] "+r"(s1), [s2] "+r"(s2), [s3] "+r"(s3), [even] "=&r"(even), [odd] "=&r"(odd),
          [x] "=&r"(x)
        : [offsets] "m"(offsets), [end] "m"(end)
        : "r12", "cc", "memory");
  }
  for (size_t i = 0; i < tail.rest; ++i) {
    const int32_t y = b[i] + offset;
    s0 = __smlabb(a0[i], y, s0);
    s1 = __smlabb(a1[i], y, s1);
    s2 = __smlabb(a2[i], y, s2);
    s3 = __smlabb(a3[i], y, s3);
  }
  return {{static_cast<uint32_t>(s0), static_cast<uint32_t>(s1), static_cast<uint32_t>(s2),
           static_cast<uint32_t>(s3)}};
#endif
}

inline int32_t sum_of(const int8_t* a, size_t count) {
  // Distances from -128: of bytes whose sign is the other.
  uint32_t distances = 0;
  const size_t words = count / 4;
  for (const int8_t* const end = a + 4 * words; a != end; a += 4) {
    distances = __usada8(static_cast<uint32_t>(load_word(a)) ^ 0x80808080u, 0, distances);
  }
  int32_t sum = static_cast<int32_t>(distances - 512 * static_cast<uint32_t>(words));
  count %= 4;
  for (size_t i = 0; i < count; ++i) sum += a[i];
  return sum;
}

#else

struct DotTail {
  size_t depth;
  explicit DotTail(size_t elements) : depth(elements) {}
};

// One sum after the other: gcc would add up products apart from the sums, and run out of registers.
inline void add_product(uint32_t* sum, int32_t x, int32_t y) {
  *sum += static_cast<uint32_t>(x * y);
  asm("" : "+r"(*sum));
}

template <bool kWithOffset>
[[gnu::always_inline]] inline FourSums dot_four(const FourRows& a, const int8_t* b,
                                                const DotTail& tail, int32_t offset) {
  const int8_t *a0 = a.row[0], *a1 = a.row[1], *a2 = a.row[2], *a3 = a.row[3];
  uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const auto step = [&](int i) {
    const int32_t y = kWithOffset ? b[i] + offset : b[i];
    add_product(&s0, a0[i], y);
    add_product(&s1, a1[i], y);
    add_product(&s2, a2[i], y);
    add_product(&s3, a3[i], y);
  };
  const auto advance = [&](int count) {
    a0 += count, a1 += count, a2 += count, a3 += count, b += count;
  };
  const int8_t* const end = b + tail.depth / 8 * 8;
  while (b != end) {
    step(0), step(1), step(2), step(3), step(4), step(5), step(6), step(7);
    advance(8);
  }
  if (tail.depth % 8 >= 4) step(0), step(1), step(2), step(3), advance(4);
  for (int i = 0; i < static_cast<int>(tail.depth % 4); ++i) step(i);
  return {{s0, s1, s2, s3}};
}

// Two rows; the other sums are nobody's.
template <bool kWithOffset>
[[gnu::always_inline]] inline FourSums dot_two(const int8_t* a0, const int8_t* a1, const int8_t* b,
                                               const DotTail& tail, int32_t offset) {
  uint32_t s0 = 0, s1 = 0;
  const auto step = [&](int i) {
    const int32_t y = kWithOffset ? b[i] + offset : b[i];
    add_product(&s0, a0[i], y);
    add_product(&s1, a1[i], y);
  };
  for (const int8_t* const end = b + tail.depth / 4 * 4; b != end; a0 += 4, a1 += 4, b += 4) {
    step(0), step(1), step(2), step(3);
  }
  for (int i = 0; i < static_cast<int>(tail.depth % 4); ++i) step(i);
  return {{s0, s1, 0, 0}};
}

inline int32_t sum_of(const int8_t* a, size_t count) {
  int32_t sum = 0;
  for (; count >= 4; count -= 4, a += 4) sum += a[0] + a[1] + a[2] + a[3];
  for (size_t i = 0; i < count; ++i) sum += a[i];
  return sum;
}

#endif

}  // namespace berth::runtime
