#include "compiler/emit/nested_arguments.h"

#include <set>
#include <string>

namespace berth::emit {
namespace {

class NestedFinder {
 public:
  NestedFinder(const ir::Module& module, const ir::Graph& graph)
      : module_(module), graph_(graph), map_(map_storages(graph)), uses_(ir::find_uses(graph)) {}

  Result<std::vector<Nested>> run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const ir::Node& node = graph_.nodes[n];
      if (node.kind != ir::NodeKind::kDelegate) continue;
      const ir::LoweredModule& lowered = *module_.find_lowered(node.op);
      for (const ir::Inside& inside : lowered.inside) {
        const size_t inputs = lowered.inputs.size();
        const bool is_input = inside.argument < inputs;
        const ir::ValueId argument =
            is_input ? std::get<ir::Ref>(node.args[inside.argument]).id
                     : node.results[static_cast<size_t>(inside.argument) - inputs];
        const std::string why = obstacle(argument, n, is_input);
        if (!why.empty()) {
          return Error{
              "graph " + graph_.name + ", node " + std::to_string(n) + " " + ir::node_label(node),
              "wants argument " + std::to_string(inside.argument) + ", %" +
                  graph_.value(argument).name + ", inside its scratch \"" +
                  lowered.scratch[inside.scratch].name + "\", but that " + why};
        }
        const auto scratch = std::get<ir::Ref>(node.args[inputs + inside.scratch]).id;
        nested_.push_back({scratch, argument, inside.offset});
      }
    }
    return std::move(nested_);
  }

 private:
  // What keeps the value from lying there; empty for nothing.
  std::string obstacle(ir::ValueId argument, size_t call, bool is_input) {
    const StorageMap::Home home = map_.homes[static_cast<size_t>(argument)];
    const auto group = static_cast<size_t>(home.group);
    if (map_.has_join[group] || map_.nbytes[group] != graph_.value(argument).spec.nbytes())
      return "is a part of a larger buffer; a copy of it can be there";
    if (!taken_.insert(home.group).second)
      return "lies inside another scratch; a copy of it can be there";
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (map_.homes[v].group != home.group) continue;
      const ir::ValueKind kind = graph_.values[v].kind;
      if (kind != ir::ValueKind::kResult || uses_.is_output[v])
        return "is an input, an output or a constant of the graph; a copy of it can be there";
      for (const int32_t reader : uses_.consumers[v]) {
        const ir::NodeKind reads = graph_.nodes[static_cast<size_t>(reader)].kind;
        if (is_input && static_cast<size_t>(reader) > call && reads != ir::NodeKind::kView)
          return "is read after the call, which may destroy what is there; a copy of it can be "
                 "there";
      }
    }
    return "";
  }

  const ir::Module& module_;
  const ir::Graph& graph_;
  StorageMap map_;
  ir::Uses uses_;
  std::set<int32_t> taken_;  // groups that lie inside a scratch
  std::vector<Nested> nested_;
};

}  // namespace

Result<std::vector<Nested>> find_nested(const ir::Module& module, const ir::Graph& graph) {
  return NestedFinder(module, graph).run();
}

}  // namespace berth::emit
