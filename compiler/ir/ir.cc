// The small services of the graph: names, uses, placements, removal. All of them are linear,
// because a graph may come from a stranger's file with a million values.
#include "compiler/ir/ir.h"

#include <numeric>
#include <utility>

#include "contract/checked.h"

namespace berth::ir {
namespace {

constexpr uint64_t kMaxBytes = INT64_MAX;

bool is_name_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_name_rest(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '.'; }

// Applies `order` (new position -> old id) to values and to everything that names them. Ids missing
// in `order` must be named by nothing.
void reorder_values(Graph& graph, const std::vector<ValueId>& order) {
  std::vector<ValueId> moved(graph.values.size(), -1);
  std::vector<Value> values;
  values.reserve(order.size());
  for (const ValueId old : order) {
    moved[static_cast<size_t>(old)] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.value(old)));
  }
  graph.values = std::move(values);
  const auto move = [&](ValueId& id) { id = moved[static_cast<size_t>(id)]; };
  for (Node& node : graph.nodes) {
    for_each_ref(node, [&](Ref& ref) { move(ref.id); });
    for (ValueId& id : node.results) move(id);
  }
  for (ValueId& id : graph.inputs) move(id);
  for (ValueId& id : graph.outputs) move(id);
  graph.names = NameCache{};
}

}  // namespace

std::optional<uint64_t> TensorSpec::checked_nbytes() const {
  uint64_t bytes = element_size(dtype);
  // A zero anywhere makes the tensor empty, whatever the other sizes multiply to.
  bool empty = false;
  for (const int32_t size : sizes) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
  }
  if (empty) return 0;
  for (const int32_t size : sizes) {
    if (!checked_mul(bytes, static_cast<uint64_t>(size), &bytes) || bytes > kMaxBytes)
      return std::nullopt;
  }
  return bytes;
}

uint64_t TensorSpec::nbytes() const { return checked_nbytes().value_or(UINT64_MAX); }

uint64_t TensorSpec::element_count() const {
  const std::optional<uint64_t> bytes = checked_nbytes();
  return bytes ? *bytes / element_size(dtype) : UINT64_MAX;
}

std::vector<uint8_t> contiguous_order(size_t rank) {
  std::vector<uint8_t> order(rank);
  std::iota(order.begin(), order.end(), uint8_t{0});
  return order;
}

std::vector<uint8_t> channels_last_order() { return {0, 2, 3, 1}; }

bool Value::operator==(const Value& other) const {
  const bool same_data = data == other.data || (data && other.data && *data == *other.data);
  return same_data && name == other.name && kind == other.kind && spec == other.spec &&
         origin == other.origin;
}

std::string clean_name(std::string_view name) {
  std::string clean;
  clean.reserve(name.size() + 1);
  for (const char c : name) clean += is_name_rest(c) ? c : '_';
  if (clean.empty() || !is_name_start(clean[0])) clean.insert(clean.begin(), '_');
  return clean;
}

bool is_clean_name(std::string_view name) {
  if (name.empty() || !is_name_start(name[0])) return false;
  for (const char c : name) {
    if (!is_name_rest(c)) return false;
  }
  return true;
}

ValueId Graph::add_value(Value value) {
  if (names.known_values != values.size()) {
    names = NameCache{};
    for (const Value& known : values) names.next_suffix.emplace(known.name, 1);
  }
  value.name = clean_name(value.name);
  if (const auto taken = names.next_suffix.find(value.name); taken != names.next_suffix.end()) {
    uint32_t& suffix = taken->second;  // stays valid: nothing is inserted before the name is found
    std::string numbered;
    do {
      numbered = value.name + "_" + std::to_string(suffix++);
    } while (names.next_suffix.count(numbered) != 0);
    value.name = std::move(numbered);
  }
  names.next_suffix.emplace(value.name, 1);
  values.push_back(std::move(value));
  names.known_values = values.size();
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::add_constant(std::string constant_name, TensorSpec spec, Bytes bytes) {
  Value value;
  value.name = std::move(constant_name);
  value.kind = ValueKind::kConstant;
  value.spec = std::move(spec);
  value.data = std::make_shared<const Bytes>(std::move(bytes));
  return add_value(std::move(value));
}

const LoweredModule* Module::find_lowered(std::string_view name) const {
  for (const LoweredModule& module : lowered) {
    if (module.name == name) return &module;
  }
  return nullptr;
}

std::string node_label(const Node& node) {
  switch (node.kind) {
    case NodeKind::kView:
      return "view";
    case NodeKind::kJoin:
      return "join";
    case NodeKind::kAlloc:
      return "alloc";
    case NodeKind::kDelegate:
      return "delegate @" + node.op;
    case NodeKind::kOperator:
      break;
  }
  return node.overload.empty() ? node.op : node.op + "." + node.overload;
}

const OperatorSchema* schema_of(const Node& node) {
  if (node.kind != NodeKind::kOperator) return nullptr;
  return find_operator(node.op.c_str(), node.overload.c_str());
}

bool is_operator(const Node& node, const OperatorSchema& schema) {
  return node.kind == NodeKind::kOperator && node.op == schema.name &&
         node.overload == schema.overload;
}

bool has_effect(const Node& node) {
  const OperatorSchema* schema = schema_of(node);
  return schema != nullptr && std::string_view(schema->args).find('M') != std::string_view::npos;
}

Uses find_uses(const Graph& graph) {
  Uses uses;
  uses.producer.assign(graph.values.size(), -1);
  uses.consumers.resize(graph.values.size());
  uses.is_output.assign(graph.values.size(), false);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const int32_t index = static_cast<int32_t>(n);
    for_each_ref(graph.nodes[n], [&](const Ref& ref) {
      std::vector<int32_t>& consumers = uses.consumers[static_cast<size_t>(ref.id)];
      if (consumers.empty() || consumers.back() != index) consumers.push_back(index);
    });
    for (const ValueId id : graph.nodes[n].results) uses.producer[static_cast<size_t>(id)] = index;
  }
  for (const ValueId id : graph.outputs) uses.is_output[static_cast<size_t>(id)] = true;
  return uses;
}

std::vector<Placement> find_placements(const Graph& graph) {
  // inside[v]: the value that v lies in, one step. A view lies in its argument; a part's root lies
  // in the join's result.
  std::vector<Placement> inside(graph.values.size());
  for (size_t v = 0; v < inside.size(); ++v) inside[v] = {static_cast<ValueId>(v), 0};
  std::vector<ValueId> path;
  const auto follow = [&](ValueId id) {
    path.clear();
    while (inside[static_cast<size_t>(id)].root != id) {
      path.push_back(id);
      id = inside[static_cast<size_t>(id)].root;
    }
    // Everything on the way now points at the root itself, so that long chains stay cheap.
    Placement place{id, 0};
    for (size_t i = path.size(); i-- > 0;) {
      Placement& step = inside[static_cast<size_t>(path[i])];
      place.offset += step.offset;
      step = place;
    }
    return place;
  };
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::kView) {
      inside[static_cast<size_t>(node.results[0])] = follow(std::get<Ref>(node.args[0]).id);
    } else if (node.kind == NodeKind::kJoin) {
      uint64_t offset = 0;
      for_each_ref(node, [&](const Ref& ref) {
        inside[static_cast<size_t>(follow(ref.id).root)] = {node.results[0], offset};
        offset += graph.value(ref.id).spec.nbytes();
      });
    }
  }
  std::vector<Placement> placements(inside.size());
  for (size_t v = 0; v < placements.size(); ++v) placements[v] = follow(static_cast<ValueId>(v));
  return placements;
}

std::vector<bool> find_written(const Graph& graph) {
  const std::vector<Placement> places = find_placements(graph);
  std::vector<bool> written(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    if (!has_effect(node)) continue;
    size_t a = 0;
    for (const char letter : std::string_view(schema_of(node)->args)) {
      if (letter == 'M') written[places[std::get<Ref>(node.args[a]).id].root] = true;
      if (!is_out(letter)) ++a;
    }
  }
  for (size_t v = 0; v < written.size(); ++v) written[v] = written[places[v].root];
  return written;
}

void replace_uses(Graph& graph, ValueId from, ValueId to) {
  std::vector<ValueId> by(graph.values.size(), -1);
  by[static_cast<size_t>(from)] = to;
  replace_uses(graph, by);
}

void replace_uses(Graph& graph, const std::vector<ValueId>& by) {
  const auto replace = [&](ValueId& id) {
    while (by[static_cast<size_t>(id)] >= 0) id = by[static_cast<size_t>(id)];
  };
  for (Node& node : graph.nodes) for_each_ref(node, [&](Ref& ref) { replace(ref.id); });
  for (ValueId& id : graph.outputs) replace(id);
}

void remove_unused(Graph& graph) {
  std::vector<bool> used(graph.values.size(), false);
  for (const ValueId id : graph.outputs) used[static_cast<size_t>(id)] = true;
  std::vector<bool> keep(graph.nodes.size(), false);
  // Backwards, so that what only unused nodes use goes with them.
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    keep[n] = has_effect(node);
    for (const ValueId id : node.results) keep[n] = keep[n] || used[static_cast<size_t>(id)];
    if (keep[n])
      for_each_ref(node, [&](const Ref& ref) { used[static_cast<size_t>(ref.id)] = true; });
  }
  std::vector<Node> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!keep[n]) continue;
    // A kept node keeps all its results, also those that nobody reads: they are written all the
    // same.
    for (const ValueId id : graph.nodes[n].results) used[static_cast<size_t>(id)] = true;
    nodes.push_back(std::move(graph.nodes[n]));
  }
  graph.nodes = std::move(nodes);
  for (const ValueId id : graph.inputs) used[static_cast<size_t>(id)] = true;
  std::vector<ValueId> order;
  for (size_t v = 0; v < used.size(); ++v) {
    if (used[v]) order.push_back(static_cast<ValueId>(v));
  }
  if (order.size() != used.size()) reorder_values(graph, order);
}

void renumber(Graph& graph) {
  std::vector<ValueId> order = graph.inputs;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (graph.values[v].kind == ValueKind::kConstant) order.push_back(static_cast<ValueId>(v));
  }
  for (const Node& node : graph.nodes)
    order.insert(order.end(), node.results.begin(), node.results.end());
  reorder_values(graph, order);
}

}  // namespace berth::ir
