#include "compiler/import/tflite/layout.h"

#include <algorithm>
#include <string>

namespace berth::import {
namespace {

ir::TensorSpec make_spec(ScalarType dtype, std::vector<int32_t> sizes) {
  std::vector<uint8_t> order = ir::contiguous_order(sizes.size());
  return {dtype, std::move(sizes), std::move(order)};
}

}  // namespace

std::shared_ptr<const ir::Bytes> ConstantBytes::copy(std::span<const std::byte> bytes) {
  std::shared_ptr<const ir::Bytes>& known = copies_[{bytes.data(), bytes.size()}];
  if (known == nullptr && allowance_->spend(bytes.size())) {
    known = std::make_shared<const ir::Bytes>(bytes.begin(), bytes.end());
  }
  return known;
}

std::string_view origin_of(std::string_view tensor_name) {
  constexpr size_t kLongest = 200;  // a stranger may give a million tensors one endless name
  return tensor_name.substr(0, kLongest);
}

std::string value_name(std::string_view tensor_name, int32_t tensor) {
  constexpr size_t kLongest = 60;
  const std::string_view origin = origin_of(tensor_name);
  const std::string_view first = origin.substr(0, origin.find(';'));
  if (first.empty()) return "t" + std::to_string(tensor);
  return std::string(first.size() > kLongest ? first.substr(first.size() - kLongest) : first);
}

Layout::Layout(const FileSubgraph& subgraph, ConstantBytes* constants, ir::Graph* graph)
    : subgraph_(subgraph), constants_(constants), graph_(graph), forms_(subgraph.tensors.size()) {
  for (const int32_t input : subgraph.inputs) {
    ir::Value value;
    value.name = value_name(tensor(input).name, input);
    value.kind = ir::ValueKind::kInput;
    value.spec = plain_spec(input);
    value.origin = origin_of(tensor(input).name);
    forms(input).root = forms(input).plain = graph_->add_value(std::move(value));
    graph_->inputs.push_back(forms(input).root);
  }
}

ir::TensorSpec Layout::plain_spec(int32_t index) const {
  const FileTensor& it = tensor(index);
  return make_spec(it.dtype, {it.shape.begin(), it.shape.end()});
}

ir::TensorSpec Layout::image_spec(int32_t index) const {
  const std::span<const int32_t> nhwc = tensor(index).shape;
  return {tensor(index).dtype, {nhwc[0], nhwc[3], nhwc[1], nhwc[2]}, ir::channels_last_order()};
}

int32_t Layout::constant_of(int32_t index) const {
  if (forms(index).constant >= 0) return forms(index).constant;
  return tensor(index).is_constant() ? index : -1;
}

bool Layout::is_defined(int32_t index) const {
  return forms(index).root >= 0 || constant_of(index) >= 0;
}

bool Layout::has_image(int32_t index) const {
  return tensor(index).shape.size() == 4 && (forms(index).image >= 0 || constant_of(index) >= 0);
}

ir::ValueId Layout::plain(int32_t index) {
  ir::ValueId& known = forms(index).plain;
  if (known < 0) known = add_form(index, plain_spec(index), ".plain");
  return known;
}

ir::ValueId Layout::constant(int32_t index, std::string name) {
  ir::ValueId& known = forms(index).plain;
  if (known < 0) known = add_constant(index, plain_spec(index), std::move(name));
  return known;
}

ir::ValueId Layout::constant_image(int32_t index, std::string name) {
  ir::ValueId& known = forms(index).image;
  if (known < 0) known = add_constant(index, image_spec(index), std::move(name));
  return known;
}

ir::ValueId Layout::image(int32_t index) {
  ir::ValueId& known = forms(index).image;
  if (known < 0) known = add_form(index, image_spec(index), ".image");
  return known;
}

ir::ValueId Layout::reshaped(int32_t index, std::vector<int32_t> sizes) {
  ir::TensorSpec spec = make_spec(tensor(index).dtype, std::move(sizes));
  if (spec == plain_spec(index)) return plain(index);
  return add_form(index, std::move(spec), ".view");
}

ir::ValueId Layout::add_form(int32_t index, ir::TensorSpec spec, const char* suffix) {
  const ir::ValueId root = forms(index).root;
  if (root >= 0 && graph_->value(root).spec == spec) return root;
  if (constant_of(index) >= 0)
    return add_constant(index, std::move(spec), value_name(tensor(index).name, index));
  ir::Value value;
  value.spec = std::move(spec);
  value.origin = origin_of(tensor(index).name);
  value.name = value_name(tensor(index).name, index) + (forms(index).is_alias ? "" : suffix);
  const ir::ValueId view = graph_->add_value(std::move(value));
  ir::Node node;
  node.kind = ir::NodeKind::kView;
  node.args = {ir::Ref{root}};
  node.results = {view};
  graph_->nodes.push_back(std::move(node));
  return view;
}

ir::ValueId Layout::add_constant(int32_t index, ir::TensorSpec spec, std::string name) {
  ir::Value value;
  value.name = std::move(name);
  value.kind = ir::ValueKind::kConstant;
  value.spec = std::move(spec);
  value.data = constants_->copy(tensor(constant_of(index)).data);
  value.origin = origin_of(tensor(index).name);
  overspent_ = overspent_ || value.data == nullptr;
  return graph_->add_value(std::move(value));
}

ir::ValueId Layout::add_result(int32_t index, ir::TensorSpec spec) {
  ir::Value value;
  value.name = value_name(tensor(index).name, index);
  value.spec = std::move(spec);
  value.origin = origin_of(tensor(index).name);
  return forms(index).root = graph_->add_value(std::move(value));
}

ir::ValueId Layout::define_plain(int32_t index) {
  return forms(index).plain = add_result(index, plain_spec(index));
}

ir::ValueId Layout::define_image(int32_t index) {
  return forms(index).image = add_result(index, image_spec(index));
}

ir::ValueId Layout::define_reshaped(int32_t index, std::vector<int32_t> sizes) {
  ir::TensorSpec spec = make_spec(tensor(index).dtype, std::move(sizes));
  if (spec == plain_spec(index)) return define_plain(index);
  return add_result(index, std::move(spec));
}

void Layout::define_alias(int32_t index, int32_t source) {
  forms(index).is_alias = true;
  forms(index).root = forms(source).root;
  forms(index).constant = constant_of(source);
  // Equal sizes: the same values serve.
  const FileTensor& from = tensor(source);
  const FileTensor& to = tensor(index);
  if (std::equal(from.shape.begin(), from.shape.end(), to.shape.begin(), to.shape.end())) {
    forms(index).plain = forms(source).plain;
    forms(index).image = forms(source).image;
  }
}

}  // namespace berth::import
