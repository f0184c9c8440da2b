// A .tflite file as checked, plain structs: the one place that meets a stranger's bytes. When
// `read_tflite` returns a file, every index points at something, every count matches what it
// counts, every size is the size of its shape, and every span lies inside the bytes; the importer
// behind it checks meaning only.
//
// Nothing is copied: names, shapes, scales and constants are views of the caller's bytes, which
// must outlive the file.
//
// What a FlatBuffers verifier cannot see is refused here too: one table may be referenced from many
// places, so that a small file could describe a huge model (allowance.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/import/tflite/allowance.h"
#include "contract/result.h"
#include "contract/scalar_type.h"
#include "format/tflite_generated.h"

namespace berth::import {

namespace wire = format::tflite;

struct Quantization {
  std::span<const float> scales;         // empty: not quantised; one: per tensor
  std::span<const int64_t> zero_points;  // as many
  int32_t dimension = 0;                 // of the scales, when there are several
};

struct FileTensor {
  std::string_view name;
  wire::TensorType type = wire::TensorType::FLOAT32;
  ScalarType dtype = ScalarType::kFloat;  // REQUIRES for use: unusable is empty
  std::span<const int32_t> shape;
  uint64_t element_count = 1;
  std::span<const std::byte> data;  // empty: computed at run time
  bool is_variable = false;
  bool open_shape = false;  // some dimension is unknown in the file (signature -1)
  Quantization quantization;
  std::string unusable;  // why no operator may use it ("is INT4"); usually empty
  bool is_constant() const { return !data.empty(); }
};

struct FileOperator {
  wire::BuiltinOperator code = wire::BuiltinOperator::ADD;
  std::string_view custom_name;     // of CUSTOM
  std::span<const int32_t> inputs;  // -1: an optional input that is absent
  std::span<const int32_t> outputs;
  const wire::Operator* table = nullptr;  // for its options
  bool is_done = false;                   // its output is a constant by now (widen_constants.h)
};

struct FileSubgraph {
  std::string_view name;  // of its signature, or its own; may be empty
  std::vector<FileTensor> tensors;
  std::span<const int32_t> inputs;
  std::span<const int32_t> outputs;
  std::vector<FileOperator> operators;
};

struct TfliteFile {
  std::vector<FileSubgraph> subgraphs;  // at least one
  Allowance allowance{0};               // what reading left for importing
  // What some spans point at that is not in the caller's bytes (widen_constants.h).
  std::deque<std::vector<std::byte>> made_bytes;
  std::deque<std::vector<int32_t>> made_inputs;
};

// REQUIRES: bytes begin at an address that is a multiple of 8. Notes (an offline memory plan, for
// one) go to `diagnostics`, which may be null.
Result<TfliteFile> read_tflite(std::span<const std::byte> bytes, Diagnostics* diagnostics);

// `CONV_2D`, `CUSTOM "ethos-u"`, `operator 300`: how errors name an operator.
std::string operator_name(const FileOperator& op);
// A name out of the file, fit for a line of text: quoted, control characters replaced, not too
// long.
std::string quoted(std::string_view name);
// `INT8`, or `type 77`.
std::string type_name(wire::TensorType type);

}  // namespace berth::import
