// The order of the checks: FlatBuffers' own verifier (every offset, vector and string inside the
// bytes), then what the tables mean, outside in: model, buffers, operator codes, subgraphs,
// tensors (tensor_reader.h), operators, signatures, metadata.
#include "compiler/import/tflite/tflite_file.h"

#include <algorithm>
#include <cstring>

#include "compiler/import/tflite/flatbuffer_views.h"
#include "compiler/import/tflite/offline_plan.h"
#include "compiler/import/tflite/tensor_reader.h"
#include "contract/checked.h"

namespace berth::import {
namespace {

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
      buffers_.push_back(
          bytes_.subspan(static_cast<size_t>(buffer.offset()), static_cast<size_t>(buffer.size())));
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
    TensorReader reader(buffers_, &allowance_);
    for (uint32_t t = 0; t < count; ++t) {
      const wire::Tensor& tensor = *subgraph.tensors()->Get(t);
      FileTensor& result = out.tensors[t];
      result.name = as_view(tensor.name());
      const std::string place = place_ + "tensors[" + text(t) + "]";
      if (auto error = reader.read(place, tensor, result)) return error;
    }
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
