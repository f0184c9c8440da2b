// Exporters write the same table, shift or zero bias once per operator. The file stores equal bytes
// once anyway (emit); sharing the value as well saves the runtime a tensor record for each copy,
// and lets passes see that two operators have the same parameters. Constants of equal bytes but
// another shape stay apart: a value has one spec.
#include <map>
#include <string_view>

#include "compiler/passes/passes.h"

namespace berth::passes {
namespace {

// Orders constants by spec and content. Content is compared, not hashed: no input can make two
// different constants meet.
struct Less {
  bool operator()(const ir::Value* a, const ir::Value* b) const {
    if (a->spec.dtype != b->spec.dtype) return a->spec.dtype < b->spec.dtype;
    if (a->spec.sizes != b->spec.sizes) return a->spec.sizes < b->spec.sizes;
    if (a->spec.dim_order != b->spec.dim_order) return a->spec.dim_order < b->spec.dim_order;
    return text(*a->data) < text(*b->data);
  }
  static std::string_view text(const ir::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

}  // namespace

Result<bool> common_constants(ir::Graph& graph, const PassContext&) {
  std::map<const ir::Value*, ir::ValueId, Less> first;
  std::vector<ir::ValueId> by(graph.values.size(), -1);
  bool changed = false;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const ir::Value& value = graph.values[v];
    if (value.kind != ir::ValueKind::kConstant) continue;
    const auto [found, inserted] = first.emplace(&value, static_cast<ir::ValueId>(v));
    if (inserted) continue;
    by[v] = found->second;
    changed = true;
  }
  if (!changed) return false;
  ir::replace_uses(graph, by);
  ir::remove_unused(graph);
  return true;
}

}  // namespace berth::passes
