// One cell of a method's value table: 16 bytes on every ABI. Lists are not copied: they point at
// the indices or literals in the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/tensor.h"

namespace berth::runtime {

// The numbers are those of the file's KernelTypes union, kNone for Null.
enum class Tag : uint8_t {
  kNone = 1,
  kInt = 2,
  kBool = 3,
  kDouble = 4,
  kTensor = 5,
  kString = 6,
  kIntList = 7,
  kDoubleList = 8,
  kBoolList = 9,
  kTensorList = 10,
  kOptionalTensorList = 11,
};

struct EValue {
  union {
    int64_t integer;
    double number;
    bool boolean;
    Tensor* tensor;
    const char* string;       // count characters, then a NUL
    const int64_t* int_list;  // count indices of Int values
    const double* double_list;
    const uint8_t* bool_list;
    const int32_t* tensor_list;  // count indices of Tensor values; -1 = none in an optional list
  };
  uint32_t count = 0;
  Tag tag = Tag::kNone;
  uint8_t flags = 0;  // what the loader knows of the cell (runtime/load); kernels leave it alone

  EValue() : integer(0) {}
};

}  // namespace berth::runtime
