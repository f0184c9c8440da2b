#include "compiler/import/tflite/small_model.h"

#include <cstring>
#include <numeric>

namespace berth::import {
namespace {

namespace fb = format::tflite;

struct Place {
  uint64_t offset, size;
};

struct Built {
  std::vector<flatbuffers::Offset<fb::Buffer>> buffers;
  std::vector<flatbuffers::Offset<fb::OperatorCode>> codes;
  std::vector<std::vector<uint8_t>> appended;  // data of buffers behind the FlatBuffer
  std::vector<Place> places;                   // where they will be, once that is known
};

uint32_t add_buffer(flatbuffers::FlatBufferBuilder& fbb, const std::vector<uint8_t>& data,
                    bool append, Built* built) {
  const auto index = static_cast<uint32_t>(built->buffers.size());
  if (append) {
    // Anything but a default, which would not be written: the size of the FlatBuffer stays the
    // same.
    constexpr Place kUnknown{0x7777, 0x7777};
    const size_t number = built->appended.size();
    const Place place = number < built->places.size() ? built->places[number] : kUnknown;
    built->buffers.push_back(fb::CreateBuffer(fbb, 0, place.offset, place.size));
    built->appended.push_back(data);
  } else {
    built->buffers.push_back(fb::CreateBuffer(fbb, fbb.CreateVector(data)));
  }
  return index;
}

flatbuffers::Offset<fb::Tensor> add_tensor(flatbuffers::FlatBufferBuilder& fbb,
                                           const SmallTensor& t, bool append, Built* built) {
  uint32_t buffer = t.data.empty() ? 0 : add_buffer(fbb, t.data, append, built);
  if (t.buffer) buffer = *t.buffer;
  flatbuffers::Offset<fb::QuantizationParameters> quantization = 0;
  if (!t.scales.empty() || t.is_blockwise) {
    const auto scales = fbb.CreateVector(t.scales);
    const auto zero_points = fbb.CreateVector(t.zero_points);
    flatbuffers::Offset<void> details = 0;
    if (t.is_blockwise) details = fb::CreateBlockwiseQuantization(fbb, 0, 0, 32).Union();
    quantization = fb::CreateQuantizationParameters(
        fbb, 0, 0, scales, zero_points,
        t.is_blockwise ? fb::QuantizationDetails::BlockwiseQuantization
                       : fb::QuantizationDetails::NONE,
        details, t.dimension);
  }
  flatbuffers::Offset<fb::SparsityParameters> sparsity = 0;
  if (t.is_sparse) sparsity = fb::CreateSparsityParameters(fbb);
  const auto shape = fbb.CreateVector(t.shape);
  const auto name = fbb.CreateString(t.name);
  const auto signature = t.signature.empty() ? 0 : fbb.CreateVector(t.signature);
  return fb::CreateTensor(fbb, shape, t.type, buffer, name, quantization, t.is_variable, sparsity,
                          signature, true, 0, t.external_buffer);
}

flatbuffers::Offset<fb::Operator> add_operator(flatbuffers::FlatBufferBuilder& fbb,
                                               const SmallOperator& op, Built* built) {
  const auto index = static_cast<uint32_t>(built->codes.size());
  const auto code = static_cast<int32_t>(op.code);
  const int8_t old_code = op.deprecated_code.value_or(static_cast<int8_t>(code > 127 ? 127 : code));
  const auto custom = op.custom.empty() ? 0 : fbb.CreateString(op.custom);
  built->codes.push_back(fb::CreateOperatorCode(fbb, old_code, custom, 1, op.code));
  std::pair<BuiltinOptions, flatbuffers::Offset<void>> options{BuiltinOptions::NONE, 0};
  if (op.options) options = op.options(fbb);
  const auto inputs = fbb.CreateVector(op.inputs);
  const auto outputs = fbb.CreateVector(op.outputs);
  const auto intermediates = op.intermediates.empty() ? 0 : fbb.CreateVector(op.intermediates);
  return fb::CreateOperator(fbb, op.opcode_index.value_or(index), inputs, outputs, options.first,
                            options.second, 0, fb::CustomOptionsFormat::FLEXBUFFERS, 0,
                            intermediates, op.large_custom_options_offset,
                            op.large_custom_options_size);
}

flatbuffers::Offset<fb::SignatureDef> add_signature(flatbuffers::FlatBufferBuilder& fbb,
                                                    const SmallSignature& s) {
  const auto maps = [&](const std::vector<uint32_t>& tensors) {
    std::vector<flatbuffers::Offset<fb::TensorMap>> list;
    for (const uint32_t tensor : tensors)
      list.push_back(fb::CreateTensorMap(fbb, fbb.CreateString("x"), tensor));
    return fbb.CreateVector(list);
  };
  const auto inputs = maps(s.inputs);
  const auto outputs = maps(s.outputs);
  return fb::CreateSignatureDef(fbb, inputs, outputs, fbb.CreateString(s.key), s.subgraph);
}

// The FlatBuffer alone.
FileBytes build_flatbuffer(const SmallModel& model, Built* result) {
  flatbuffers::FlatBufferBuilder fbb;
  Built& built = *result;
  built.buffers.push_back(fb::CreateBuffer(fbb));
  std::vector<flatbuffers::Offset<fb::SubGraph>> graphs;
  for (const SmallSubgraph& subgraph : model.subgraphs) {
    std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
    for (const SmallTensor& t : subgraph.tensors)
      tensors.push_back(add_tensor(fbb, t, model.append_buffers, &built));
    std::vector<flatbuffers::Offset<fb::Operator>> operators;
    for (const SmallOperator& op : subgraph.operators)
      operators.push_back(add_operator(fbb, op, &built));
    const auto tensor_list = fbb.CreateVector(tensors);
    const auto inputs = fbb.CreateVector(subgraph.inputs);
    const auto outputs = fbb.CreateVector(subgraph.outputs);
    const auto operator_list = fbb.CreateVector(operators);
    graphs.push_back(fb::CreateSubGraph(fbb, tensor_list, inputs, outputs, operator_list,
                                        fbb.CreateString(subgraph.name)));
  }
  std::vector<flatbuffers::Offset<fb::Metadata>> notes;
  for (const auto& [name, data] : model.metadata) {
    const uint32_t buffer = add_buffer(fbb, data, false, &built);
    notes.push_back(
        fb::CreateMetadata(fbb, fbb.CreateString(name), model.metadata_buffer.value_or(buffer)));
  }
  std::vector<flatbuffers::Offset<fb::SignatureDef>> defs;
  for (const SmallSignature& signature : model.signatures)
    defs.push_back(add_signature(fbb, signature));
  std::vector<flatbuffers::Offset<fb::ExternalBufferGroup>> groups;
  if (model.has_external_groups)
    groups.push_back(fb::CreateExternalBufferGroup(fbb, fbb.CreateString("weights.bin")));
  const auto codes = fbb.CreateVector(built.codes);
  const auto graph_list = fbb.CreateVector(graphs);
  const auto buffers = fbb.CreateVector(built.buffers);
  const auto note_list = fbb.CreateVector(notes);
  const auto def_list = fbb.CreateVector(defs);
  const auto group_list = fbb.CreateVector(groups);
  fbb.Finish(fb::CreateModel(fbb, model.version, codes, graph_list, fbb.CreateString("small"),
                             buffers, 0, note_list, def_list, group_list),
             fb::ModelIdentifier());
  FileBytes file(fbb.GetSize());
  std::memcpy(file.data(), fbb.GetBufferPointer(), file.size());
  return file;
}

}  // namespace

FileBytes SmallModel::build() const {
  Built built;
  FileBytes file = build_flatbuffer(*this, &built);
  if (built.appended.empty()) return file;
  Built again;
  std::vector<size_t> begins;
  size_t end = file.size();
  for (const std::vector<uint8_t>& data : built.appended) {
    begins.push_back((end + 15) / 16 * 16);
    end = begins.back() + data.size();
    again.places.push_back({begins.back() + static_cast<uint64_t>(appended_offset_error),
                            data.size() + static_cast<uint64_t>(appended_size_error)});
  }
  file = build_flatbuffer(*this, &again);
  file.resize(end);
  for (size_t i = 0; i < begins.size(); ++i) {
    std::memcpy(file.data() + begins[i], built.appended[i].data(), built.appended[i].size());
  }
  return file;
}

std::vector<uint8_t> int32_bytes(const std::vector<int32_t>& numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(int32_t));
  if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

SmallModel one_operator(BuiltinOperator code, std::vector<SmallTensor> tensors,
                        std::vector<int32_t> inputs, OptionsBuilder options) {
  SmallModel model;
  SmallSubgraph& graph = model.main();
  SmallOperator op;
  op.code = code;
  op.options = std::move(options);
  op.inputs.resize(tensors.size() - 1);
  std::iota(op.inputs.begin(), op.inputs.end(), 0);
  op.outputs = {static_cast<int32_t>(tensors.size()) - 1};
  graph.tensors = std::move(tensors);
  graph.inputs = std::move(inputs);
  graph.outputs = op.outputs;
  graph.operators = {std::move(op)};
  return model;
}

}  // namespace berth::import
