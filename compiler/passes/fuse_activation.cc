// Most int8 operators clamp their result anyway (act_min, act_max). A clamp that follows, in
// whatever form the importer found it, only narrows that range:
//
//   conv [-128, 127] -> clamp [0, 60] -> y     becomes    conv [0, 60] -> y
//
// One operator and one buffer less, and the answer is the same bit for bit, because
// clamp(clamp(v, a, b), c, d) = clamp(v, clamp(a, c, d), clamp(b, c, d)). Tables (256 entries, the
// operator for every other int8 activation) cannot go into a clamp, but two of them in a row, or a
// table and a clamp, are one table.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "compiler/passes/passes.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using ir::ValueId;

struct Range {
  int64_t low = 0;
  int64_t high = 0;
};

int64_t clamp(int64_t value, const Range& range) {
  return std::min(std::max(value, range.low), range.high);
}

// Where an operator keeps the range it clamps its result to.
struct Clamping {
  const OperatorSchema* schema;
  size_t low;
  size_t high;
};
constexpr Clamping kClamping[] = {
    {&ops::kQuantizedConv2d, 10, 11},
    {&ops::kQuantizedDepthwiseConv2d, 11, 12},
    {&ops::kQuantizedTransposeConv2d, 11, 12},
    {&ops::kQuantizedLinear, 10, 9},  // the maximum stands first there
    {&ops::kQuantizedAdd, 11, 12},
    {&ops::kQuantizedMaxPool2d, 8, 9},
    {&ops::kQuantizePerTensor, 3, 4},
    {&ops::kBerthQuantize, 3, 4},
    {&ops::kBerthAdd, 11, 12},
    {&ops::kBerthSub, 11, 12},
    {&ops::kBerthMul, 7, 8},
    {&ops::kBerthConv2d, 10, 11},
    {&ops::kBerthDepthwiseConv2d, 11, 12},
    {&ops::kBerthLinear, 10, 9},
    {&ops::kBerthAvgPool2d, 4, 5},
    {&ops::kBerthMaxPool2d, 4, 5},
    {&ops::kClamp, 1, 2},
};

std::optional<Range> type_range(ScalarType type) {
  if (type == ScalarType::kChar) return Range{-128, 127};
  if (type == ScalarType::kShort) return Range{-32768, 32767};
  return std::nullopt;  // floats: a clamp and the absence of one differ for nan
}

// A bound as the whole number it is, or `otherwise` for none. No answer for fractions.
std::optional<int64_t> bound(const ir::Arg& arg, int64_t otherwise) {
  if (std::holds_alternative<ir::None>(arg)) return otherwise;
  if (const auto* integer = std::get_if<int64_t>(&arg)) return *integer;
  return std::nullopt;
}

class Fuser {
 public:
  explicit Fuser(ir::Graph& graph)
      : graph_(graph), uses_(ir::find_uses(graph)), written_(ir::find_written(graph)) {}

  bool run() {
    by_.assign(graph_.values.size(), -1);
    bool changed = false;
    // In order, so that of several activations in a row each finds the one before already fused.
    for (Node& node : graph_.nodes) changed = fuse(node) || changed;
    if (changed) {
      ir::replace_uses(graph_, by_);
      ir::remove_unused(graph_);
    }
    return changed;
  }

 private:
  ValueId now(ValueId id) const {
    while (by_[id] >= 0) id = by_[id];
    return id;
  }

  bool fuse(Node& node) {
    const auto type = node.results.size() == 1
                          ? type_range(graph_.value(node.results[0]).spec.dtype)
                          : std::nullopt;
    if (!type) return false;
    const std::optional<ValueId> input = activation_input(node);
    if (!input) return false;
    const ValueId result = node.results[0];
    if (graph_.value(*input).spec != graph_.value(result).spec) return false;
    const std::optional<Range> range = clamp_of(node);
    if (range && range->low <= type->low && range->high >= type->high && !written_[*input] &&
        !written_[result]) {
      forward(result, *input);  // it does nothing
      return true;
    }
    Node* producer = lone_producer(*input);
    if (producer == nullptr) return false;
    if (range && narrow(*producer, *range)) {
      take_over(result, *input);
      return true;
    }
    return compose(*producer, node);
  }

  // The tensor an activation works on: the data argument, not the table or the constant bound.
  std::optional<ValueId> activation_input(const Node& node) const {
    const auto ref = [&](size_t a) { return now(std::get<Ref>(node.args[a]).id); };
    if (ir::is_operator(node, ops::kClamp)) return ref(0);
    if (ir::is_operator(node, ops::kQuantizedActivation)) return ref(0);
    if (ir::is_operator(node, ops::kMinimum) || ir::is_operator(node, ops::kMaximum)) {
      if (splat(ref(1))) return ref(0);
      if (splat(ref(0))) return ref(1);
    }
    return std::nullopt;
  }

  // What the node clamps to, when that is all it does.
  std::optional<Range> clamp_of(const Node& node) const {
    const Range type = *type_range(graph_.value(node.results[0]).spec.dtype);
    if (ir::is_operator(node, ops::kClamp)) {
      const auto low = bound(node.args[1], type.low), high = bound(node.args[2], type.high);
      // Bounds the wrong way round, or outside what the type holds: the kernel's business.
      if (!low || !high || *low > *high || *low > type.high || *high < type.low) {
        return std::nullopt;
      }
      return Range{clamp(*low, type), clamp(*high, type)};
    }
    if (ir::is_operator(node, ops::kMinimum) || ir::is_operator(node, ops::kMaximum)) {
      const ValueId a = now(std::get<Ref>(node.args[0]).id),
                    b = now(std::get<Ref>(node.args[1]).id);
      const int64_t limit = splat(b) ? *splat(b) : *splat(a);
      return ir::is_operator(node, ops::kMinimum) ? Range{type.low, limit}
                                                  : Range{limit, type.high};
    }
    const int8_t* table = table_of(node);
    if (table == nullptr || table[0] > table[255]) return std::nullopt;
    const Range range{table[0], table[255]};
    for (int i = 0; i < 256; ++i) {
      if (table[i] != clamp(i - 128, range)) return std::nullopt;
    }
    return range;
  }

  // Entry i is the answer for i - 128.
  const int8_t* table_of(const Node& node) const {
    if (!ir::is_operator(node, ops::kQuantizedActivation)) return nullptr;
    const ir::Value& table = graph_.value(now(std::get<Ref>(node.args[1]).id));
    if (!table.data || table.spec.dtype != ScalarType::kChar || table.data->size() != 256)
      return nullptr;
    return reinterpret_cast<const int8_t*>(table.data->data());
  }

  // The one number that all elements of an integer constant are.
  std::optional<int64_t> splat(ValueId id) const {
    const ir::Value& value = graph_.value(id);
    const size_t step = element_size(value.spec.dtype);
    if (!value.data || value.data->empty() || !type_range(value.spec.dtype)) return std::nullopt;
    const std::byte* bytes = value.data->data();
    if (std::memcmp(bytes, bytes + step, value.data->size() - step) != 0) return std::nullopt;
    int16_t wide = 0;
    std::memcpy(&wide, bytes, step);
    return step == 1 ? static_cast<int8_t>(wide & 0xff) : wide;
  }

  // The operator that computes `id`, when nobody else reads what it computes. Views between are
  // looked through: a clamp does not care for shapes.
  Node* lone_producer(ValueId id) {
    while (true) {
      if (uses_.is_output[id] || uses_.consumers[id].size() != 1 || uses_.producer[id] < 0)
        return nullptr;
      Node& node = graph_.nodes[uses_.producer[id]];
      if (node.kind == ir::NodeKind::kOperator) return &node;
      if (node.kind != ir::NodeKind::kView) return nullptr;
      id = now(std::get<Ref>(node.args[0]).id);
    }
  }

  bool narrow(Node& producer, const Range& range) {
    if (ir::is_operator(producer, ops::kQuantizedMul)) {
      // It has no range; ours has, and is the same otherwise.
      producer.op = ops::kBerthMul.name;
      const auto type = type_range(graph_.value(producer.results[0]).spec.dtype);
      producer.args.insert(producer.args.end(), {type->low, type->high});
    }
    for (const Clamping& it : kClamping) {
      if (!ir::is_operator(producer, *it.schema)) continue;
      const auto type = type_range(graph_.value(producer.results[0]).spec.dtype);
      const auto low = type ? bound(producer.args[it.low], type->low) : std::nullopt;
      const auto high = type ? bound(producer.args[it.high], type->high) : std::nullopt;
      if (!low || !high || *low > *high) return false;
      producer.args[it.low] = clamp(*low, range);
      producer.args[it.high] = clamp(*high, range);
      return true;
    }
    return false;
  }

  // The activation's result is its input from now on, which keeps the name the model knows it by.
  void take_over(ValueId result, ValueId input) {
    forward(result, input);
    if (!graph_.value(result).origin.empty()) {
      graph_.value(input).origin = graph_.value(result).origin;
    }
  }

  // Who read `result` reads `input`; the node between is nobody's reader any more.
  void forward(ValueId result, ValueId input) {
    by_[result] = input;
    std::vector<int32_t>& readers = uses_.consumers[input];
    readers.erase(std::remove(readers.begin(), readers.end(), uses_.producer[result]),
                  readers.end());
    readers.insert(readers.end(), uses_.consumers[result].begin(), uses_.consumers[result].end());
    if (uses_.is_output[result]) uses_.is_output[input] = true;
  }

  std::optional<std::vector<int8_t>> as_table(const Node& node) const {
    if (const int8_t* table = table_of(node)) return std::vector<int8_t>(table, table + 256);
    if (!activation_input(node) || graph_.value(node.results[0]).spec.dtype != ScalarType::kChar) {
      return std::nullopt;
    }
    const std::optional<Range> range = clamp_of(node);
    if (!range) return std::nullopt;
    std::vector<int8_t> table(256);
    for (int i = 0; i < 256; ++i) table[i] = static_cast<int8_t>(clamp(i - 128, *range));
    return table;
  }

  // Two activations in a row: the first does both, as a clamp if both are, as a table otherwise.
  bool compose(Node& first, Node& second) {
    const std::optional<ValueId> input = activation_input(first);
    if (!input || graph_.value(*input).spec != graph_.value(first.results[0]).spec) return false;
    const auto inner = clamp_of(first), outer = clamp_of(second);
    if (inner && outer) {
      rewrite(first, ops::kClamp,
              {Ref{*input}, clamp(inner->low, *outer), clamp(inner->high, *outer)});
    } else {
      const auto low_table = as_table(first), high_table = as_table(second);
      if (!low_table || !high_table) return false;
      ir::Bytes bytes(256);
      for (int i = 0; i < 256; ++i) {
        bytes[i] = static_cast<std::byte>((*high_table)[(*low_table)[i] + 128]);
      }
      const ir::TensorSpec spec{ScalarType::kChar, {256}, {0}};
      const ValueId table = graph_.add_constant("table", spec, std::move(bytes));
      by_.push_back(-1);
      uses_.producer.push_back(-1);
      uses_.consumers.emplace_back();
      uses_.is_output.push_back(false);
      written_.push_back(false);
      rewrite(first, ops::kQuantizedActivation, {Ref{*input}, Ref{table}});
    }
    take_over(second.results[0], *activation_input(second));
    return true;
  }

  static void rewrite(Node& node, const OperatorSchema& schema, std::vector<ir::Arg> args) {
    node.op = schema.name;
    node.overload = schema.overload;
    node.args = std::move(args);
    node.in_place.clear();
  }

  ir::Graph& graph_;
  ir::Uses uses_;
  std::vector<bool> written_;
  std::vector<ValueId> by_;
};

}  // namespace

Result<bool> fuse_activation(ir::Graph& graph, const PassContext&) { return Fuser(graph).run(); }

}  // namespace berth::passes
