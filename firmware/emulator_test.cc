#include "firmware/emulator_test.h"

#include <cstdint>

#if defined(__ARM_FEATURE_DSP)
#include <arm_acle.h>
#endif
#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
#endif

namespace berth::firmware {
namespace {

// Keeps the compiler from computing the answers itself.
template <typename T>
T hidden(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Every architecture's: products and carries of 64 bits, shifts by the width and more.
const char* find_base_fault() {
  const int64_t product = int64_t{hidden(-2147483647)} * hidden(2147483647);
  if (product != -4611686014132420609) return "32 x 32 product";
  if (hidden(uint64_t{0xFFFFFFFF}) + hidden(uint64_t{1}) != uint64_t{1} << 32) return "carry";
  if ((hidden(-8) >> hidden(1)) != -4) return "asr";
  return nullptr;
}

#if defined(__ARM_FEATURE_DSP)
const char* find_dsp_fault() {
  if (__qadd(hidden(2147483647), hidden(1)) != 2147483647) return "qadd";
  if (__qsub(hidden(-2147483647 - 1), hidden(1)) != -2147483647 - 1) return "qsub";
  if (__ssat(hidden(1000), 8) != 127 || __ssat(hidden(-1000), 8) != -128) return "ssat";
  if (__sxtb16(hidden(0x00FF0080)) != static_cast<int32_t>(0xFFFFFF80)) return "sxtb16";
  if (__sxtab16(hidden(0x00010001), hidden(0x00FF0080)) != 0x0000FF81) return "sxtab16";
  // 3 * -5 + -7 * 11 + 100
  if (__smlad(hidden(static_cast<int32_t>(0xFFF90003)), hidden(0x000BFFFB), hidden(100)) != 8) {
    return "smlad";
  }
  // -32768 * -32768 twice wraps, and sets only Q.
  const int32_t low = static_cast<int32_t>(0x80008000);
  if (__smlad(hidden(low), hidden(low), hidden(0)) != -2147483647 - 1) return "smlad's overflow";
  if (__smlabb(hidden(0x7FFF8000), hidden(0x00018000), hidden(-1)) != 1073741823) return "smlabb";
  if (__smuad(hidden(0x00020003), hidden(0x00050007)) != 31) return "smuad";
  return nullptr;
}
#endif

#if defined(__ARM_FEATURE_MVE)
template <int kLane>
bool is(int32x4_t value, int32_t wanted) {
  return vgetq_lane_s32(value, kLane) == wanted;
}

const char* find_mve_fault() {
  const int32x4_t most = vdupq_n_s32(hidden(2147483647));
  const int32x4_t least = vdupq_n_s32(hidden(-2147483647 - 1));
  if (!is<3>(vqaddq_s32(most, vdupq_n_s32(hidden(1))), 2147483647)) return "vqadd";
  if (!is<0>(vqrdmulhq_s32(least, least), 2147483647)) return "vqrdmulh";
  if (!is<2>(vqrdmulhq_s32(vdupq_n_s32(hidden(3)), vdupq_n_s32(hidden(0x20000000))), 1)) {
    return "vqrdmulh's rounding";
  }
  if (!is<1>(vqdmulhq_s32(vdupq_n_s32(hidden(3)), vdupq_n_s32(hidden(0x20000000))), 0)) {
    return "vqdmulh";
  }
  // By a register: left when positive, right and rounded half up when negative.
  const int32x4_t five = vdupq_n_s32(hidden(5)), minus_five = vdupq_n_s32(hidden(-5));
  if (!is<0>(vrshlq_s32(five, vdupq_n_s32(hidden(-1))), 3)) return "vrshl to the right";
  if (!is<0>(vrshlq_s32(minus_five, vdupq_n_s32(hidden(-1))), -2)) return "vrshl of negatives";
  if (!is<0>(vrshlq_s32(most, vdupq_n_s32(hidden(-31))), 1)) return "vrshl by 31";
  if (!is<0>(vrshlq_s32(most, vdupq_n_s32(hidden(-32))), 0)) return "vrshl by 32";
  if (!is<0>(vshlq_s32(five, vdupq_n_s32(hidden(29))), static_cast<int32_t>(0xA0000000))) {
    return "vshl";
  }
  const int8x16_t ones = vdupq_n_s8(static_cast<int8_t>(hidden(-1)));
  const int8x16_t lows = vdupq_n_s8(static_cast<int8_t>(hidden(-128)));
  if (vmladavaq_s8(hidden(7), lows, lows) != 7 + 16 * 16384) return "vmladava";
  if (vaddvq_s8(ones) != -16) return "vaddv";
  const mve_pred16_t three = vctp8q(static_cast<uint32_t>(hidden(3)));
  if (vmladavaq_p_s8(hidden(0), lows, ones, three) != 3 * 128) return "vmladava's predicate";
  const int8x16_t narrow = vqmovnbq_s16(vdupq_n_s8(0), vdupq_n_s16(300));
  if (vgetq_lane_s8(narrow, 0) != 127) return "vqmovnb";
  return nullptr;
}
#endif

}  // namespace

const char* find_emulator_fault() {
  const char* fault = find_base_fault();
#if defined(__ARM_FEATURE_DSP)
  if (fault == nullptr) fault = find_dsp_fault();
#endif
#if defined(__ARM_FEATURE_MVE)
  if (fault == nullptr) fault = find_mve_fault();
#endif
  return fault;
}

}  // namespace berth::firmware
