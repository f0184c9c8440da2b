#include "tools/compare.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace berth::tools {
namespace {

// The bits of one element, zero-extended. REQUIRES: at most 8 bytes.
uint64_t bits_of(const std::byte* at, uint32_t bytes) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < bytes; ++i) bits |= std::to_integer<uint64_t>(at[i]) << (8 * i);
  return bits;
}

double half_to_double(uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023) / 1024;
  const double sign = (bits >> 15 & 1) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15));
}

double float_to_double(uint64_t bits) {
  const auto narrow = static_cast<uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &narrow, sizeof value);
  return static_cast<double>(value);
}

enum class Kind { kSigned, kUnsigned, kFloat, kRaw };

Kind kind_of(ScalarType type) {
  switch (type) {
    case ScalarType::kChar:
    case ScalarType::kShort:
    case ScalarType::kInt:
    case ScalarType::kLong:
    case ScalarType::kQInt8:
    case ScalarType::kQInt32:
      return Kind::kSigned;
    case ScalarType::kByte:
    case ScalarType::kBool:
    case ScalarType::kQUInt8:
    case ScalarType::kUInt16:
    case ScalarType::kUInt32:
    case ScalarType::kUInt64:
      return Kind::kUnsigned;
    case ScalarType::kHalf:
    case ScalarType::kBFloat16:
    case ScalarType::kFloat:
    case ScalarType::kDouble:
      return Kind::kFloat;
    default:
      return Kind::kRaw;
  }
}

int64_t signed_value(uint64_t bits, uint32_t bytes) {
  const int unused = 64 - 8 * static_cast<int>(bytes);
  return static_cast<int64_t>(bits << unused) >> unused;
}

double float_value(const std::byte* at, ScalarType type) {
  const uint64_t bits = bits_of(at, element_size(type));
  if (type == ScalarType::kHalf) return half_to_double(bits);
  if (type == ScalarType::kBFloat16) return float_to_double(bits << 16);
  if (type == ScalarType::kFloat) return float_to_double(bits);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Long double holds every 64-bit integer here, so no two different integers look the same.
long double number(const std::byte* at, ScalarType type) {
  const uint32_t bytes = element_size(type);
  switch (kind_of(type)) {
    case Kind::kSigned:
      return static_cast<long double>(signed_value(bits_of(at, bytes), bytes));
    case Kind::kUnsigned:
      return static_cast<long double>(bits_of(at, bytes));
    default:
      return static_cast<long double>(float_value(at, type));
  }
}

bool close(const std::byte* got, const std::byte* expected, ScalarType type,
           const Tolerance& tolerance) {
  if (std::memcmp(got, expected, element_size(type)) == 0) return true;
  if (tolerance.exact() || kind_of(type) == Kind::kRaw) return false;
  const long double a = number(got, type);
  const long double b = number(expected, type);
  if (std::isnan(a) && std::isnan(b)) return true;
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  long double limit = static_cast<long double>(tolerance.absolute);
  if (kind_of(type) == Kind::kFloat) {
    limit += static_cast<long double>(tolerance.relative) * std::fabs(b);
  }
  return std::fabs(a - b) <= limit;
}

// Where element number `index` of memory stands, in the axes of the tensor.
std::string coordinates(const TensorSpec& spec, uint64_t index) {
  std::vector<uint64_t> position(spec.sizes.size(), 0);
  for (size_t i = spec.dim_order.size(); i-- > 0;) {
    const uint8_t axis = spec.dim_order[i];
    const auto size = static_cast<uint64_t>(spec.sizes[axis]);
    position[axis] = index % size;
    index /= size;
  }
  std::string text = "[";
  for (size_t axis = 0; axis < position.size(); ++axis) {
    text += (axis == 0 ? "" : ", ") + std::to_string(position[axis]);
  }
  return text + "]";
}

}  // namespace

std::string element_text(const std::byte* at, ScalarType type) {
  const uint32_t bytes = element_size(type);
  switch (kind_of(type)) {
    case Kind::kSigned:
      return std::to_string(signed_value(bits_of(at, bytes), bytes));
    case Kind::kUnsigned:
      return std::to_string(bits_of(at, bytes));
    case Kind::kFloat: {
      char text[40];
      std::snprintf(text, sizeof text, bytes == 8 ? "%.17g" : "%.9g", float_value(at, type));
      return text;
    }
    case Kind::kRaw:
      break;
  }
  std::string text = "0x";
  for (uint32_t i = bytes; i-- > 0;) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", std::to_integer<unsigned>(at[i]));
    text += pair;
  }
  return text;
}

std::optional<Mismatch> compare(const Bytes& got, const Bytes& expected, const TensorSpec& spec,
                                const Tolerance& tolerance) {
  const uint32_t bytes = element_size(spec.dtype);
  Mismatch mismatch;
  mismatch.total = got.size() / bytes;
  for (uint64_t i = 0; i < mismatch.total; ++i) {
    const std::byte* a = got.data() + i * bytes;
    const std::byte* b = expected.data() + i * bytes;
    if (close(a, b, spec.dtype, tolerance)) continue;
    if (mismatch.count++ > 0) continue;
    mismatch.element = coordinates(spec, i);
    mismatch.got = element_text(a, spec.dtype);
    mismatch.expected = element_text(b, spec.dtype);
  }
  if (mismatch.count == 0) return std::nullopt;
  return mismatch;
}

}  // namespace berth::tools
