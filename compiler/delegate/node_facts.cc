#include "compiler/delegate/node_facts.h"

#include <algorithm>
#include <limits>

namespace berth::delegate {

ir::ValueId operand(const ir::Node& node, size_t a) {
  const auto* ref = std::get_if<ir::Ref>(&node.args[a]);
  return ref == nullptr ? -1 : ref->id;
}

bool is_number(const ir::Node& node, size_t a, double number) {
  if (const auto* integer = std::get_if<int64_t>(&node.args[a])) {
    return static_cast<double>(*integer) == number;
  }
  const auto* real = std::get_if<double>(&node.args[a]);
  return real != nullptr && *real == number;
}

std::optional<Pair> pair_of(const ir::Node& node, size_t a) {
  const auto* list = std::get_if<std::vector<int64_t>>(&node.args[a]);
  if (list == nullptr || list->empty() || list->size() > 2) return {};
  using Limits = std::numeric_limits<int32_t>;
  for (const int64_t item : *list) {
    if (item < Limits::min() || item > Limits::max()) return {};
  }
  return Pair{static_cast<int32_t>(list->front()), static_cast<int32_t>(list->back())};
}

bool has_only(const ir::Graph& graph, const ir::Node& node, ScalarType dtype) {
  if (node.kind != ir::NodeKind::kOperator || node.results.empty()) return false;
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
  bool fits = true;
  const auto look = [&](ir::ValueId id) {
    const ir::TensorSpec& spec = graph.value(id).spec;
    fits = fits && spec.dtype == dtype && spec.nbytes() != 0 && spec.nbytes() <= kMost;
  };
  ir::for_each_ref(node, [&](const ir::Ref& ref) { look(ref.id); });
  look(node.results[0]);
  return fits;
}

int32_t input_index(const ir::Graph& graph, ir::ValueId id) {
  const auto found = std::find(graph.inputs.begin(), graph.inputs.end(), id);
  return found == graph.inputs.end() ? -1 : static_cast<int32_t>(found - graph.inputs.begin());
}

std::vector<int32_t> strides_of(const ir::TensorSpec& spec) {
  std::vector<int32_t> strides(spec.sizes.size());
  int32_t stride = 1;
  for (size_t i = spec.sizes.size(); i-- > 0;) {
    strides[spec.dim_order[i]] = stride;
    stride *= spec.sizes[spec.dim_order[i]];
  }
  return strides;
}

uint32_t append(const ir::Bytes& bytes, uint32_t alignment, ir::Bytes* blob) {
  const size_t at = (blob->size() + alignment - 1) / alignment * alignment;
  blob->resize(at);
  blob->insert(blob->end(), bytes.begin(), bytes.end());
  return static_cast<uint32_t>(at);
}

}  // namespace berth::delegate
