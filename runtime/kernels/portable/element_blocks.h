// Tensors of any dtype, read and written in blocks of a type that arithmetic is done in. Kernels
// have loops for the three types of Compute only, and a fast path where the dtype is that type
// already; so each operator is a few loops, not one per dtype.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/scalar_type.h"
#include "runtime/core/tensor.h"

namespace berth::runtime {

enum class Compute : uint8_t {
  kFloat,    // float, and the 16-bit floats
  kDouble,   // double
  kInteger,  // int64_t: integers of all widths, which wrap when they are stored, and bool
};

// Elements per block. Kernels keep a few blocks on the stack.
constexpr size_t kBlock = 64;
constexpr size_t kBlockBytes = kBlock * sizeof(double);

// The dtypes that blocks can be made of: uint8, int8 .. int64, float16, bfloat16, float32, float64,
// bool.
bool has_arithmetic(ScalarType dtype);

constexpr bool is_floating(ScalarType dtype) {
  return dtype == ScalarType::kFloat || dtype == ScalarType::kDouble ||
         dtype == ScalarType::kHalf || dtype == ScalarType::kBFloat16;
}

constexpr Compute compute_of(ScalarType dtype) {
  return dtype == ScalarType::kDouble ? Compute::kDouble
         : is_floating(dtype)         ? Compute::kFloat
                                      : Compute::kInteger;
}

// The dtype that needs no conversion.
constexpr ScalarType native_dtype(Compute compute) {
  return compute == Compute::kFloat    ? ScalarType::kFloat
         : compute == Compute::kDouble ? ScalarType::kDouble
                                       : ScalarType::kLong;
}

// count elements of `dtype`, the first at index `offset`, each `step` after the one before, as
// numbers of `compute`. REQUIRES: has_arithmetic(dtype).
void load_block(Compute compute, ScalarType dtype, const void* data, size_t offset, size_t step,
                size_t count, void* to);

// The other way. Floats become integers towards zero; out of range or NaN they become some integer.
// Bool is what is not 0. REQUIRES: has_arithmetic(dtype).
void store_block(Compute compute, ScalarType dtype, const void* from, size_t count, void* data,
                 size_t offset, size_t step);

}  // namespace berth::runtime
