// The graph that models are imported into and passes work on: one Graph per method, nodes in
// execution order, values in one table. Everything is addressed by index, so that order is always
// defined. Operators and their arguments are those of contract/operators.h, without the out slots:
// an `O` argument is a result of the node.
//
// Besides operators there are three kinds of nodes that become no instruction:
// * view: the result is its argument's bytes under other sizes or dim order.
// * join: the result is its arguments one after the other: they are placed inside it, which is
//   concatenation without a copy.
// * alloc: scratch for one call, passed to the operator's own scratch slots, or behind the inputs
// of
//   a delegate call.
//
// A delegate node calls a lowered module: `op` names it, its arguments are tensors: the module's
// inputs, then, once insert_scratch has run, its scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/ir/lowered_module.h"
#include "compiler/ir/tensor_spec.h"
#include "contract/operators.h"
#include "contract/roles.h"

namespace berth::ir {

using ValueId = int32_t;

enum class ValueKind : uint8_t { kInput, kConstant, kResult };

struct Value {
  std::string name;  // unique in its graph; [A-Za-z_][A-Za-z0-9_.]* ; the text form prints %name
  ValueKind kind = ValueKind::kResult;
  TensorSpec spec;
  std::shared_ptr<const Bytes> data;  // kConstant: the bytes, in dim order
  std::string origin;  // the model file's own name of the tensor, for reports; may be empty
  bool operator==(const Value& other) const;  // constants are equal by content
};

struct None {
  bool operator==(const None&) const = default;
};
struct Ref {
  ValueId id = -1;
  bool operator==(const Ref&) const = default;
};
using RefList = std::vector<Ref>;
using Arg = std::variant<None, Ref, int64_t, double, bool, std::string, std::vector<int64_t>,
                         std::vector<double>, std::vector<bool>, RefList>;

// Result `output` may take the bytes of argument `argument`, when that dies here.
struct InPlace {
  int32_t output = 0;
  int32_t argument = 0;
  bool operator==(const InPlace&) const = default;
};

enum class NodeKind : uint8_t { kOperator, kView, kJoin, kAlloc, kDelegate };

struct Node {
  NodeKind kind = NodeKind::kOperator;
  std::string op;         // kOperator: "cortex_m::quantized_conv2d"; kDelegate: the lowered module
  std::string overload;   // "out"
  std::vector<Arg> args;  // kView: one Ref; kJoin: Refs; kOperator: as the schema, scratch
                          // included, outs left out; kDelegate: Refs
  std::vector<ValueId> results;
  std::vector<InPlace> in_place;
  // kAlloc: the result is u8[nbytes].
  uint32_t alignment = 16;
  Role role = Role::kOpScratch;
  std::string scratch_name;
  std::string pool;  // empty: the board's default
  bool operator==(const Node&) const = default;
};

// Names in use and the next free suffix of each, so that adding values stays linear. A cache:
// rebuilt when it does not know all values, never compared.
struct NameCache {
  std::unordered_map<std::string, uint32_t> next_suffix;
  size_t known_values = 0;
  bool operator==(const NameCache&) const { return true; }
};

struct Graph {
  std::string name = "forward";
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;

  NameCache names;  // add_value's own

  // Adds a value. Its name is cleaned (clean_name); one already taken gets a numbered suffix.
  ValueId add_value(Value value);
  ValueId add_constant(std::string constant_name, TensorSpec spec, Bytes bytes);
  const Value& value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id)]; }
  bool operator==(const Graph&) const = default;
};

struct Module {
  std::vector<Graph> graphs;
  std::vector<LoweredModule> lowered;
  // Null when there is none of that name.
  const LoweredModule* find_lowered(std::string_view name) const;
  bool operator==(const Module&) const = default;
};

// `name` with every character that an identifier cannot have made '_'; never empty.
std::string clean_name(std::string_view name);
bool is_clean_name(std::string_view name);

// "cortex_m::pad.out", "view", "join", "alloc", "delegate @conv": how texts and errors name a node.
std::string node_label(const Node& node);
// The schema of an operator node; null for other nodes and for operators that nobody knows.
const OperatorSchema* schema_of(const Node& node);
bool is_operator(const Node& node, const OperatorSchema& schema);
// True when the node changes an argument (schema letter M), so that it stays though nobody uses a
// result.
bool has_effect(const Node& node);

// Indices of nodes by value. Recompute after a change of the graph.
struct Uses {
  std::vector<int32_t> producer;                // per value: node index or -1
  std::vector<std::vector<int32_t>> consumers;  // per value: node indices, ascending, once per node
  std::vector<bool> is_output;
};
Uses find_uses(const Graph& graph);

// Where the bytes of a value are: `offset` bytes into the value `root`, which is no view and no
// part of a join.
struct Placement {
  ValueId root = -1;
  uint64_t offset = 0;
  bool operator==(const Placement&) const = default;
};
// REQUIRES: a verified graph.
std::vector<Placement> find_placements(const Graph& graph);
// Per value: whether an operator with effect (schema letter M) writes the bytes it lies in. Reading
// such a value earlier or later than the graph says is not the same. REQUIRES: a verified graph.
std::vector<bool> find_written(const Graph& graph);

// Calls visit(Ref&) for every value argument, list elements included.
template <typename NodeT, typename Visit>
void for_each_ref(NodeT& node, Visit visit) {
  for (auto& arg : node.args) {
    if (auto* ref = std::get_if<Ref>(&arg)) visit(*ref);
    if (auto* list = std::get_if<RefList>(&arg)) {
      for (auto& ref : *list) visit(ref);
    }
  }
}

// Replaces every use of `from` (arguments and graph outputs) by `to`.
void replace_uses(Graph& graph, ValueId from, ValueId to);
// The same for many at once: `by` holds a value for each value, -1 where it stays. REQUIRES: no
// cycle in `by`.
void replace_uses(Graph& graph, const std::vector<ValueId>& by);
// Drops nodes without effect whose results nobody uses, and values that nothing names any more
// (inputs stay). Keeps the order of what stays; values are renumbered.
void remove_unused(Graph& graph);
// Renumbers values in the order of the text form: inputs, constants, results. Two graphs that print
// alike are then equal. REQUIRES: a verified graph.
void renumber(Graph& graph);

}  // namespace berth::ir
