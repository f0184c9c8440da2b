// The order of the checks: FlatBuffers' own verifier (every offset, vector and string inside the
// bytes), then what the tables mean, outside in: model, buffers, operator codes, subgraphs,
// tensors, operators, signatures, metadata.
#include "compiler/import/tflite/tflite_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "compiler/import/tflite/offline_plan.h"
#include "contract/checked.h"

namespace berth::import {
namespace {

constexpr size_t kMaxRank = 16;  // what a .pte tensor and the runtime's kernels take
constexpr uint64_t kMaxElements = (uint64_t{1} << 31) - 1;  // kernels count in 32 bits

std::string text(uint64_t value) { return std::to_string(value); }

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

template <typename T>
std::span<const T> as_span(const flatbuffers::Vector<T>* vector) {
  if (vector == nullptr) return {};
  return {vector->data(), vector->size()};
}

std::string_view as_view(const flatbuffers::String* string) {
  if (string == nullptr) return {};
  return {string->c_str(), string->size()};
}

template <typename T>
uint32_t count_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, Diagnostics* diagnostics)
      : bytes_(bytes), diagnostics_(diagnostics), allowance_(bytes.size()) {}

  Result<TfliteFile> read() {
    if (auto error = check_flatbuffer()) return *error;
    if (auto error = read_buffers()) return *error;
    if (auto error = check_codes()) return *error;
    if (auto error = read_subgraphs()) return *error;
    if (auto error = read_signatures()) return *error;
    if (auto error = check_metadata()) return *error;
    file_.allowance = allowance_;
    return std::move(file_);
  }

 private:
  MaybeError check_flatbuffer() {
    constexpr size_t kSmallest = 8;
    if (bytes_.size() < kSmallest) {
      return Error{"file", "has " + text(bytes_.size()) + " bytes; a TFLite file has at least " +
                               text(kSmallest)};
    }
    const auto* start = reinterpret_cast<const uint8_t*>(bytes_.data());
    if (std::memcmp(start + 4, wire::ModelIdentifier(), 4) != 0) {
      return Error{"file", "bytes 4 to 7 are not \"TFL3\"; is this a TFLite file?"};
    }
    // The FlatBuffer itself stays under 2 GiB; what lies behind it is reached by 64-bit offsets.
    const size_t verified = std::min<size_t>(bytes_.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
    flatbuffers::Verifier verifier(start, verified);
    if (!wire::VerifyModelBuffer(verifier)) {
      return Error{"file",
                   "is not a whole FlatBuffer: a table, vector or string lies outside its " +
                       text(bytes_.size()) + " bytes; was it truncated?"};
    }
    model_ = wire::GetModel(start);
    if (model_->version() != 3)
      return Error{"version", "is " + text(model_->version()) + "; version 3 is read"};
    if (count_of(model_->external_buffer_groups()) != 0 ||
        count_of(model_->external_buffers()) != 0) {
      return Error{"external_buffer_groups",
                   "the model keeps constants in other files; only single files are read"};
    }
    return {};
  }

  MaybeError read_buffers() {
    const uint32_t count = count_of(model_->buffers());
    if (!allowance_.spend(count * sizeof(std::span<const std::byte>)))
      return allowance_.error("buffers");
    buffers_.reserve(count);
    for (uint32_t b = 0; b < count; ++b) {
      const wire::Buffer& buffer = *model_->buffers()->Get(b);
      const std::string place = "buffers[" + text(b) + "]";
      const uint32_t inside = count_of(buffer.data());
      if (buffer.offset() <= 1) {
        buffers_.push_back(inside == 0 ? std::span<const std::byte>{}
                                       : std::as_bytes(std::span(buffer.data()->data(), inside)));
        continue;
      }
      if (inside != 0) {
        return Error{place, "has " + text(inside) + " bytes of data and the offset " +
                                text(buffer.offset()) +
                                "; a buffer lies inside the FlatBuffer or behind it, not in both"};
      }
      uint64_t end = 0;
      if (!checked_add(buffer.offset(), buffer.size(), &end) || end > bytes_.size()) {
        return Error{place, "offset " + text(buffer.offset()) + " and size " + text(buffer.size()) +
                                " leave the file of " + text(bytes_.size()) + " bytes"};
      }
      buffers_.push_back(bytes_.subspan(buffer.offset(), buffer.size()));
    }
    return {};
  }

  MaybeError check_codes() {
    const uint32_t count = count_of(model_->operator_codes());
    for (uint32_t c = 0; c < count; ++c) {
      const wire::OperatorCode& code = *model_->operator_codes()->Get(c);
      if (effective_code(code) < 0) {
        return Error{"operator_codes[" + text(c) + "].builtin_code",
                     "is " + std::to_string(effective_code(code)) + "; codes are 0 or more"};
      }
    }
    return {};
  }

  static int32_t effective_code(const wire::OperatorCode& code) {
    return std::max<int32_t>(code.deprecated_builtin_code(),
                             static_cast<int32_t>(code.builtin_code()));
  }

  MaybeError read_subgraphs() {
    const uint32_t count = count_of(model_->subgraphs());
    if (count == 0) return Error{"subgraphs", "there are none; a model has at least one"};
    if (!allowance_.spend(count * sizeof(FileSubgraph))) return allowance_.error("subgraphs");
    file_.subgraphs.resize(count);
    for (uint32_t s = 0; s < count; ++s) {
      place_ = "subgraphs[" + text(s) + "].";
      const wire::SubGraph& subgraph = *model_->subgraphs()->Get(s);
      FileSubgraph& out = file_.subgraphs[s];
      out.name = as_view(subgraph.name());
      if (auto error = read_tensors(subgraph, out)) return error;
      const size_t tensors = out.tensors.size();
      if (auto error = read_indices("inputs", subgraph.inputs(), tensors, 0, out.inputs))
        return error;
      if (auto error = read_indices("outputs", subgraph.outputs(), tensors, 0, out.outputs))
        return error;
      if (auto error = check_inputs(out)) return error;
      if (auto error = read_operators(subgraph, out)) return error;
    }
    place_.clear();
    return {};
  }

  // Tensor indices of `field`, each in [lowest, tensors).
  MaybeError read_indices(const std::string& field, const flatbuffers::Vector<int32_t>* vector,
                          size_t tensors, int32_t lowest, std::span<const int32_t>& out) {
    out = as_span(vector);
    if (!allowance_.spend(out.size_bytes())) return allowance_.error(place_ + field);
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] < lowest || (out[i] >= 0 && static_cast<size_t>(out[i]) >= tensors)) {
        return Error{place_ + field + "[" + text(i) + "]",
                     "is " + std::to_string(out[i]) + "; there are " + text(tensors) + " tensors"};
      }
    }
    return {};
  }

  MaybeError check_inputs(const FileSubgraph& subgraph) const {
    std::vector<bool> seen(subgraph.tensors.size(), false);
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      const size_t t = static_cast<size_t>(subgraph.inputs[i]);
      const std::string place = place_ + "inputs[" + text(i) + "]";
      if (seen[t]) return Error{place, "is tensor " + text(t) + " again; an input is listed once"};
      if (subgraph.tensors[t].is_constant()) {
        return Error{place, "is tensor " + text(t) + ", which has " +
                                text(subgraph.tensors[t].data.size()) +
                                " bytes of data; an input has none"};
      }
      seen[t] = true;
    }
    return {};
  }

  MaybeError read_tensors(const wire::SubGraph& subgraph, FileSubgraph& out) {
    const uint32_t count = count_of(subgraph.tensors());
    if (!allowance_.spend(count * sizeof(FileTensor))) return allowance_.error(place_ + "tensors");
    out.tensors.resize(count);
    total_tensors_ += count;
    for (uint32_t t = 0; t < count; ++t) {
      const wire::Tensor& tensor = *subgraph.tensors()->Get(t);
      FileTensor& result = out.tensors[t];
      result.name = as_view(tensor.name());
      const std::string place = place_ + "tensors[" + text(t) + "]";
      if (auto error = read_tensor(place, tensor, result)) return error;
    }
    return {};
  }

  MaybeError read_tensor(const std::string& place, const wire::Tensor& tensor, FileTensor& out) {
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

  MaybeError read_shape(const std::string& place, const wire::Tensor& tensor, FileTensor& out) {
    out.shape = as_span(tensor.shape());
    if (!allowance_.spend(out.shape.size_bytes())) return allowance_.error(place);
    if (out.shape.size() > kMaxRank) {
      return Error{place + ".shape",
                   "has " + text(out.shape.size()) + " dimensions; at most " + text(kMaxRank)};
    }
    for (size_t d = 0; d < out.shape.size(); ++d) {
      const int32_t size = out.shape[d];
      if (size < 0)
        return Error{place + ".shape[" + text(d) + "]",
                     "is " + std::to_string(size) + "; 1 or more"};
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

  MaybeError read_quantization(const std::string& place, const wire::QuantizationParameters* table,
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
                     "is " + std::to_string(zero_points[i]) + "; " + type_name(out.type) +
                         " takes " + std::to_string(range->first) + " to " +
                         std::to_string(range->second)};
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
        return Error{place + ".scale",
                     "has " + text(scales.size()) + " values; dimension " +
                         std::to_string(dimension) + " has " +
                         std::to_string(out.shape[static_cast<size_t>(dimension)])};
      }
      out.quantization.dimension = dimension;
    }
    out.quantization.scales = scales;
    out.quantization.zero_points = zero_points;
    return {};
  }

  MaybeError read_operators(const wire::SubGraph& subgraph, FileSubgraph& out) {
    const uint32_t count = count_of(subgraph.operators());
    if (!allowance_.spend(count * sizeof(FileOperator)))
      return allowance_.error(place_ + "operators");
    out.operators.resize(count);
    const std::string subgraph_place = place_;
    for (uint32_t o = 0; o < count; ++o) {
      const wire::Operator& op = *subgraph.operators()->Get(o);
      FileOperator& result = out.operators[o];
      place_ = subgraph_place + "operators[" + text(o) + "].";
      const uint32_t codes = count_of(model_->operator_codes());
      if (op.opcode_index() >= codes) {
        return Error{place_ + "opcode_index", "is " + text(op.opcode_index()) + "; there are " +
                                                  text(codes) + " operator codes"};
      }
      const wire::OperatorCode& code = *model_->operator_codes()->Get(op.opcode_index());
      result.code = static_cast<wire::BuiltinOperator>(effective_code(code));
      result.custom_name = as_view(code.custom_code());
      result.table = &op;
      const size_t tensors = out.tensors.size();
      if (auto error = read_indices("inputs", op.inputs(), tensors, -1, result.inputs))
        return error;
      if (auto error = read_indices("outputs", op.outputs(), tensors, 0, result.outputs))
        return error;
      std::span<const int32_t> intermediates;
      if (auto error =
              read_indices("intermediates", op.intermediates(), tensors, -1, intermediates))
        return error;
      uint64_t end = 0;
      if (!checked_add(op.large_custom_options_offset(), op.large_custom_options_size(), &end) ||
          end > bytes_.size()) {
        return Error{place_ + "large_custom_options_offset",
                     "is " + text(op.large_custom_options_offset()) + " with size " +
                         text(op.large_custom_options_size()) + "; the file has " +
                         text(bytes_.size()) + " bytes"};
      }
    }
    place_ = subgraph_place;
    return {};
  }

  // A signature gives its subgraph the name users know; the first one of a subgraph counts.
  MaybeError read_signatures() {
    const uint32_t count = count_of(model_->signature_defs());
    std::vector<bool> named(file_.subgraphs.size(), false);
    for (uint32_t s = 0; s < count; ++s) {
      const wire::SignatureDef& signature = *model_->signature_defs()->Get(s);
      const std::string place = "signature_defs[" + text(s) + "].";
      if (signature.subgraph_index() >= file_.subgraphs.size()) {
        return Error{place + "subgraph_index", "is " + text(signature.subgraph_index()) +
                                                   "; there are " + text(file_.subgraphs.size()) +
                                                   " subgraphs"};
      }
      FileSubgraph& subgraph = file_.subgraphs[signature.subgraph_index()];
      if (auto error = check_signature_tensors(place + "inputs", signature.inputs(), subgraph))
        return error;
      if (auto error = check_signature_tensors(place + "outputs", signature.outputs(), subgraph))
        return error;
      const std::string_view key = as_view(signature.signature_key());
      if (!key.empty() && !named[signature.subgraph_index()]) subgraph.name = key;
      named[signature.subgraph_index()] = true;
    }
    return {};
  }

  static MaybeError check_signature_tensors(
      const std::string& place,
      const flatbuffers::Vector<flatbuffers::Offset<wire::TensorMap>>* maps,
      const FileSubgraph& subgraph) {
    for (uint32_t i = 0; i < count_of(maps); ++i) {
      const uint32_t index = maps->Get(i)->tensor_index();
      if (index >= subgraph.tensors.size()) {
        return Error{
            place + "[" + text(i) + "].tensor_index",
            "is " + text(index) + "; there are " + text(subgraph.tensors.size()) + " tensors"};
      }
    }
    return {};
  }

  MaybeError check_metadata() {
    const uint32_t count = count_of(model_->metadata());
    for (uint32_t m = 0; m < count; ++m) {
      const wire::Metadata& metadata = *model_->metadata()->Get(m);
      const std::string place = "metadata[" + text(m) + "]";
      if (metadata.buffer() >= buffers_.size()) {
        return Error{place + ".buffer", "is " + text(metadata.buffer()) + "; there are " +
                                            text(buffers_.size()) + " buffers"};
      }
      if (as_view(metadata.name()) != kOfflinePlanName) continue;
      const std::string plan = place + " " + kOfflinePlanName;
      if (auto error = check_offline_plan(plan, buffers_[metadata.buffer()], total_tensors_)) {
        return error;
      }
      note(plan, "the offline memory plan for " + text(total_tensors_) +
                     " tensors is ignored: memory is planned anew");
    }
    return {};
  }

  void note(std::string place, std::string message) {
    if (diagnostics_ != nullptr)
      diagnostics_->notes.push_back({std::move(place), std::move(message)});
  }

  std::span<const std::byte> bytes_;
  Diagnostics* diagnostics_;
  Allowance allowance_;
  const wire::Model* model_ = nullptr;
  std::vector<std::span<const std::byte>> buffers_;
  TfliteFile file_;
  std::string place_;  // prefix of the places of what is being read
  uint64_t total_tensors_ = 0;
};

}  // namespace

Result<TfliteFile> read_tflite(std::span<const std::byte> bytes, Diagnostics* diagnostics) {
  return Reader(bytes, diagnostics).read();
}

std::string operator_name(const FileOperator& op) {
  if (op.code == wire::BuiltinOperator::CUSTOM) return "CUSTOM " + quoted(op.custom_name);
  const std::string name = wire::EnumNameBuiltinOperator(op.code);
  return name.empty() ? "operator " + std::to_string(static_cast<int32_t>(op.code)) : name;
}

std::string type_name(wire::TensorType type) {
  const std::string name = wire::EnumNameTensorType(type);
  return name.empty() ? "type " + std::to_string(static_cast<int>(type)) : name;
}

std::string quoted(std::string_view name) {
  constexpr size_t kLongest = 80;
  std::string result = "\"";
  for (const char c : name.substr(0, kLongest)) {
    const auto code = static_cast<unsigned char>(c);
    result += code < 0x20 || code == 0x7F || c == '"' ? '?' : c;
  }
  return result + (name.size() > kLongest ? "...\"" : "\"");
}

}  // namespace berth::import
