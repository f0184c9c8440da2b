#include "compiler/import/tflite/widen_constants.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "contract/half_floats.h"

namespace berth::import {
namespace {

using Code = wire::BuiltinOperator;

template <typename T>
T read_at(std::span<const std::byte> data, uint64_t i) {
  T value;
  std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
  return value;
}

void write_at(std::byte* out, uint64_t i, float value) {
  std::memcpy(out + i * sizeof(value), &value, sizeof(value));
}

// (element - zero point) * scale, rounded once, as DEQUANTIZE computes it. Scales of a dimension
// repeat over the elements behind it.
template <typename T>
void widen_integers(const FileTensor& it, std::byte* out) {
  const Quantization& q = it.quantization;
  size_t behind = 1;
  for (size_t d = it.shape.size(); d-- > static_cast<size_t>(q.dimension) + 1;)
    behind *= static_cast<size_t>(it.shape[d]);
  for (size_t i = 0; i < it.element_count; ++i) {
    const size_t channel = q.scales.size() == 1 ? 0 : i / behind % q.scales.size();
    const auto offset =
        static_cast<double>(int64_t{read_at<T>(it.data, i)} - q.zero_points[channel]);
    write_at(out, i, static_cast<float>(offset * static_cast<double>(q.scales[channel])));
  }
}

bool is_widened(const FileTensor& it) {
  if (!it.is_constant() || !it.unusable.empty()) return false;
  if (it.dtype == ScalarType::kHalf) return true;
  const bool is_integer = it.dtype == ScalarType::kChar || it.dtype == ScalarType::kByte ||
                          it.dtype == ScalarType::kShort || it.dtype == ScalarType::kInt;
  return is_integer && !it.quantization.scales.empty();
}

// REQUIRES: is_widened(it).
void widen(const FileTensor& it, std::byte* out) {
  switch (it.dtype) {
    case ScalarType::kHalf:
      for (uint64_t i = 0; i < it.element_count; ++i)
        write_at(out, i, Half{read_at<uint16_t>(it.data, i)});
      return;
    case ScalarType::kChar:
      return widen_integers<int8_t>(it, out);
    case ScalarType::kByte:
      return widen_integers<uint8_t>(it, out);
    case ScalarType::kShort:
      return widen_integers<int16_t>(it, out);
    default:
      return widen_integers<int32_t>(it, out);
  }
}

// The input that may be int8 where everything else is float32, or -1.
int filter_of(Code code) {
  switch (code) {
    case Code::CONV_2D:
    case Code::DEPTHWISE_CONV_2D:
    case Code::TRANSPOSE_CONV:
    case Code::FULLY_CONNECTED:
    case Code::BATCH_MATMUL:
      return 1;
    default:
      return -1;
  }
}

class Widener {
 public:
  Widener(TfliteFile* file, FileSubgraph* subgraph) : file_(*file), subgraph_(*subgraph) {}

  // The bytes of tensor `t` as float32 ones; empty when the allowance does not pay for them.
  std::span<const std::byte> floats_of(int32_t t) {
    std::span<const std::byte>& known = known_[t];
    const uint64_t size = tensor(t).element_count * sizeof(float);
    if (known.empty() && file_.allowance.spend(size)) {
      std::vector<std::byte>& bytes = file_.made_bytes.emplace_back(size);
      widen(tensor(t), bytes.data());
      known = bytes;
    }
    return known;
  }

  FileTensor& tensor(int32_t t) { return subgraph_.tensors[static_cast<size_t>(t)]; }

  void widen_dequantize(FileOperator* op, bool* paid) {
    if (op->code != Code::DEQUANTIZE || op->inputs.size() != 1 || op->outputs.size() != 1) return;
    if (op->inputs[0] < 0) return;
    const std::span<const int32_t> given = subgraph_.inputs;
    if (std::find(given.begin(), given.end(), op->outputs[0]) != given.end()) return;
    const FileTensor& in = tensor(op->inputs[0]);
    FileTensor& out = tensor(op->outputs[0]);
    op->is_done = is_widened(in) && !out.is_constant() && out.unusable.empty() &&
                  out.dtype == ScalarType::kFloat && out.element_count == in.element_count;
    if (!op->is_done) return;
    out.data = floats_of(op->inputs[0]);
    *paid = !out.data.empty();
  }

  // How many bytes the filter has now, or 0 when it stays.
  uint64_t widen_filter(FileOperator* op, bool* paid) {
    constexpr size_t kMostInputs = 4;  // more are the importer's to refuse, not ours to copy
    const int slot = filter_of(op->code);
    if (slot < 0 || op->inputs.size() > kMostInputs ||
        op->inputs.size() <= static_cast<size_t>(slot) || op->outputs.empty())
      return 0;
    const int32_t filter = op->inputs[static_cast<size_t>(slot)];
    if (filter < 0 || tensor(op->outputs[0]).dtype != ScalarType::kFloat) return 0;
    if (tensor(filter).dtype != ScalarType::kChar || !is_widened(tensor(filter))) return 0;
    FileTensor wide = tensor(filter);
    wide.data = floats_of(filter);
    wide.dtype = ScalarType::kFloat;
    wide.type = wire::TensorType::FLOAT32;
    wide.quantization = {};
    *paid = !wide.data.empty();
    std::vector<int32_t>& inputs =
        file_.made_inputs.emplace_back(op->inputs.begin(), op->inputs.end());
    inputs[static_cast<size_t>(slot)] = static_cast<int32_t>(subgraph_.tensors.size());
    op->inputs = inputs;
    subgraph_.tensors.push_back(wide);
    return wide.data.size();
  }

 private:
  TfliteFile& file_;
  FileSubgraph& subgraph_;
  std::map<int32_t, std::span<const std::byte>> known_;  // by tensor
};

}  // namespace

MaybeError widen_constants(TfliteFile* file, Diagnostics* diagnostics) {
  for (FileSubgraph& subgraph : file->subgraphs) {
    Widener widener(file, &subgraph);
    uint64_t filters = 0, filter_bytes = 0;
    for (FileOperator& op : subgraph.operators) {
      bool paid = true;
      widener.widen_dequantize(&op, &paid);
      const uint64_t bytes = widener.widen_filter(&op, &paid);
      filters += bytes == 0 ? 0 : 1;
      filter_bytes += bytes;
      if (!paid) return file->allowance.error(operator_name(op));
    }
    if (filters == 0 || diagnostics == nullptr) continue;
    diagnostics->notes.push_back(
        {"operators",
         std::to_string(filters) +
             " of them have int8 weights and float32 activations; "
             "the weights become float32 (" +
             std::to_string(filter_bytes) +
             " bytes), and activations are not rounded to int8 as TFLite rounds them"});
  }
  return {};
}

}  // namespace berth::import
