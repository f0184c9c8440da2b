// An elementwise operator may write its result over an input that nobody reads afterwards: element
// i is read before element i is written. The pass gives the planner the option; whether it pays is
// known only when the whole plan is.
//
//   a -> clamp -> y     y: in_place(0 <- 0), y may lie exactly where a lies
//
// The input must have the output's bytes, element for element (no broadcasting of it), be a whole
// buffer (no part of a join, which outlives it), and be dead: no later reader of its bytes under
// any name, not an output. Constants lie in flash; the caller's memory is not ours; state is kept.
#include <set>

#include "compiler/passes/memory_layout.h"
#include "compiler/passes/passes.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using ir::ValueId;

// The arguments that an operator's kernel may overwrite, best first; -1 ends the list. For aten::
// operators that compute element by element they are all whose tensor must be there.
struct Elementwise {
  const OperatorSchema* schema;
  int arguments[2];
};
constexpr Elementwise kElementwise[] = {
    {&ops::kQuantizedAdd, {0, 4}},     {&ops::kBerthAdd, {0, 4}},
    {&ops::kBerthSub, {0, 4}},         {&ops::kQuantizedMul, {0, 2}},
    {&ops::kBerthMul, {0, 2}},         {&ops::kMinimum, {0, 1}},
    {&ops::kMaximum, {0, 1}},          {&ops::kBerthMinimum, {0, 1}},
    {&ops::kBerthMaximum, {0, 1}},     {&ops::kQuantizedActivation, {0, -1}},
    {&ops::kBerthRequantize, {0, -1}}, {&ops::kBerthTanh, {0, -1}},
    {&ops::kBerthLogistic, {0, -1}},   {&ops::kBerthLeakyRelu, {0, -1}},
};

// None for operators that are not elementwise.
std::vector<int> elementwise_arguments(const Node& node) {
  std::vector<int> arguments;
  for (const Elementwise& it : kElementwise) {
    if (!ir::is_operator(node, *it.schema)) continue;
    for (const int argument : it.arguments) {
      if (argument >= 0) arguments.push_back(argument);
    }
    return arguments;
  }
  for (const OperatorSchema* schema : ops::kAtenMath) {
    if (!ir::is_operator(node, *schema)) continue;
    for (int i = 0; schema->args[i] != '\0'; ++i) {
      if (schema->args[i] == 'T') arguments.push_back(i);
    }
    return arguments;
  }
  return arguments;
}

class Marker {
 public:
  Marker(const ir::Graph& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        places_(ir::find_placements(graph)),
        written_(ir::find_written(graph)),
        last_read_(graph.values.size(), -1) {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      ir::for_each_ref(graph_.nodes[n], [&](const Ref& ref) {
        last_read_[places_[ref.id].root] = static_cast<int64_t>(n);
      });
    }
    for (const ValueId id : graph_.outputs) last_read_[places_[id].root] = INT64_MAX;
  }

  std::vector<ir::InPlace> options_of(size_t n) const {
    const Node& node = graph_.nodes[n];
    std::vector<ir::InPlace> options;
    if (!is_planned(node.results[0])) return options;
    std::set<ValueId> seen;  // x + x: one option, not two
    for (const int argument : elementwise_arguments(node)) {
      const ValueId id = std::get<Ref>(node.args[argument]).id;
      if (seen.insert(id).second && can_overwrite(n, id)) options.push_back({0, argument});
    }
    return options;
  }

 private:
  // A buffer of its own, in a pool.
  bool is_planned(ValueId id) const {
    if (places_[id].root != id) return false;
    return context_.io_in_pools || last_read_[id] != INT64_MAX;
  }

  bool can_overwrite(size_t n, ValueId id) const {
    const ValueId root = places_[id].root;
    const ir::Value& owner = graph_.value(root);
    if (owner.kind == ir::ValueKind::kConstant || written_[root]) return false;
    if (owner.kind == ir::ValueKind::kInput && !context_.io_in_pools) return false;
    if (last_read_[root] != static_cast<int64_t>(n)) return false;
    const ir::TensorSpec& from = graph_.value(id).spec;
    const ir::TensorSpec& to = graph_.value(graph_.nodes[n].results[0]).spec;
    ir::TensorSpec same = from;  // requantize may change the type, not the size of an element
    same.dtype = to.dtype;
    if (from.nbytes() != to.nbytes() || !same_layout(same, to)) return false;
    if (owner.spec.nbytes() != from.nbytes()) return false;  // a part of more
    // Under another name in the same call, the bytes may be read in another order.
    bool only_so = true;
    ir::for_each_ref(graph_.nodes[n], [&](const Ref& ref) {
      if (ref.id != id && places_[ref.id].root == root) only_so = false;
    });
    return only_so;
  }

  const ir::Graph& graph_;
  const PassContext& context_;
  std::vector<ir::Placement> places_;
  std::vector<bool> written_;
  std::vector<int64_t> last_read_;  // per root: the last node that reads it
};

}  // namespace

Result<bool> mark_in_place(ir::Graph& graph, const PassContext& context) {
  const Marker marker(graph, context);
  bool changed = false;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (elementwise_arguments(graph.nodes[n]).empty()) continue;
    std::vector<ir::InPlace> options = marker.options_of(n);
    changed = changed || options != graph.nodes[n].in_place;
    graph.nodes[n].in_place = std::move(options);
  }
  return changed;
}

}  // namespace berth::passes
