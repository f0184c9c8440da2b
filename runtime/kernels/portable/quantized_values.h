// Scales and zero points of quantized_decomposed:: operators, and the integers made with them.
#pragma once

#include <cmath>

#include "runtime/kernels/portable/element_types.h"
#include "runtime/kernels/portable/tensor_dims.h"
#include "runtime/kernels/rounding.h"

namespace berth::runtime {

// Zero points further out than this are refused: what is added to or taken from one of the narrower
// integers, or from a float rounded within 2^30, then fits 32 bits.
constexpr int64_t kZeroPointLimit = (int64_t{1} << 30) - 1;

// A tensor of scales (float or double) or zero points (int32 or int64), read one by one.
class QuantValues {
 public:
  QuantValues() = default;
  explicit QuantValues(const Tensor& tensor) : data_(tensor.data), dtype_(tensor.dtype) {}

  static bool are_scales(const Tensor& tensor) {
    return tensor.dtype == ScalarType::kFloat || tensor.dtype == ScalarType::kDouble;
  }
  static bool are_zero_points(const Tensor& tensor) {
    return tensor.dtype == ScalarType::kInt || tensor.dtype == ScalarType::kLong;
  }
  float scale(size_t i) const {
    return dtype_ == ScalarType::kFloat ? static_cast<const float*>(data_)[i]
                                        : static_cast<float>(static_cast<const double*>(data_)[i]);
  }
  // 0 where there are none; limited, so that no value can overflow what is done with it.
  int32_t zero_point(size_t i) const {
    if (data_ == nullptr) return 0;
    const int64_t value = dtype_ == ScalarType::kInt ? static_cast<const int32_t*>(data_)[i]
                                                     : static_cast<const int64_t*>(data_)[i];
    return static_cast<int32_t>(value < -kZeroPointLimit  ? -kZeroPointLimit
                                : value > kZeroPointLimit ? kZeroPointLimit
                                                          : value);
  }

 private:
  const void* data_ = nullptr;
  ScalarType dtype_ = ScalarType::kFloat;
};

// Scale and zero point of some elements.
struct QuantParams {
  float scale = 1.0f;
  int32_t zero_point = 0;
};

// Calls apply(TypeTag<T>) for the integer types that tensors are quantised to.
template <typename Apply>
Status with_quantized(ScalarType dtype, const Apply& apply) {
  switch (dtype) {
    case ScalarType::kByte:
      return apply(TypeTag<uint8_t>());
    case ScalarType::kChar:
      return apply(TypeTag<int8_t>());
    case ScalarType::kShort:
      return apply(TypeTag<int16_t>());
    case ScalarType::kUInt16:
      return apply(TypeTag<uint16_t>());
    case ScalarType::kInt:
      return apply(TypeTag<int32_t>());
    default:
      return Status::kBadArguments;
  }
}

// The bounds of a quantised value: arguments (low, high, dtype) from `index` on, which must be of
// the tensor's type.
struct QuantRange {
  int32_t low = 0;
  int32_t high = 0;
};

inline Status read_quant_range(const Args& args, uint32_t index, ScalarType dtype,
                               QuantRange* out) {
  KERNEL_REQUIRE(args.integer(index + 2) == static_cast<int64_t>(dtype), kBadArguments);
  const int64_t low = args.integer(index), high = args.integer(index + 1);
  KERNEL_REQUIRE(low <= high, kBadArguments);
  const Status fitting = with_quantized(dtype, [=](auto tag) {
    using T = typename decltype(tag)::Type;
    KERNEL_REQUIRE(fits<T>(low) && fits<T>(high), kBadArguments);
    return Status::kOk;
  });
  KERNEL_TRY(fitting);
  out->low = static_cast<int32_t>(low);
  out->high = static_cast<int32_t>(high);
  return Status::kOk;
}

// round(x / scale) + zero point, within range; NaN gives the lower bound.
template <typename T>
class Quantizer {
 public:
  Quantizer(const QuantParams& params, const QuantRange& range)
      : inverse_(1.0f / params.scale), range_(range), zero_point_(params.zero_point) {}

  T operator()(float x) const {
    const float scaled = x * inverse_;
    if (sizeof(T) < 4) return narrow(scaled);
    // Too wide for floats to clamp in.
    const double whole = std::nearbyint(static_cast<double>(scaled)) + zero_point_;
    if (!(whole > range_.low)) return static_cast<T>(range_.low);
    return static_cast<T>(whole < range_.high ? static_cast<int32_t>(whole) : range_.high);
  }

 private:
  T narrow(float scaled) const {
    const int32_t rounded = scaled != scaled ? -(1 << 30) : round_half_even(scaled);
    const int32_t value = rounded + zero_point_;
    return static_cast<T>(value < range_.low    ? range_.low
                          : value > range_.high ? range_.high
                                                : value);
  }

  float inverse_;
  QuantRange range_;
  int32_t zero_point_;
};

template <typename T>
float dequantize(T value, const QuantParams& params) {
  if (sizeof(T) < 4) return static_cast<float>(int32_t{value} - params.zero_point) * params.scale;
  return static_cast<float>(int64_t{value} - params.zero_point) * params.scale;
}

}  // namespace berth::runtime
