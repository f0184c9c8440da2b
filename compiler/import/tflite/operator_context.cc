#include "compiler/import/tflite/operator_context.h"

#include <algorithm>
#include <cstring>

namespace berth::import {
namespace {

template <typename Size>
std::string in_brackets(std::span<const Size> shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) text += (d == 0 ? "" : ",") + std::to_string(shape[d]);
  return text + "]";
}

const char* wire_name(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::kFloat:
      return "FLOAT32";
    case ScalarType::kChar:
      return "INT8";
    case ScalarType::kShort:
      return "INT16";
    case ScalarType::kInt:
      return "INT32";
    case ScalarType::kLong:
      return "INT64";
    default:
      return scalar_type_name(dtype);
  }
}

}  // namespace

std::string OperatorContext::input_text(int i) const {
  const int32_t index = input_index(i);
  return "inputs[" + std::to_string(i) + "] (tensors[" + std::to_string(index) + "] " +
         quoted(tensor(index).name) + ")";
}

std::string OperatorContext::output_text(int o) const {
  return "outputs[" + std::to_string(o) + "] (tensors[" + std::to_string(output_index(o)) + "] " +
         quoted(output(o).name) + ")";
}

MaybeFailure OperatorContext::expect_dtype(int i, ScalarType dtype) const {
  if (at(i).dtype == dtype) return {};
  return unsupported(text(i) + " is " + type_name(at(i).type) + "; " + wire_name(dtype) +
                     " is supported here");
}

MaybeFailure OperatorContext::expect_rank(int i, size_t rank) const {
  if (at(i).shape.size() == rank) return {};
  return malformed(text(i) + " has the shape " + shape_text(i) + "; it has " +
                   std::to_string(rank) + " dimensions");
}

std::string OperatorContext::shape_text(int i) const { return in_brackets(at(i).shape); }

MaybeFailure OperatorContext::expect_shape(int i, std::span<const int64_t> shape) const {
  const std::span<const int32_t> has = at(i).shape;
  if (std::equal(has.begin(), has.end(), shape.begin(), shape.end())) return {};
  return malformed(text(i) + " has the shape " + shape_text(i) + "; the operator makes it " +
                   in_brackets(shape));
}

MaybeFailure OperatorContext::read_params(int i, PerTensor* params) const {
  const Quantization& q = at(i).quantization;
  if (q.scales.size() != 1) {
    return unsupported(text(i) + " has " + std::to_string(q.scales.size()) +
                       " scales; one is supported here");
  }
  *params = {q.scales[0], static_cast<int32_t>(q.zero_points[0])};
  if (at(i).dtype == ScalarType::kShort && params->zero_point != 0) {
    return unsupported(text(i) + " has the zero point " + std::to_string(params->zero_point) +
                       "; 16-bit activations are symmetric (0)");
  }
  return {};
}

MaybeFailure OperatorContext::normalise_axis(int i, int64_t axis, int64_t* normal) const {
  const auto rank = static_cast<int64_t>(at(i).shape.size());
  if (axis < -rank || axis >= rank) {
    return malformed("the axis is " + std::to_string(axis) + "; " + text(i) + " has " +
                     std::to_string(rank) + " dimensions");
  }
  *normal = axis < 0 ? axis + rank : axis;
  return {};
}

MaybeFailure OperatorContext::expect_same_params(int i, int output) const {
  const Quantization& in = input(i).quantization;
  const Quantization& out = at(output).quantization;
  if (in.scales.size() != 1 || out.scales.size() != 1) return {};
  if (same_scale(in.scales[0], out.scales[0]) && in.zero_points[0] == out.zero_points[0]) return {};
  return unsupported(input_text(i) + " has scale " + std::to_string(in.scales[0]) +
                     ", zero point " + std::to_string(in.zero_points[0]) + " and the output " +
                     std::to_string(out.scales[0]) + ", " + std::to_string(out.zero_points[0]) +
                     "; they are equal where bytes are only moved");
}

MaybeFailure OperatorContext::read_ints(int i, size_t limit, std::vector<int64_t>* numbers) const {
  const FileTensor& it = input(i);
  if (!it.is_constant())
    return unsupported(input_text(i) + " is computed at run time; a constant is supported here");
  if (it.dtype != ScalarType::kInt && it.dtype != ScalarType::kLong) {
    return malformed(input_text(i) + " is " + type_name(it.type) + "; INT32 or INT64 is expected");
  }
  if (it.element_count > limit) {
    return malformed(input_text(i) + " has " + std::to_string(it.element_count) +
                     " numbers; at most " + std::to_string(limit));
  }
  numbers->clear();
  const size_t size = element_size(it.dtype);
  for (size_t n = 0; n < it.element_count; ++n) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (it.dtype == ScalarType::kLong) {
      std::memcpy(&wide, it.data.data() + n * size, size);
    } else {
      std::memcpy(&narrow, it.data.data() + n * size, size);
      wide = narrow;
    }
    numbers->push_back(wide);
  }
  return {};
}

MaybeFailure OperatorContext::read_activation(wire::ActivationFunctionType activation,
                                              const PerTensor& params, Range* range) const {
  const std::optional<Range> found = activation_range(activation, output().dtype, params);
  if (!found) {
    const std::string name = wire::EnumNameActivationFunctionType(activation);
    return unsupported("the fused activation " +
                       (name.empty() ? std::to_string(static_cast<int>(activation)) : name) +
                       "; NONE, RELU, RELU6 and RELU_N1_TO_1 are supported");
  }
  *range = *found;
  return {};
}

void OperatorContext::add_node(const OperatorSchema& schema, std::vector<ir::Arg> args,
                               ir::ValueId result) {
  add_node(schema, std::move(args), std::vector<ir::ValueId>{result});
}

void OperatorContext::add_node(const OperatorSchema& schema, std::vector<ir::Arg> args,
                               std::vector<ir::ValueId> results) {
  ir::Node node;
  node.op = schema.name;
  node.overload = schema.overload;
  node.args = std::move(args);
  node.results = std::move(results);
  graph_->nodes.push_back(std::move(node));
}

ir::ValueId OperatorContext::constant_input(int i, const char* suffix) {
  return layout_->constant(input_index(i), value_name(output().name, output_index()) + suffix);
}

ir::ValueId OperatorContext::constant_image_input(int i, const char* suffix) {
  return layout_->constant_image(input_index(i),
                                 value_name(output().name, output_index()) + suffix);
}

ir::ValueId OperatorContext::add_view(const char* suffix, ir::ValueId source, ir::TensorSpec spec) {
  const ir::ValueId view = add_temporary(suffix, std::move(spec));
  ir::Node node;
  node.kind = ir::NodeKind::kView;
  node.args = {ir::Ref{source}};
  node.results = {view};
  graph_->nodes.push_back(std::move(node));
  return view;
}

ir::ValueId OperatorContext::add_temporary(const char* suffix, ir::TensorSpec spec) {
  ir::Value value;
  value.name = value_name(output().name, output_index()) + suffix;
  value.spec = std::move(spec);
  value.origin = origin_of(output().name);
  return graph_->add_value(std::move(value));
}

ir::ValueId OperatorContext::add_constant(const char* suffix, ScalarType dtype,
                                          std::vector<int32_t> sizes, ir::Bytes bytes) {
  std::vector<uint8_t> order = ir::contiguous_order(sizes.size());
  return add_constant(suffix, ir::TensorSpec{dtype, std::move(sizes), std::move(order)},
                      std::move(bytes));
}

ir::ValueId OperatorContext::add_constant(const char* suffix, ir::TensorSpec spec,
                                          ir::Bytes bytes) {
  return graph_->add_constant(value_name(output().name, output_index()) + suffix, std::move(spec),
                              std::move(bytes));
}

ir::ValueId OperatorContext::add_constant(const char* suffix, std::span<const int32_t> numbers) {
  const std::span<const std::byte> bytes = std::as_bytes(numbers);
  return add_constant(suffix, ScalarType::kInt, {static_cast<int32_t>(numbers.size())},
                      {bytes.begin(), bytes.end()});
}

MaybeFailure OperatorContext::pay(uint64_t bytes) {
  if (allowance_->spend(bytes)) return {};
  return malformed(allowance_->error("").message);
}

bool broadcasts_to(std::span<const int32_t> from, std::span<const int32_t> to) {
  if (from.size() > to.size()) return false;
  to = to.last(from.size());
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != to[d] && from[d] != 1) return false;
  }
  return true;
}

}  // namespace berth::import
