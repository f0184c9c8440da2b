#include "compiler/passes/in_place_candidates.h"

#include <set>

#include "compiler/passes/memory_layout.h"

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

}  // namespace

InPlaceCandidates::InPlaceCandidates(const ir::Graph& graph, const PassContext& context)
    : graph_(graph),
      context_(context),
      places_(ir::find_placements(graph)),
      written_(ir::find_written(graph)),
      is_output_(graph.values.size(), false) {
  for (const ValueId id : graph_.outputs) is_output_[places_[id].root] = true;
}

bool InPlaceCandidates::is_elementwise(size_t n) const {
  return !elementwise_arguments(graph_.nodes[n]).empty();
}

std::vector<ir::InPlace> InPlaceCandidates::of(size_t n) const {
  const Node& node = graph_.nodes[n];
  std::vector<ir::InPlace> options;
  const std::vector<int> arguments = elementwise_arguments(node);
  if (arguments.empty() || !is_planned(node.results[0])) return options;
  std::set<ValueId> seen;  // x + x: one option, not two
  for (const int argument : arguments) {
    const ValueId id = std::get<Ref>(node.args[argument]).id;
    if (seen.insert(id).second && can_overwrite(n, id)) options.push_back({0, argument});
  }
  return options;
}

// A buffer of its own, in a pool.
bool InPlaceCandidates::is_planned(ValueId id) const {
  if (places_[id].root != id) return false;
  return context_.io_in_pools || !is_output_[id];
}

bool InPlaceCandidates::can_overwrite(size_t n, ValueId id) const {
  const ValueId root = places_[id].root;
  const ir::Value& owner = graph_.value(root);
  if (owner.kind == ir::ValueKind::kConstant || written_[root] || is_output_[root]) return false;
  if (owner.kind == ir::ValueKind::kInput && !context_.io_in_pools) return false;
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

}  // namespace berth::passes
