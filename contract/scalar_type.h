// Element types with the numbers of the .pte format (ScalarType), their size and the short names
// that texts use.
#pragma once

#include <cstdint>

namespace berth {

enum class ScalarType : int8_t {
  kByte = 0,
  kChar = 1,
  kShort = 2,
  kInt = 3,
  kLong = 4,
  kHalf = 5,
  kFloat = 6,
  kDouble = 7,
  kComplexHalf = 8,
  kComplexFloat = 9,
  kComplexDouble = 10,
  kBool = 11,
  kQInt8 = 12,
  kQUInt8 = 13,
  kQInt32 = 14,
  kBFloat16 = 15,
  kQUInt4x2 = 16,
  kQUInt2x4 = 17,
  kBits1x8 = 18,
  kBits2x4 = 19,
  kBits4x2 = 20,
  kBits8 = 21,
  kBits16 = 22,
  kFloat8E5M2 = 23,
  kFloat8E4M3FN = 24,
  kFloat8E5M2FNUZ = 25,
  kFloat8E4M3FNUZ = 26,
  kUInt16 = 27,
  kUInt32 = 28,
  kUInt64 = 29,
};
constexpr int kScalarTypeCount = 30;

constexpr bool is_scalar_type(int code) { return code >= 0 && code < kScalarTypeCount; }

inline constexpr uint8_t kElementSizes[kScalarTypeCount] = {
    1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 4, 8};

// Bytes per element. REQUIRES: a valid type.
constexpr uint32_t element_size(ScalarType type) { return kElementSizes[static_cast<int>(type)]; }

// "i8", "f32", ...: what .bir, reports and errors print.
constexpr const char* scalar_type_name(ScalarType type) {
  constexpr const char* kNames[kScalarTypeCount] = {
      "u8",       "i8",         "i16",        "i32",     "i64",     "f16",   "f32",    "f64",
      "c32",      "c64",        "c128",       "bool",    "qi8",     "qu8",   "qi32",   "bf16",
      "qu4x2",    "qu2x4",      "bits1x8",    "bits2x4", "bits4x2", "bits8", "bits16", "f8e5m2",
      "f8e4m3fn", "f8e5m2fnuz", "f8e4m3fnuz", "u16",     "u32",     "u64"};
  return kNames[static_cast<int>(type)];
}

}  // namespace berth
