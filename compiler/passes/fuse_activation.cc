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
#include <optional>

#include "compiler/passes/activation.h"
#include "compiler/passes/passes.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using ir::ValueId;

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
    {&ops::kAtenClamp, 1, 2},
};

// Views in a row that are looked through; no importer makes more than three.
constexpr int kMaxViews = 16;

class Fuser {
 public:
  explicit Fuser(ir::Graph& graph)
      : graph_(graph), uses_(ir::find_uses(graph)), written_(ir::find_written(graph)) {}

  bool run() {
    bool changed = false;
    // In order, and arguments are brought up to date as they are reached, so that of several
    // activations in a row each finds the one before already fused.
    by_.assign(graph_.values.size(), -1);
    for (Node& node : graph_.nodes) {
      ir::for_each_ref(node, [&](Ref& ref) { ref.id = now(ref.id); });
      changed = fuse(node) || changed;
    }
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
    const std::optional<Activation> activation = read_activation(graph_, node);
    if (!activation) return false;
    const ValueId result = node.results[0];
    const Range type = *type_range(graph_.value(result).spec.dtype);
    const std::optional<Range>& range = activation->clamp;
    if (range && range->low == type.low && range->high == type.high) {
      // It cuts nothing off. Where the bytes are written later, it is a copy all the same.
      if (written_[activation->input] || written_[result]) return false;
      forward(result, activation->input);
      return true;
    }
    Node* producer = lone_producer(activation->input);
    if (producer == nullptr) return false;
    if (!(range && narrow(*producer, *range)) && !compose(*producer, *activation)) return false;
    forward(result, activation->input);
    // The result keeps the name that the model knows it by.
    const std::string& origin = graph_.value(result).origin;
    if (!origin.empty()) graph_.value(activation->input).origin = origin;
    return true;
  }

  // The operator that computes `id`, when nobody else reads what it computes. Views between are
  // looked through: an activation does not care for shapes.
  Node* lone_producer(ValueId id) {
    for (int depth = 0; depth < kMaxViews; ++depth) {
      if (uses_.is_output[id] || uses_.consumers[id].size() != 1 || uses_.producer[id] < 0) {
        return nullptr;
      }
      Node& node = graph_.nodes[uses_.producer[id]];
      if (node.kind == ir::NodeKind::kOperator) return &node;
      if (node.kind != ir::NodeKind::kView) return nullptr;
      id = now(std::get<Ref>(node.args[0]).id);
    }
    return nullptr;
  }

  // Clamps what the producer computes to `range` as well, if it has a clamp.
  bool narrow(Node& producer, const Range& range) {
    const auto type = type_range(graph_.value(producer.results[0]).spec.dtype);
    if (!type) return false;
    if (ir::is_operator(producer, ops::kQuantizedMul)) {
      // It has no range; ours has, and is the same otherwise.
      producer.op = ops::kBerthMul.name;
      producer.args.insert(producer.args.end(), {type->low, type->high});
    }
    for (const Clamping& it : kClamping) {
      if (!ir::is_operator(producer, *it.schema)) continue;
      const auto low = whole_bound(producer.args[it.low], type->low);
      const auto high = whole_bound(producer.args[it.high], type->high);
      if (!low || !high || *low > *high) return false;
      producer.args[it.low] = clamp_to_range(*low, range);
      producer.args[it.high] = clamp_to_range(*high, range);
      return true;
    }
    return false;
  }

  // Two activations in a row: the first does both, as a clamp if both are, as a table otherwise.
  bool compose(Node& node, const Activation& outer) {
    const std::optional<Activation> inner = read_activation(graph_, node);
    if (!inner) return false;
    if (inner->clamp && outer.clamp) {
      rewrite(node, ops::kAtenClamp,
              {Ref{inner->input}, clamp_to_range(inner->clamp->low, *outer.clamp),
               clamp_to_range(inner->clamp->high, *outer.clamp)});
      return true;
    }
    if (!inner->table || !outer.table) return false;
    ir::Bytes bytes(256);
    for (int i = 0; i < 256; ++i) {
      bytes[i] = static_cast<std::byte>((*outer.table)[(*inner->table)[i] + 128]);
    }
    const ir::TensorSpec spec{ScalarType::kChar, {256}, {0}};
    const ValueId table = graph_.add_constant("table", spec, std::move(bytes));
    by_.push_back(-1);
    uses_.producer.push_back(-1);
    uses_.consumers.emplace_back();
    uses_.is_output.push_back(false);
    written_.push_back(false);
    rewrite(node, ops::kQuantizedActivation, {Ref{inner->input}, Ref{table}});
    return true;
  }

  static void rewrite(Node& node, const OperatorSchema& schema, std::vector<ir::Arg> args) {
    node.op = schema.name;
    node.overload = schema.overload;
    node.args = std::move(args);
    node.in_place.clear();
  }

  // Who read `result` reads `input`; the node between is nobody's reader any more.
  void forward(ValueId result, ValueId input) {
    by_[result] = input;
    std::vector<int32_t>& readers = uses_.consumers[input];
    readers.erase(std::remove(readers.begin(), readers.end(), uses_.producer[result]),
                  readers.end());
    const std::vector<int32_t>& more = uses_.consumers[result];
    readers.insert(readers.end(), more.begin(), more.end());
    if (uses_.is_output[result]) uses_.is_output[input] = true;
  }

  ir::Graph& graph_;
  ir::Uses uses_;
  std::vector<bool> written_;
  std::vector<ValueId> by_;
};

}  // namespace

Result<bool> fuse_activation(ir::Graph& graph, const PassContext&) { return Fuser(graph).run(); }

}  // namespace berth::passes
