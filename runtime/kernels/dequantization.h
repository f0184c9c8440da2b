// From quantised elements to float32.
#pragma once

#include <cstring>

#include "runtime/kernels/strided.h"

#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FP)
#define BERTH_SOFT_FLOATS
#endif

namespace berth::runtime {

// Whether a float is finite and not below 2^-126. Of its bits: a processor may have no registers
// for it.
inline bool is_normal(float value, uint32_t* bits) {
  memcpy(bits, &value, sizeof(*bits));
  const uint32_t exponent = *bits >> 23 & 0xFF;
  return exponent != 0 && exponent != 255;
}

#if defined(BERTH_SOFT_FLOATS)

// scale * difference, rounded half to even, by a product of integers instead of two calls.
// REQUIRES: is_normal(scale), whose exponent is at most 254 - 8; 256 values at most to either side.
class ByteScale {
 public:
  explicit ByteScale(uint32_t scale_bits)
      : sign_(scale_bits & 0x80000000u),
        mantissa_((scale_bits & 0x7FFFFF) | 0x800000),
        exponent_(static_cast<int32_t>(scale_bits >> 23 & 0xFF) + 7) {}

  static bool takes(uint32_t scale_bits) { return (scale_bits >> 23 & 0xFF) <= 254 - 8; }

  float times(int32_t difference) const {
    uint32_t bits = sign_ ^ (static_cast<uint32_t>(difference) & 0x80000000u);
    if (difference == 0) {
      bits = sign_;
    } else {
      const uint32_t product =
          mantissa_ * static_cast<uint32_t>(difference < 0 ? -difference : difference);
      const int zeros = __builtin_clz(product);  // 0 .. 8
      const uint32_t whole = product << zeros, mantissa = whole >> 8;
      const uint32_t up = (whole & 0xFF) + (mantissa & 1) > 0x80 ? 1 : 0;
      // A mantissa has its leading one: it adds one to the exponent, and so does a carry.
      bits |= (static_cast<uint32_t>(exponent_ - zeros) << 23) + mantissa + up;
    }
    float value = 0;
    memcpy(&value, &bits, sizeof(value));
    return value;
  }

 private:
  uint32_t sign_, mantissa_;
  int32_t exponent_;
};

#endif

// (in - zero point) * scale, rounded once, for elements side by side. T: of at most 16 bits; their
// difference is exact in float32, so one product of floats rounds once.
template <typename T>
void dequantize_run(const T* in, size_t count, float scale, int32_t zero_point, float* out) {
  static_assert(sizeof(T) <= 2, "a difference of 24 bits at most");
  size_t i = 0;
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
  // Vectors take what is below 2^-126 for 0; with a scale above it there is nothing such.
  uint32_t bits = 0;
  for (; is_normal(scale, &bits) && i + 4 <= count; i += 4) {
    int32x4_t values;
    if constexpr (sizeof(T) == 2) {
      values = vldrhq_s32(in + i);
    } else if constexpr (T(-1) < T(0)) {
      values = vldrbq_s32(in + i);
    } else {
      values = vreinterpretq_s32_u32(vldrbq_u32(in + i));
    }
    vst1q_f32(out + i, vmulq_n_f32(vcvtq_f32_s32(vsubq_n_s32(values, zero_point)), scale));
  }
#elif defined(BERTH_SOFT_FLOATS)
  uint32_t bits = 0;
  if (sizeof(T) == 1 && is_normal(scale, &bits) && ByteScale::takes(bits)) {
    const ByteScale by(bits);
    for (; i < count; ++i) out[i] = by.times(in[i] - zero_point);
  }
#endif
  in += i, out += i;
  for (const T* const end = in + (count - i); in != end;) {
    float difference = static_cast<float>(*in++ - zero_point);
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
    asm("" : "+t"(difference));  // or clang makes vectors of this loop, too
#endif
    *out++ = scale * difference;
  }
}

// out = (in - zero point) * scale; scale and zero point are arguments 1 and 2. in: T, out: float32,
// one shape.
template <typename T>
Status dequantize(const Args& args, const Tensor& in, const Tensor& out) {
  KERNEL_REQUIRE(has_dtype(out, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  const float scale = static_cast<float>(args.number(1));
  const int64_t zero_point = args.integer(2);
  KERNEL_REQUIRE(fits<T>(zero_point), kBadArguments);
  if constexpr (sizeof(T) <= 2) {
    apply_runs<float, T>(in, out, [=](const T* from, size_t count, float* to) {
      dequantize_run(from, count, scale, static_cast<int32_t>(zero_point), to);
    });
  } else {
    // The difference is exact in double and so is its product with a float32 scale: one rounding,
    // at the end.
    const double wide = static_cast<double>(scale);
    apply_unary<float, T>(in, out, [=](T value) {
      return static_cast<float>(wide *
                                static_cast<double>(static_cast<int64_t>(value) - zero_point));
    });
  }
  return Status::kOk;
}

}  // namespace berth::runtime
