// Runs a whole graph on the host with the runtime's kernels, every value in bytes of its own: what
// a graph means, whatever a planner does. For tests only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/passes/evaluate.h"

namespace berth::passes {

// The bytes of the outputs. Nothing when a kernel refuses a node, or writes an argument.
inline std::optional<std::vector<ir::Bytes>> run_graph(const ir::Graph& graph,
                                                       const std::vector<ir::Bytes>& inputs) {
  KnownBytes known(graph.values.size());
  for (size_t v = 0; v < known.size(); ++v) known[v] = graph.values[v].data;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    known[graph.inputs[i]] = std::make_shared<const ir::Bytes>(inputs.at(i));
  }
  for (const ir::Node& node : graph.nodes) {
    if (node.kind == ir::NodeKind::kAlloc) {
      known[node.results[0]] = std::make_shared<const ir::Bytes>();
    } else if (node.kind == ir::NodeKind::kView) {
      known[node.results[0]] = known[std::get<ir::Ref>(node.args[0]).id];
    } else if (node.kind == ir::NodeKind::kJoin) {
      ir::Bytes bytes;
      ir::for_each_ref(node, [&](const ir::Ref& ref) {
        bytes.insert(bytes.end(), known[ref.id]->begin(), known[ref.id]->end());
      });
      known[node.results[0]] = std::make_shared<const ir::Bytes>(std::move(bytes));
    } else {
      auto results = evaluate(graph, node, known);
      if (!results) return std::nullopt;
      for (size_t r = 0; r < results->size(); ++r) {
        known[node.results[r]] = std::make_shared<const ir::Bytes>(std::move((*results)[r]));
      }
    }
  }
  std::vector<ir::Bytes> outputs;
  for (const ir::ValueId id : graph.outputs) outputs.push_back(*known[id]);
  return outputs;
}

// Bytes that are different for every seed and input; floats stay small numbers.
inline std::vector<ir::Bytes> random_inputs(const ir::Graph& graph, uint32_t seed) {
  std::vector<ir::Bytes> inputs;
  uint32_t state = seed * 2654435761u + 1;
  for (const ir::ValueId id : graph.inputs) {
    const ir::TensorSpec& spec = graph.value(id).spec;
    ir::Bytes bytes(spec.nbytes());
    for (std::byte& byte : bytes) {
      state = state * 1664525u + 1013904223u;
      byte = static_cast<std::byte>(state >> 24);
    }
    if (spec.dtype == ScalarType::kFloat) {
      for (size_t i = 3; i < bytes.size(); i += 4) {
        bytes[i] = (bytes[i] & std::byte{0x80}) | std::byte{0x3f};
      }
    }
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

}  // namespace berth::passes
