#include "compiler/delegate/extract.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace berth::delegate {
namespace {

using ir::Graph;
using ir::Node;
using ir::NodeKind;
using ir::Ref;
using ir::ValueId;

size_t at(int32_t i) { return static_cast<size_t>(i); }

std::string node_text(const Graph& graph, size_t n) {
  return "node " + std::to_string(n) + " " + ir::node_label(graph.nodes[n]);
}

// What stands around a group and depends on it.
struct Dependence {
  std::vector<bool> follows;  // per node outside: it needs what the group makes, or must not run
                              // before the group has read what it changes
  int32_t back = -1;          // a node of the group that needs what `through`, which follows, makes
  int32_t through = -1;
};

class DependenceWalk {
 public:
  DependenceWalk(const Graph& graph, const std::vector<bool>& in_group)
      : graph_(graph), in_group_(in_group), places_(ir::find_placements(graph)) {
    made_.assign(graph.values.size(), false);
    read_.assign(graph.values.size(), false);
    made_by_.assign(graph.values.size(), -1);
    changed_by_.assign(graph.values.size(), -1);
    found_.follows.assign(graph.nodes.size(), false);
  }

  Dependence run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) step(n);
    return std::move(found_);
  }

 private:
  size_t root(ValueId id) const { return at(places_[at(id)].root); }

  // Calls visit(root) for the storages that the node changes.
  template <typename Visit>
  void for_each_changed(const Node& node, Visit visit) const {
    if (!ir::has_effect(node)) return;
    size_t a = 0;
    for (const char letter : std::string_view(ir::schema_of(node)->args)) {
      if (letter == 'M') visit(root(std::get<Ref>(node.args[a]).id));
      if (!is_out(letter)) ++a;
    }
  }

  void step(size_t n) {
    const Node& node = graph_.nodes[n];
    int32_t through = -1;
    bool follows = false;
    ir::for_each_ref(node, [&](const Ref& ref) {
      through = std::max({through, made_by_[at(ref.id)], changed_by_[root(ref.id)]});
      follows = follows || made_[at(ref.id)];
      if (in_group_[n]) read_[root(ref.id)] = true;
    });
    if (in_group_[n]) {
      if (through >= 0 && found_.back < 0) {
        found_.back = static_cast<int32_t>(n);
        found_.through = through;
      }
      for (const ValueId id : node.results) made_[at(id)] = true;
      return;
    }
    for_each_changed(node, [&](size_t changed) { follows = follows || read_[changed]; });
    if (!follows && through < 0) return;
    found_.follows[n] = true;
    for (const ValueId id : node.results) made_by_[at(id)] = static_cast<int32_t>(n);
    for_each_changed(node, [&](size_t changed) { changed_by_[changed] = static_cast<int32_t>(n); });
  }

  const Graph& graph_;
  const std::vector<bool>& in_group_;
  std::vector<ir::Placement> places_;
  std::vector<bool> made_;        // per value: by the group
  std::vector<bool> read_;        // per storage's root: by the group, so far
  std::vector<int32_t> made_by_;  // per value: the node that follows and makes it, or -1
  std::vector<int32_t>
      changed_by_;  // per storage's root: the last node that follows and changes it
  Dependence found_;
};

}  // namespace

Result<Extracted> extract(const Graph& graph, const std::vector<int32_t>& group) {
  const std::string place =
      "graph " + graph.name + ", a group of " + std::to_string(group.size()) + " nodes";
  if (group.empty()) return Error{place, "has no nodes; one or more"};
  std::vector<bool> in_group(graph.nodes.size(), false);
  int32_t last = -1;
  for (const int32_t n : group) {
    if (n <= last || at(n) >= graph.nodes.size()) {
      return Error{place, "lists node " + std::to_string(n) + " behind " + std::to_string(last) +
                              "; ascending indices of the graph's " +
                              std::to_string(graph.nodes.size()) + " nodes"};
    }
    last = n;
    in_group[at(n)] = true;
    const Node& node = graph.nodes[at(n)];
    if (node.kind == NodeKind::kAlloc || node.kind == NodeKind::kDelegate || ir::has_effect(node)) {
      return Error{place, "has " + node_text(graph, at(n)) +
                              "; operators that change no argument, views and joins"};
    }
  }
  const Dependence around = DependenceWalk(graph, in_group).run();
  if (around.back >= 0) {
    return Error{place, "is not convex: " + node_text(graph, at(around.back)) + " needs " +
                            node_text(graph, at(around.through)) +
                            ", which has to follow the group"};
  }

  Extracted out;
  out.part.name = graph.name;
  std::vector<ValueId> moved(graph.values.size(), -1);
  const auto take = [&](ValueId id) {
    ValueId& known = moved[at(id)];
    if (known >= 0) return known;
    ir::Value value = graph.value(id);
    // What the group needs and does not make is its input.
    if (value.kind != ir::ValueKind::kConstant) {
      value.kind = ir::ValueKind::kInput;
      out.arguments.push_back(id);
    }
    known = out.part.add_value(std::move(value));
    if (out.part.value(known).kind == ir::ValueKind::kInput) out.part.inputs.push_back(known);
    return known;
  };
  for (const int32_t n : group) {
    Node node = graph.nodes[at(n)];
    ir::for_each_ref(node, [&](Ref& ref) { ref.id = take(ref.id); });
    for (ValueId& id : node.results) {
      moved[at(id)] = out.part.add_value(graph.value(id));
      id = moved[at(id)];
    }
    out.part.nodes.push_back(std::move(node));
  }
  const ir::Uses uses = ir::find_uses(graph);
  for (const int32_t n : group) {
    for (const ValueId id : graph.nodes[at(n)].results) {
      bool is_read = uses.is_output[at(id)];
      for (const int32_t consumer : uses.consumers[at(id)])
        is_read = is_read || !in_group[at(consumer)];
      if (!is_read) continue;
      out.results.push_back(id);
      out.part.outputs.push_back(moved[at(id)]);
    }
  }
  return out;
}

void replace_by_call(Graph* graph, const std::vector<int32_t>& group, const Extracted& extracted,
                     const std::string& lowered) {
  std::vector<bool> in_group(graph->nodes.size(), false);
  for (const int32_t n : group) in_group[at(n)] = true;
  const std::vector<bool> follows = DependenceWalk(*graph, in_group).run().follows;
  Node call;
  call.kind = NodeKind::kDelegate;
  call.op = lowered;
  for (const ValueId id : extracted.arguments) call.args.emplace_back(Ref{id});
  call.results = extracted.results;
  std::vector<Node> nodes, behind;
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    if (!in_group[n]) (follows[n] ? behind : nodes).push_back(std::move(graph->nodes[n]));
    if (n == at(group.back())) nodes.push_back(std::move(call));
    if (n >= at(group.back())) {
      nodes.insert(nodes.end(), std::make_move_iterator(behind.begin()),
                   std::make_move_iterator(behind.end()));
      behind.clear();
    }
  }
  graph->nodes = std::move(nodes);
  // What the part alone read or made goes.
  ir::remove_unused(*graph);
}

}  // namespace berth::delegate
