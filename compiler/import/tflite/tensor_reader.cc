#include "compiler/import/tflite/tensor_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/import/tflite/flatbuffer_views.h"
#include "contract/checked.h"

namespace berth::import {
namespace {

constexpr size_t kMaxRank = 16;  // what a .pte tensor and the runtime's kernels take
constexpr uint64_t kMaxElements = (uint64_t{1} << 31) - 1;  // kernels count in 32 bits

struct TypeInfo {
  bool usable;
  ScalarType dtype;
};

TypeInfo type_info(wire::TensorType type) {
  switch (type) {
    case wire::TensorType::FLOAT32:
      return {true, ScalarType::kFloat};
    case wire::TensorType::FLOAT16:
      return {true, ScalarType::kHalf};
    case wire::TensorType::INT32:
      return {true, ScalarType::kInt};
    case wire::TensorType::UINT8:
      return {true, ScalarType::kByte};
    case wire::TensorType::INT64:
      return {true, ScalarType::kLong};
    case wire::TensorType::BOOL:
      return {true, ScalarType::kBool};
    case wire::TensorType::INT16:
      return {true, ScalarType::kShort};
    case wire::TensorType::INT8:
      return {true, ScalarType::kChar};
    case wire::TensorType::FLOAT64:
      return {true, ScalarType::kDouble};
    case wire::TensorType::UINT64:
      return {true, ScalarType::kUInt64};
    case wire::TensorType::UINT32:
      return {true, ScalarType::kUInt32};
    case wire::TensorType::UINT16:
      return {true, ScalarType::kUInt16};
    case wire::TensorType::BFLOAT16:
      return {true, ScalarType::kBFloat16};
    default:
      return {false, ScalarType::kByte};
  }
}

// What a zero point of this type may be.
std::optional<std::pair<int64_t, int64_t>> zero_point_range(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::kChar:
      return {{-128, 127}};
    case ScalarType::kByte:
      return {{0, 255}};
    case ScalarType::kShort:
      return {{-32768, 32767}};
    case ScalarType::kInt:
      return {{std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()}};
    default:
      return std::nullopt;  // not a quantised type: what stands there is of no interest
  }
}

}  // namespace

MaybeError TensorReader::read(const std::string& place, const wire::Tensor& tensor,
                              FileTensor& out) {
  out.type = tensor.type();
  const TypeInfo type = type_info(out.type);
  out.dtype = type.dtype;
  out.is_variable = tensor.is_variable();
  if (!type.usable) out.unusable = "is " + type_name(out.type);
  if (tensor.sparsity() != nullptr) out.unusable = "is sparse";
  if (out.is_variable) out.unusable = "is a variable";
  if (auto error = read_shape(place, tensor, out)) return error;
  if (tensor.external_buffer() != 0) {
    return Error{place + ".external_buffer", "is " + text(tensor.external_buffer()) +
                                                 "; constants in other files are not read"};
  }
  if (tensor.buffer() >= buffers_.size() && !(tensor.buffer() == 0 && buffers_.empty())) {
    return Error{place + ".buffer", "is " + text(tensor.buffer()) + "; there are " +
                                        text(buffers_.size()) + " buffers"};
  }
  if (!buffers_.empty()) out.data = buffers_[tensor.buffer()];
  if (out.is_constant() && out.unusable.empty()) {
    const uint64_t need = out.element_count * element_size(out.dtype);
    if (out.data.size() != need) {
      return Error{place, "has " + text(out.data.size()) + " bytes in buffers[" +
                              text(tensor.buffer()) + "]; its shape and type need " + text(need)};
    }
  }
  return read_quantization(place + ".quantization", tensor.quantization(), out);
}

MaybeError TensorReader::read_shape(const std::string& place, const wire::Tensor& tensor,
                                    FileTensor& out) {
  out.shape = as_span(tensor.shape());
  if (!allowance_.spend(out.shape.size_bytes())) return allowance_.error(place);
  if (out.shape.size() > kMaxRank) {
    return Error{place + ".shape",
                 "has " + text(out.shape.size()) + " dimensions; at most " + text(kMaxRank)};
  }
  for (size_t d = 0; d < out.shape.size(); ++d) {
    const int32_t size = out.shape[d];
    if (size < 0)
      return Error{place + ".shape[" + text(d) + "]", "is " + std::to_string(size) + "; 1 or more"};
    if (size == 0) out.unusable = "has no elements: dimension " + text(d) + " is 0";
    uint64_t count = 0;
    if (!checked_mul(out.element_count, static_cast<uint64_t>(size), &count) ||
        count > kMaxElements) {
      return Error{place + ".shape", "has more than " + text(kMaxElements) + " elements"};
    }
    out.element_count = count;
  }
  const std::span<const int32_t> signature = as_span(tensor.shape_signature());
  if (signature.empty()) return {};
  if (signature.size() != out.shape.size()) {
    return Error{
        place + ".shape_signature",
        "has " + text(signature.size()) + " dimensions; shape has " + text(out.shape.size())};
  }
  out.open_shape =
      std::any_of(signature.begin(), signature.end(), [](int32_t size) { return size < 0; });
  return {};
}

MaybeError TensorReader::read_quantization(const std::string& place,
                                           const wire::QuantizationParameters* table,
                                           FileTensor& out) {
  if (table == nullptr) return {};
  if (table->details_type() != wire::QuantizationDetails::NONE)
    out.unusable = "has block-wise or custom quantisation";
  const std::span<const float> scales = as_span(table->scale());
  if (scales.empty()) return {};  // min and max alone are statistics
  const std::optional<std::pair<int64_t, int64_t>> range = zero_point_range(out.dtype);
  if (!range || !out.unusable.empty()) return {};
  // The verifier looks at the alignment of a vector's length alone.
  if (table->zero_point() != nullptr &&
      reinterpret_cast<uintptr_t>(table->zero_point()->Data()) % alignof(int64_t) != 0) {
    return Error{place + ".zero_point",
                 "does not begin at a multiple of 8 bytes; 64-bit numbers are aligned"};
  }
  const std::span<const int64_t> zero_points = as_span(table->zero_point());
  if (!allowance_.spend(scales.size_bytes() + zero_points.size_bytes()))
    return allowance_.error(place);
  if (zero_points.size() != scales.size()) {
    return Error{place + ".zero_point",
                 "has " + text(zero_points.size()) + " values; scale has " + text(scales.size())};
  }
  for (size_t i = 0; i < scales.size(); ++i) {
    if (!std::isfinite(scales[i]) || scales[i] <= 0) {
      return Error{place + ".scale[" + text(i) + "]",
                   "is " + std::to_string(scales[i]) + "; a scale is positive and finite"};
    }
    if (zero_points[i] < range->first || zero_points[i] > range->second) {
      return Error{place + ".zero_point[" + text(i) + "]",
                   "is " + std::to_string(zero_points[i]) + "; " + type_name(out.type) + " takes " +
                       std::to_string(range->first) + " to " + std::to_string(range->second)};
    }
  }
  if (scales.size() > 1) {
    const int32_t dimension = table->quantized_dimension();
    if (dimension < 0 || static_cast<size_t>(dimension) >= out.shape.size()) {
      return Error{place + ".quantized_dimension", "is " + std::to_string(dimension) +
                                                       "; the tensor has " +
                                                       text(out.shape.size()) + " dimensions"};
    }
    if (static_cast<size_t>(out.shape[static_cast<size_t>(dimension)]) != scales.size()) {
      return Error{place + ".scale", "has " + text(scales.size()) + " values; dimension " +
                                         std::to_string(dimension) + " has " +
                                         std::to_string(out.shape[static_cast<size_t>(dimension)])};
    }
    out.quantization.dimension = dimension;
  }
  out.quantization.scales = scales;
  out.quantization.zero_points = zero_points;
  return {};
}

}  // namespace berth::import
