// Tables of 256 answers, minima and maxima of int8 on a Cortex-M, a run of elements at a time.
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

// out[i] = table[in[i] + 128]. Right in place.
inline void look_up_run(const int8_t* table, const int8_t* in, size_t count, int8_t* out) {
#if defined(__ARM_FEATURE_MVE)
  if (count == 0) return;
  asm volatile(
      ".syntax unified\n"
      "   vmov.i8 q1, #0x80\n"
      "   dlstp.8 lr, %[count]\n"
      "1: vldrb.8 q0, [%[in]], #16\n"
      "   veor q0, q0, q1\n"
      "   vldrb.u8 q2, [%[table], q0]\n"
      "   vstrb.8 q2, [%[out]], #16\n"
      "   letp lr, 1b\n"
      : [in] "+r"(in), [out] "+r"(out)
      : [table] "r"(table), [count] "r"(count)
      : "q0", "q1", "q2", "lr", "memory");
#else
  const int8_t* entries = table + 128;  // entries[q] for q in -128 .. 127
  for (; count >= 4; count -= 4, in += 4, out += 4) {
    const int a = in[0], b = in[1], c = in[2], d = in[3];
    out[0] = entries[a], out[1] = entries[b], out[2] = entries[c], out[3] = entries[d];
  }
  for (; count > 0; --count) *out++ = entries[*in++];
#endif
}

// The smaller or the larger of two elements, of which the second may be one for all. Right in
// place.
template <bool kLarger>
void pick_run(const int8_t* a, const int8_t* b, bool b_repeated, size_t count, int8_t* out) {
#if defined(__ARM_FEATURE_MVE)
  const int8x16_t one = vdupq_n_s8(*b);
  for (; count >= 16; count -= 16, a += 16, b += 16, out += 16) {
    const int8x16_t x = vld1q_s8(a), y = b_repeated ? one : vld1q_s8(b);
    vst1q_s8(out, kLarger ? vmaxq_s8(x, y) : vminq_s8(x, y));
  }
  if (count == 0) return;
  const mve_pred16_t present = vctp8q(count);
  const int8x16_t x = vld1q_z_s8(a, present), y = b_repeated ? one : vld1q_z_s8(b, present);
  vstrbq_p_s8(out, kLarger ? vmaxq_s8(x, y) : vminq_s8(x, y), present);
#else
  const int step = b_repeated ? 0 : 1;
#if defined(__ARM_FEATURE_DSP)
  const int word_step = 4 * step;
  uint32_t x = 0, y = static_cast<uint8_t>(*b) * 0x01010101u;
  for (; count >= 4; count -= 4, a += 4, b += word_step, out += 4) {
    memcpy(&x, a, 4);
    if (word_step != 0) memcpy(&y, b, 4);
    // Sets a flag per byte, which the selection asks.
    static_cast<void>(__ssub8(static_cast<int8x4_t>(x), static_cast<int8x4_t>(y)));
    const uint32_t picked = kLarger ? __sel(x, y) : __sel(y, x);
    memcpy(out, &picked, 4);
  }
#endif
  const auto pick = [](int p, int q) {
    return static_cast<int8_t>((kLarger ? p > q : p < q) ? p : q);
  };
  for (; count >= 2; count -= 2, a += 2, b += 2 * step, out += 2) {
    const int8_t first = pick(a[0], b[0]), second = pick(a[1], b[step]);
    out[0] = first, out[1] = second;
  }
  if (count > 0) *out = pick(*a, *b);
#endif
}

}  // namespace berth::runtime
