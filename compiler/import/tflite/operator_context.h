// What the translation of one TFLite operator may see and do. An operator's function reads its
// tensors and options through the context, asks the layout for the forms it needs, and adds ir
// nodes. It gives back nothing, or why it cannot: `unsupported` (we lack it: the importer goes on,
// to list everything the model needs that we lack) or `malformed` (the file contradicts itself: the
// import ends).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite/layout.h"
#include "compiler/import/tflite/quantization.h"
#include "compiler/import/tflite/tflite_file.h"
#include "compiler/ir/ir.h"
#include "contract/operators.h"
#include "contract/vendor_limits.h"

namespace berth::import {

struct Failure {
  bool is_malformed = false;
  std::string message;
};
using MaybeFailure = std::optional<Failure>;

inline Failure unsupported(std::string message) { return {false, std::move(message)}; }
inline Failure malformed(std::string message) { return {true, std::move(message)}; }

class OperatorContext {
 public:
  // All pointers outlive the context. REQUIRES: required inputs present, every tensor usable, every
  // input defined.
  OperatorContext(const FileSubgraph& subgraph, const FileOperator& op, Layout* layout,
                  Allowance* allowance, ir::Graph* graph)
      : layout_(layout), subgraph_(subgraph), op_(op), allowance_(allowance), graph_(graph) {}

  Layout& layout() const { return *layout_; }
  wire::BuiltinOperator code() const { return op_.code; }
  int input_count() const { return static_cast<int>(op_.inputs.size()); }
  bool has_input(int i) const {
    return i < input_count() && op_.inputs[static_cast<size_t>(i)] >= 0;
  }
  // Indices of tensors in the subgraph: what the layout takes. REQUIRES: has_input(i).
  int32_t input_index(int i) const { return op_.inputs[static_cast<size_t>(i)]; }
  int32_t output_index(int o = 0) const { return op_.outputs[static_cast<size_t>(o)]; }
  int output_count() const { return static_cast<int>(op_.outputs.size()); }
  const FileTensor& input(int i) const { return tensor(input_index(i)); }
  const FileTensor& output(int o = 0) const { return tensor(output_index(o)); }
  // "inputs[1] (tensors[5] "conv/kernel")".
  std::string input_text(int i) const;
  std::string output_text(int o = 0) const;

  // Null when the file has none (or another operator's): every field has its default then. T =
  // wire::Conv2DOptions, ...
  template <typename T>
  const T* options() const {
    return op_.table->builtin_options_as<T>();
  }

  // What the options of type T fuse: NONE without options.
  template <typename T>
  wire::ActivationFunctionType fused_activation() const {
    const T* found = options<T>();
    return found == nullptr ? wire::ActivationFunctionType::NONE
                            : found->fused_activation_function();
  }

  // Failures to return when a tensor is not as an operator takes it. `i` of an input is its index,
  // of the output kOutput; of several outputs kOutput - 1 is the second, and so on.
  static constexpr int kOutput = -1;
  std::string text(int i) const { return i < 0 ? output_text(kOutput - i) : input_text(i); }
  std::string shape_text(int i) const;  // "[1,2,3]"
  const FileTensor& at(int i) const { return i < 0 ? output(kOutput - i) : input(i); }
  MaybeFailure expect_dtype(int i, ScalarType dtype) const;
  MaybeFailure expect_rank(int i, size_t rank) const;
  MaybeFailure expect_shape(int i, std::span<const int64_t> shape) const;
  // The tensor's only scale and zero point.
  MaybeFailure read_params(int i, PerTensor* params) const;
  // That input i and the output are quantised alike, when both are quantised: for operators that
  // only move bytes.
  MaybeFailure expect_same_params(int i, int output = kOutput) const;
  // An axis of input i, counted from the end when negative, as 0 to rank - 1.
  MaybeFailure normalise_axis(int i, int64_t axis, int64_t* normal) const;
  static constexpr size_t kMostAxes = 16;
  // The numbers of a constant int32 or int64 tensor, at most `limit`.
  MaybeFailure read_ints(int i, size_t limit, std::vector<int64_t>* numbers) const;
  MaybeFailure read_activation(wire::ActivationFunctionType activation, const PerTensor& params,
                               Range* range) const;

  // A node of this operator; in `args` every argument of the schema but the outs.
  void add_node(const OperatorSchema& schema, std::vector<ir::Arg> args, ir::ValueId result);
  void add_node(const OperatorSchema& schema, std::vector<ir::Arg> args,
                std::vector<ir::ValueId> results);
  // Constant input i, named after the output: `suffix` says what it is for. REQUIRES: a constant.
  ir::ValueId constant_input(int i, const char* suffix);
  // The same in image form. REQUIRES: a constant of 4 dimensions.
  ir::ValueId constant_image_input(int i, const char* suffix);
  // A value without a tensor of the file, for what one TFLite operator needs between two nodes.
  ir::ValueId add_temporary(const char* suffix, ir::TensorSpec spec);
  // The bytes of `source`, which is no tensor of the file either, as `spec` has them.
  ir::ValueId add_view(const char* suffix, ir::ValueId source, ir::TensorSpec spec);
  const ir::TensorSpec& spec(ir::ValueId value) const { return graph_->value(value).spec; }
  // A constant that the file does not have as such: multipliers, a table, turned weights. Call
  // `pay` for its bytes first.
  ir::ValueId add_constant(const char* suffix, ScalarType dtype, std::vector<int32_t> sizes,
                           ir::Bytes bytes);
  ir::ValueId add_constant(const char* suffix, ir::TensorSpec spec, ir::Bytes bytes);
  ir::ValueId add_constant(const char* suffix, std::span<const int32_t> numbers);
  MaybeFailure pay(uint64_t bytes);

 private:
  const FileTensor& tensor(int32_t index) const {
    return subgraph_.tensors[static_cast<size_t>(index)];
  }

  Layout* layout_;
  const FileSubgraph& subgraph_;
  const FileOperator& op_;
  Allowance* allowance_;
  ir::Graph* graph_;
};

// vendor_limits.h's question about a tensor of the file.
inline bool vendor_takes(const FileTensor& tensor) {
  return vendor_takes(tensor.dtype, tensor.shape.size());
}

// Arguments of nodes, so that a list of them reads like the schema.
inline ir::Arg num(int64_t value) { return value; }
inline ir::Arg ref(ir::ValueId value) { return ir::Ref{value}; }
inline ir::Arg flag(bool value) { return value; }
inline ir::Arg real(double value) { return value; }
inline ir::Arg ints(std::vector<int64_t> values) { return values; }
inline ir::Arg none() { return ir::None{}; }

#define BERTH_IMPORT_TRY(expression) \
  if (MaybeFailure failure = (expression)) return failure

// One per operator, grouped in *_ops.cc; importer.cc has the table.
using Translate = MaybeFailure (*)(OperatorContext&);

// Whether a tensor of shape `from` can be repeated to the shape `to`, by NumPy's rules.
bool broadcasts_to(std::span<const int32_t> from, std::span<const int32_t> to);

}  // namespace berth::import
