#include "runtime/kernels/portable/element_blocks.h"

#include <type_traits>

#include "contract/half_floats.h"

namespace berth::runtime {
namespace {

struct Bool {
  uint8_t byte;
};

// Total, where a cast is not: NaN and what lies outside become the least integer.
template <typename Float>
int64_t to_integer(Float value) {
  constexpr Float kLimit = static_cast<Float>(9223372036854775808.0);
  return value >= -kLimit && value < kLimit ? static_cast<int64_t>(value) : INT64_MIN;
}

template <typename C, typename Element>
C read(Element element) {
  if constexpr (std::is_same_v<Element, Bool>) {
    return static_cast<C>(element.byte != 0 ? 1 : 0);
  } else if constexpr (std::is_same_v<Element, Half> || std::is_same_v<Element, BFloat16>) {
    return read<C>(static_cast<float>(element));
  } else if constexpr (std::is_floating_point_v<Element> && std::is_integral_v<C>) {
    return to_integer(element);
  } else {
    return static_cast<C>(element);
  }
}

template <typename C, typename Element>
Element write(C value) {
  if constexpr (std::is_same_v<Element, Bool>) {
    return {static_cast<uint8_t>(value != 0 ? 1 : 0)};
  } else if constexpr (std::is_same_v<Element, Half> || std::is_same_v<Element, BFloat16>) {
    return Element::from(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<C> && std::is_integral_v<Element>) {
    return static_cast<Element>(to_integer(value));
  } else {
    return static_cast<Element>(value);
  }
}

// visit(Element{}) for the type of `dtype`'s elements.
template <typename Visit>
bool with_element(ScalarType dtype, const Visit& visit) {
  switch (dtype) {
    case ScalarType::kByte:
      visit(uint8_t{});
      return true;
    case ScalarType::kChar:
      visit(int8_t{});
      return true;
    case ScalarType::kShort:
      visit(int16_t{});
      return true;
    case ScalarType::kInt:
      visit(int32_t{});
      return true;
    case ScalarType::kLong:
      visit(int64_t{});
      return true;
    case ScalarType::kHalf:
      visit(Half{});
      return true;
    case ScalarType::kBFloat16:
      visit(BFloat16{});
      return true;
    case ScalarType::kFloat:
      visit(float{});
      return true;
    case ScalarType::kDouble:
      visit(double{});
      return true;
    case ScalarType::kBool:
      visit(Bool{});
      return true;
    default:
      return false;
  }
}

template <typename C>
void load(ScalarType dtype, const void* data, size_t offset, size_t step, size_t count, void* to) {
  with_element(dtype, [&](auto element) {
    using Element = decltype(element);
    const Element* from = static_cast<const Element*>(data) + offset;
    C* block = static_cast<C*>(to);
    if (step == 1) {
      for (size_t i = 0; i < count; ++i) block[i] = read<C>(from[i]);
    } else {
      for (size_t i = 0; i < count; ++i) block[i] = read<C>(from[i * step]);
    }
  });
}

template <typename C>
void store(ScalarType dtype, const void* from, size_t count, void* data, size_t offset,
           size_t step) {
  with_element(dtype, [&](auto element) {
    using Element = decltype(element);
    const C* block = static_cast<const C*>(from);
    Element* to = static_cast<Element*>(data) + offset;
    if (step == 1) {
      for (size_t i = 0; i < count; ++i) to[i] = write<C, Element>(block[i]);
    } else {
      for (size_t i = 0; i < count; ++i) to[i * step] = write<C, Element>(block[i]);
    }
  });
}

}  // namespace

bool has_arithmetic(ScalarType dtype) {
  return with_element(dtype, [](auto) {});
}

void load_block(Compute compute, ScalarType dtype, const void* data, size_t offset, size_t step,
                size_t count, void* to) {
  switch (compute) {
    case Compute::kFloat:
      return load<float>(dtype, data, offset, step, count, to);
    case Compute::kDouble:
      return load<double>(dtype, data, offset, step, count, to);
    case Compute::kInteger:
      return load<int64_t>(dtype, data, offset, step, count, to);
  }
}

void store_block(Compute compute, ScalarType dtype, const void* from, size_t count, void* data,
                 size_t offset, size_t step) {
  switch (compute) {
    case Compute::kFloat:
      return store<float>(dtype, from, count, data, offset, step);
    case Compute::kDouble:
      return store<double>(dtype, from, count, data, offset, step);
    case Compute::kInteger:
      return store<int64_t>(dtype, from, count, data, offset, step);
  }
}

}  // namespace berth::runtime
