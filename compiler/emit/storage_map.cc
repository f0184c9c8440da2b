// Union-find with offsets: each value knows where it lies relative to its parent.
#include "compiler/emit/storage_map.h"

#include <algorithm>
#include <limits>

namespace berth::emit {
namespace {

class Forest {
 public:
  explicit Forest(size_t count) : parent_(count), delta_(count, 0) {
    for (size_t i = 0; i < count; ++i) parent_[i] = i;
  }

  struct Root {
    size_t root;
    int64_t offset;  // of the value from the root
  };

  Root find(size_t v) const {
    int64_t offset = 0;
    while (parent_[v] != v) {
      offset += delta_[v];
      v = parent_[v];
    }
    return {v, offset};
  }

  // `inner` lies `offset` bytes after the start of `outer`. The smaller root stays.
  void unite(size_t outer, size_t inner, int64_t offset) {
    const Root a = find(outer);
    const Root b = find(inner);
    if (a.root == b.root) return;
    const int64_t b_from_a = a.offset + offset - b.offset;
    if (a.root < b.root) {
      parent_[b.root] = a.root;
      delta_[b.root] = b_from_a;
    } else {
      parent_[a.root] = b.root;
      delta_[a.root] = -b_from_a;
    }
  }

 private:
  std::vector<size_t> parent_;
  std::vector<int64_t> delta_;
};

}  // namespace

StorageMap map_storages(const ir::Graph& graph, const std::vector<Nested>& nested) {
  const size_t count = graph.values.size();
  Forest forest(count);
  std::vector<bool> is_join(count, false);
  for (const ir::Node& node : graph.nodes) {
    const auto result = node.results.empty() ? 0 : static_cast<size_t>(node.results[0]);
    if (node.kind == ir::NodeKind::kView) {
      forest.unite(static_cast<size_t>(std::get<ir::Ref>(node.args[0]).id), result, 0);
    } else if (node.kind == ir::NodeKind::kJoin) {
      is_join[result] = true;
      int64_t offset = 0;
      ir::for_each_ref(node, [&](const ir::Ref& part) {
        forest.unite(result, static_cast<size_t>(part.id), offset);
        offset += static_cast<int64_t>(graph.value(part.id).spec.nbytes());
      });
    }
  }

  for (const Nested& it : nested) {
    forest.unite(static_cast<size_t>(it.outer), static_cast<size_t>(it.inner),
                 static_cast<int64_t>(it.offset));
  }

  StorageMap map;
  map.homes.resize(count);
  std::vector<int32_t> group_of_root(count, -1);
  std::vector<int64_t> lowest;
  std::vector<int64_t> offsets(count);
  for (size_t v = 0; v < count; ++v) {
    const Forest::Root home = forest.find(v);
    int32_t& group = group_of_root[home.root];
    if (group < 0) {
      group = static_cast<int32_t>(map.nbytes.size());
      map.nbytes.push_back(0);
      map.has_join.push_back(false);
      lowest.push_back(std::numeric_limits<int64_t>::max());
    }
    map.homes[v].group = group;
    offsets[v] = home.offset;
    lowest[static_cast<size_t>(group)] = std::min(lowest[static_cast<size_t>(group)], home.offset);
  }
  for (size_t v = 0; v < count; ++v) {
    const auto group = static_cast<size_t>(map.homes[v].group);
    map.homes[v].offset = static_cast<uint64_t>(offsets[v] - lowest[group]);
    map.nbytes[group] =
        std::max(map.nbytes[group], map.homes[v].offset + graph.values[v].spec.nbytes());
    if (is_join[v]) map.has_join[group] = true;
  }
  return map;
}

}  // namespace berth::emit
