#include "compiler/place/homes.h"

#include <algorithm>

namespace berth::place {

bool find_homes(const program::Method& method, const std::vector<Effects>& effects,
                uint64_t* budget, Homes* out) {
  const size_t count = method.values.size();
  std::vector<bool> filled(count, false);  // holds something that no re-point gave it
  out->is_repointed.assign(count, false);
  for (const Effects& e : effects) {
    for (int32_t v : e.writes) filled[v] = true;
    for (int32_t v : e.scratch) filled[v] = true;
    for (const Effects::Repoint& r : e.repoints) out->is_repointed[r.to] = true;
  }
  for (int32_t v : method.inputs) {
    for_tensors(method, v, [&](int32_t tensor) { filled[tensor] = true; });
  }
  out->of_value.assign(count, {});
  for (size_t v = 0; v < count; ++v) {
    const program::Tensor* tensor = method.values[v].tensor();
    if (tensor == nullptr || tensor->storage < 0) continue;
    const bool is_kept = method.storages[tensor->storage].kind == program::StorageKind::kState;
    if (out->is_repointed[v] && !filled[v] && !is_kept) continue;
    out->of_value[v] = {{tensor->storage, tensor->offset}};
  }
  // A re-point of an instruction that comes later may feed an earlier one by a loop: again until
  // nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Effects& e : effects) {
      for (const Effects::Repoint& r : e.repoints) {
        const std::vector<Home>& from = out->of_value[r.from];
        std::vector<Home>& to = out->of_value[r.to];
        const uint64_t cost = from.size() + to.size() + 1;
        if (*budget < cost) return false;
        *budget -= cost;
        if (std::includes(to.begin(), to.end(), from.begin(), from.end())) continue;
        std::vector<Home> merged;
        std::set_union(from.begin(), from.end(), to.begin(), to.end(), std::back_inserter(merged));
        to = std::move(merged);
        changed = true;
      }
    }
  }
  out->split.assign(count, false);
  for (size_t v = 0; v < count; ++v) {
    const std::vector<Home>& homes = out->of_value[v];
    out->split[v] = homes.size() > 1 && std::any_of(homes.begin(), homes.end(), [&](const Home& h) {
                      return program::in_pool(method.storages[h.storage]);
                    });
  }
  return true;
}

}  // namespace berth::place
