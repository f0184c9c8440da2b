// From a dtype to the C++ type that a kernel is compiled for, by what it does with elements: moves
// them, orders them or adds them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_checks.h"

namespace berth::runtime {

// a + b. Integers wrap, bool is or.
template <typename T>
struct Plus {
  static T add(T a, T b) { return static_cast<T>(a + b); }
};
template <>
struct Plus<int32_t> {
  static int32_t add(int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  }
};
template <>
struct Plus<int64_t> {
  static int64_t add(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
};

// Stands for a bool in memory, which is any byte.
struct BoolByte {
  uint8_t byte;
};
template <>
struct Plus<BoolByte> {
  static BoolByte add(BoolByte a, BoolByte b) {
    return {static_cast<uint8_t>(a.byte != 0 || b.byte != 0)};
  }
};

// Names a type to a function.
template <typename T>
struct TypeTag {
  using Type = T;
};

// Calls apply(TypeTag<T>) with the element's type; kBadArguments for types that cannot be added.
template <typename Apply>
Status with_addable(ScalarType dtype, const Apply& apply) {
  switch (dtype) {
    case ScalarType::kByte:
      return apply(TypeTag<uint8_t>());
    case ScalarType::kChar:
      return apply(TypeTag<int8_t>());
    case ScalarType::kShort:
      return apply(TypeTag<int16_t>());
    case ScalarType::kInt:
      return apply(TypeTag<int32_t>());
    case ScalarType::kLong:
      return apply(TypeTag<int64_t>());
    case ScalarType::kFloat:
      return apply(TypeTag<float>());
    case ScalarType::kDouble:
      return apply(TypeTag<double>());
    case ScalarType::kBool:
      return apply(TypeTag<BoolByte>());
    default:
      return Status::kBadArguments;
  }
}

// Calls apply(TypeTag<T>) with a type that orders as the element's does (bool as a byte);
// kBadArguments for others.
template <typename Apply>
Status with_ordered(ScalarType dtype, const Apply& apply) {
  switch (dtype) {
    case ScalarType::kByte:
    case ScalarType::kBool:
      return apply(TypeTag<uint8_t>());
    case ScalarType::kChar:
      return apply(TypeTag<int8_t>());
    case ScalarType::kShort:
      return apply(TypeTag<int16_t>());
    case ScalarType::kInt:
      return apply(TypeTag<int32_t>());
    case ScalarType::kLong:
      return apply(TypeTag<int64_t>());
    case ScalarType::kFloat:
      return apply(TypeTag<float>());
    case ScalarType::kDouble:
      return apply(TypeTag<double>());
    default:
      return Status::kBadArguments;
  }
}

// Calls apply(TypeTag<T>) with an integer type as wide as an element.
template <typename Apply>
Status with_width(ScalarType dtype, const Apply& apply) {
  switch (element_size(dtype)) {
    case 1:
      return apply(TypeTag<uint8_t>());
    case 2:
      return apply(TypeTag<uint16_t>());
    case 4:
      return apply(TypeTag<uint32_t>());
    case 8:
      return apply(TypeTag<uint64_t>());
    default:
      return Status::kBadArguments;  // complex doubles
  }
}

}  // namespace berth::runtime
