#include "compiler/passes/activation.h"

#include <cstring>

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using ir::ValueId;

ValueId ref_at(const Node& node, size_t argument) { return std::get<Ref>(node.args[argument]).id; }

// The one number that all elements of an integer constant are.
std::optional<int64_t> splat(const ir::Value& value) {
  const size_t step = element_size(value.spec.dtype);
  if (!value.data || value.data->empty() || !type_range(value.spec.dtype)) return std::nullopt;
  const std::byte* bytes = value.data->data();
  if (std::memcmp(bytes, bytes + step, value.data->size() - step) != 0) return std::nullopt;
  if (step == 1) return static_cast<int8_t>(bytes[0]);
  int16_t number = 0;
  std::memcpy(&number, bytes, step);
  return number;
}

std::optional<Range> clamp_of_table(const Table& table) {
  const Range range{table[0], table[255]};
  if (range.low > range.high) return std::nullopt;
  for (int i = 0; i < 256; ++i) {
    if (table[i] != clamp_to_range(i - 128, range)) return std::nullopt;
  }
  return range;
}

Table table_of_clamp(const Range& range) {
  Table table{};
  for (int i = 0; i < 256; ++i) table[i] = static_cast<int8_t>(clamp_to_range(i - 128, range));
  return table;
}

// Fills input and clamp, or input and table.
bool read_form(const ir::Graph& graph, const Node& node, const Range& type, Activation* out) {
  if (ir::is_operator(node, ops::kAtenClamp)) {
    const auto low = whole_bound(node.args[1], type.low);
    const auto high = whole_bound(node.args[2], type.high);
    // Bounds the wrong way round, or outside what the type holds: the kernel's business.
    if (!low || !high || *low > *high || *low > type.high || *high < type.low) return false;
    out->input = ref_at(node, 0);
    out->clamp = Range{clamp_to_range(*low, type), clamp_to_range(*high, type)};
    return true;
  }
  const auto is = [&node](const OperatorSchema& schema) { return ir::is_operator(node, schema); };
  const bool is_minimum = is(ops::kMinimum) || is(ops::kBerthMinimum);
  if (is_minimum || is(ops::kMaximum) || is(ops::kBerthMaximum)) {
    const auto first = splat(graph.value(ref_at(node, 0)));
    const auto second = splat(graph.value(ref_at(node, 1)));
    if (!first && !second) return false;
    const int64_t limit = second ? *second : *first;
    out->input = ref_at(node, second ? 0 : 1);
    out->clamp = is_minimum ? Range{type.low, limit} : Range{limit, type.high};
    return true;
  }
  if (!ir::is_operator(node, ops::kQuantizedActivation)) return false;
  const ir::Value& table = graph.value(ref_at(node, 1));
  if (!table.data || table.spec.dtype != ScalarType::kChar || table.data->size() != 256) {
    return false;
  }
  out->input = ref_at(node, 0);
  out->table.emplace();
  std::memcpy(out->table->data(), table.data->data(), 256);
  return true;
}

}  // namespace

std::optional<Range> type_range(ScalarType type) {
  if (type == ScalarType::kChar) return Range{-128, 127};
  if (type == ScalarType::kShort) return Range{-32768, 32767};
  return std::nullopt;
}

std::optional<int64_t> whole_bound(const ir::Arg& arg, int64_t otherwise) {
  if (std::holds_alternative<ir::None>(arg)) return otherwise;
  if (const auto* integer = std::get_if<int64_t>(&arg)) return *integer;
  return std::nullopt;
}

std::optional<Activation> read_activation(const ir::Graph& graph, const Node& node) {
  if (node.results.size() != 1) return std::nullopt;
  const ir::TensorSpec& spec = graph.value(node.results[0]).spec;
  const std::optional<Range> type = type_range(spec.dtype);
  Activation activation;
  if (!type || !read_form(graph, node, *type, &activation)) return std::nullopt;
  if (graph.value(activation.input).spec != spec) return std::nullopt;
  if (activation.table && spec.dtype != ScalarType::kChar) return std::nullopt;
  if (activation.table) activation.clamp = clamp_of_table(*activation.table);
  if (activation.clamp && spec.dtype == ScalarType::kChar) {
    activation.table = table_of_clamp(*activation.clamp);
  }
  return activation;
}

}  // namespace berth::passes
