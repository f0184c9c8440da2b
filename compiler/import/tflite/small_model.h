// Small TFLite files made on the spot, for tests: describe tensors and operators, change whatever
// should be wrong, build. Nothing is checked here, so that every field can hold a hostile value.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite/import_test_support.h"
#include "format/tflite_generated.h"

namespace berth::import {

using format::tflite::BuiltinOperator;
using format::tflite::BuiltinOptions;
using format::tflite::TensorType;

struct SmallTensor {
  std::vector<int32_t> shape = {};
  TensorType type = TensorType::INT8;
  std::vector<float> scales = {0.5F};
  std::vector<int64_t> zero_points = {0};
  int32_t dimension = 0;
  std::vector<uint8_t> data = {};  // empty: buffer 0
  std::string name = {};
  std::vector<int32_t> signature = {};
  std::optional<uint32_t> buffer = {};  // instead of one of its own
  bool is_variable = false;
  bool is_sparse = false;
  bool is_blockwise = false;
  uint32_t external_buffer = 0;
};

using OptionsBuilder = std::function<std::pair<BuiltinOptions, flatbuffers::Offset<void>>(
    flatbuffers::FlatBufferBuilder&)>;

struct SmallOperator {
  BuiltinOperator code = BuiltinOperator::ADD;
  std::vector<int32_t> inputs = {}, outputs = {};
  OptionsBuilder options = {};
  std::string custom = {};
  std::optional<uint32_t> opcode_index = {};
  std::optional<int8_t> deprecated_code = {};
  std::vector<int32_t> intermediates = {};
  uint64_t large_custom_options_offset = 0, large_custom_options_size = 0;
};

struct SmallSubgraph {
  std::vector<SmallTensor> tensors = {};
  std::vector<int32_t> inputs = {}, outputs = {};
  std::vector<SmallOperator> operators = {};
  std::string name = {};
};

struct SmallSignature {
  std::string key = {};
  uint32_t subgraph = 0;
  std::vector<uint32_t> inputs = {}, outputs = {};
};

struct SmallModel {
  uint32_t version = 3;
  std::vector<SmallSubgraph> subgraphs = std::vector<SmallSubgraph>(1);
  std::vector<SmallSignature> signatures;
  std::vector<std::pair<std::string, std::vector<uint8_t>>> metadata;
  std::optional<uint32_t> metadata_buffer;  // instead of the right one
  bool append_buffers = false;              // constants behind the FlatBuffer
  int64_t appended_offset_error = 0, appended_size_error = 0;
  bool has_external_groups = false;

  SmallSubgraph& main() { return subgraphs[0]; }
  FileBytes build() const;
};

// Options of operators, for SmallOperator::options.
template <typename Create>
OptionsBuilder options_of(BuiltinOptions type, Create create) {
  return [=](flatbuffers::FlatBufferBuilder& fbb) { return std::pair(type, create(fbb).Union()); };
}

// `numbers` as bytes of int32.
std::vector<uint8_t> int32_bytes(const std::vector<int32_t>& numbers);

// A model of one operator: its outputs' tensors stand behind its inputs' in `tensors`, `inputs` are
// the method's.
SmallModel one_operator(BuiltinOperator code, std::vector<SmallTensor> tensors,
                        std::vector<int32_t> inputs, OptionsBuilder options = {});

}  // namespace berth::import
