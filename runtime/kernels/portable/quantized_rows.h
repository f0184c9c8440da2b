// Rows of small weights with a scale for each row or for each group of a row's elements.
#pragma once

#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {

struct QuantizedRows {
  size_t rows = 0, depth = 0;  // elements of a row
  size_t group = 0;            // elements that share a scale
  size_t groups = 0;           // of a row
  const float* scales = nullptr;
  const Tensor* zero_points = nullptr;  // as many as scales, or null

  float scale(size_t row, size_t k) const { return scales[row * groups + k / group]; }
  float zero_point(size_t row, size_t k) const {
    if (zero_points == nullptr) return 0.0f;
    const size_t i = row * groups + k / group;
    switch (zero_points->dtype) {
      case ScalarType::kFloat:
        return zero_points->as<float>()[i];
      case ScalarType::kChar:
        return zero_points->as<int8_t>()[i];
      case ScalarType::kInt:
        return static_cast<float>(zero_points->as<int32_t>()[i]);
      default:
        return static_cast<float>(zero_points->as<int64_t>()[i]);
    }
  }
};

// weights: rank 2, `per_byte` elements in each. scales: (rows) or (rows, groups).
inline Status read_quantized_rows(const Tensor& weights, size_t per_byte, const Tensor& scales,
                                  const Tensor* zero_points, QuantizedRows* out) {
  KERNEL_REQUIRE(weights.rank == 2 && is_row_major(weights), kBadShape);
  KERNEL_REQUIRE(has_dtype(scales, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(scales.rank == 1 || scales.rank == 2, kBadShape);
  KERNEL_REQUIRE(is_row_major(scales) && scales.sizes[0] == weights.sizes[0], kBadShape);
  out->rows = static_cast<size_t>(weights.sizes[0]);
  out->depth = static_cast<size_t>(weights.sizes[1]) * per_byte;
  out->groups = scales.rank == 2 ? static_cast<size_t>(scales.sizes[1]) : 1;
  KERNEL_REQUIRE(out->groups > 0 && out->depth > 0 && out->depth % out->groups == 0, kBadShape);
  out->group = out->depth / out->groups;
  out->scales = scales.as<float>();
  out->zero_points = zero_points;
  if (zero_points == nullptr) return Status::kOk;
  const ScalarType dtype = zero_points->dtype;
  KERNEL_REQUIRE(dtype == ScalarType::kFloat || dtype == ScalarType::kChar ||
                     dtype == ScalarType::kInt || dtype == ScalarType::kLong,
                 kBadArguments);
  KERNEL_REQUIRE(same_shape(*zero_points, scales) && is_row_major(*zero_points), kBadShape);
  return Status::kOk;
}

}  // namespace berth::runtime
