// From float32 to quantised elements and back, a run at a time. On a processor with a
// floating-point unit by its own rounding; without one on the bits of a float, which is a fraction
// of what the comparisons of round_half_even take in calls; with MVE four at a time. The same
// numbers in every way, of NaN and infinity too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/kernels/kernel_checks.h"
#include "runtime/kernels/rounding.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif
#if defined(__ARM_FEATURE_DSP)
#include <arm_acle.h>
#endif

namespace berth::runtime {

enum class Half : uint8_t { kToEven, kAway };

// round_half_even and round_half_away on the bits.
template <Half kHalf>
int32_t round_bits(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof(bits));
  const int exponent = static_cast<int>(bits >> 23 & 0xFF);
  const uint32_t mantissa = (bits & 0x7FFFFF) | 0x800000;
  if (exponent < 126) return 0;  // below a half
  uint32_t magnitude = uint32_t{1} << 30;
  if (exponent < 150) {
    const int right = 150 - exponent;  // 1 .. 24
    const uint32_t half = uint32_t{1} << (right - 1);
    const uint32_t term = kHalf == Half::kAway ? half : half - 1 + (mantissa >> right & 1);
    magnitude = (mantissa + term) >> right;
  } else if (exponent < 157) {
    magnitude = mantissa << (exponent - 150);
  } else if (exponent == 255 && mantissa != 0x800000) {
    return 0;  // NaN
  }
  return bits >> 31 != 0 ? -static_cast<int32_t>(magnitude) : static_cast<int32_t>(magnitude);
}

// To int32; what lies beyond 2^30 may be anything beyond it. NaN is 0.
template <Half kHalf>
inline int32_t round_float(float value) {
#if defined(__ARM_FP) && defined(__ARM_FEATURE_DSP)
  if constexpr (kHalf == Half::kToEven) {
    asm("vcvtr.s32.f32 %0, %0" : "+t"(value));
  } else {
    asm("vcvt.s32.f32 %0, %0, #1" : "+t"(value));  // twice the value, cut off
  }
  int32_t whole = 0;
  memcpy(&whole, &value, sizeof(whole));
  return kHalf == Half::kToEven ? whole : __qadd(whole, (whole >> 31) + 1) >> 1;
#else
  if constexpr (kBuildIsa != Isa::kHost) return round_bits<kHalf>(value);
  return kHalf == Half::kToEven ? round_half_even(value) : round_half_away(value);
#endif
}

// REQUIRES: a value as round_float gives it, and a zero point of 16 bits.
inline int32_t add_zero_point(int32_t value, int32_t zero_point) {
#if defined(__ARM_FEATURE_DSP)
  return __qadd(value, zero_point);
#else
  return value + zero_point;
#endif
}

// round(value * factor), half to even, or round(value / factor), half away from zero; plus the zero
// point, within the range.
template <Half kHalf, typename T>
struct Quantization {
  float factor;
  int32_t zero_point;
  Range range;
};

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)

// Vectors take what is below 2^-126 for 0. That changes no answer while a factor is far from both
// ends of the exponents.
inline bool takes_vectors(float factor) {
  const float magnitude = factor < 0 ? -factor : factor;
  return magnitude > 0x1p-100f && magnitude < 0x1p100f;
}

template <typename T>
void store_four_elements(T* out, int32x4_t values) {
  if constexpr (sizeof(T) == 1) {
    vstrbq_s32(reinterpret_cast<int8_t*>(out), values);
  } else {
    vstrhq_s32(out, values);
  }
}

// Four at a time; answers with how many are done.
template <Half kHalf, typename T>
size_t quantize_fours(const Quantization<kHalf, T>& by, const float* in, size_t count, T* out) {
  if (!takes_vectors(by.factor)) return 0;
  const int32x4_t low = vdupq_n_s32(by.range.low), high = vdupq_n_s32(by.range.high);
  const float factor = by.factor;
  const int32_t zero_point = by.zero_point;
  const auto finish = [&](int32x4_t whole) {
    return vmaxq_s32(vminq_s32(vqaddq_n_s32(whole, zero_point), high), low);
  };
  size_t i = 0;
  if constexpr (kHalf == Half::kToEven) {
    for (; i + 4 <= count; i += 4) {
      const float32x4_t scaled = vmulq_n_f32(vld1q_f32(in + i), factor);
      store_four_elements(out + i, finish(vcvtnq_s32_f32(scaled)));
    }
  } else {
    for (; i + 4 <= count; i += 4) {
      float32x4_t scaled;  // there is no division of vectors; their lanes are registers, though
      asm("vldrw.32 q0, [%[in]]\n"
          "vdiv.f32 s0, s0, %[factor]\n"
          "vdiv.f32 s1, s1, %[factor]\n"
          "vdiv.f32 s2, s2, %[factor]\n"
          "vdiv.f32 s3, s3, %[factor]\n"
          "vmov %q[scaled], q0\n"
          : [scaled] "=w"(scaled)
          : [in] "r"(in + i), [factor] "t"(factor),
            "m"(*reinterpret_cast<const float(*)[4]>(in + i))
          : "q0");
      store_four_elements(out + i, finish(vcvtaq_s32_f32(scaled)));
    }
  }
  return i;
}

#endif

template <Half kHalf, typename T>
void quantize_run(const Quantization<kHalf, T>& by, const float* in, size_t count, T* out) {
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  const size_t done = quantize_fours(by, in, count, out);
  in += done, out += done, count -= done;
#endif
  const float factor = by.factor;
  const int32_t zero_point = by.zero_point, low = by.range.low, high = by.range.high;
  for (const float* const end = in + count; in != end;) {
    const float value = *in++;
    const float scaled = kHalf == Half::kToEven ? value * factor : value / factor;
    const int32_t whole = add_zero_point(round_float<kHalf>(scaled), zero_point);
    *out++ = static_cast<T>(clamp_to(whole, low, high));
  }
}

}  // namespace berth::runtime
