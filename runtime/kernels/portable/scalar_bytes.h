// A scalar argument as an element of a tensor, and tensors filled with one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/kernels/portable/element_types.h"
#include "runtime/kernels/portable/elementwise.h"

namespace berth::runtime {

// One element as it lies in memory.
struct ScalarBytes {
  uint8_t bytes[8] = {};
};

// An Int, Double or Bool argument as an element of dtype, converted as a tensor's elements are.
inline Status read_scalar_bytes(const Args& args, uint32_t index, ScalarType dtype,
                                ScalarBytes* out) {
  KERNEL_REQUIRE(has_arithmetic(dtype), kBadArguments);
  const Number number = read_number(args.value(index));
  if (number.dtype == ScalarType::kDouble) {
    store_block(Compute::kDouble, dtype, &number.number, 1, out->bytes, 0, 1);
  } else {
    store_block(Compute::kInteger, dtype, &number.integer, 1, out->bytes, 0, 1);
  }
  return Status::kOk;
}

// All elements of out. REQUIRES: made for out's dtype.
inline void fill_tensor(const Tensor& out, const ScalarBytes& element) {
  const size_t count = out.numel();
  const Status filled = with_width(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T value;
    memcpy(&value, element.bytes, sizeof(value));
    T* to = out.as_mutable<T>();
    for (size_t i = 0; i < count; ++i) to[i] = value;
    return Status::kOk;
  });
  static_cast<void>(filled);  // a dtype with arithmetic has one of the widths
}

}  // namespace berth::runtime
