#include "compiler/place/unused_storages.h"

#include <utility>

namespace berth::place {

void drop_unused_storages(program::Method* method) {
  std::vector<bool> named(method->storages.size(), false);
  for (const program::Value& value : method->values) {
    const program::Tensor* tensor = value.tensor();
    if (tensor != nullptr && tensor->storage >= 0)
      named[static_cast<size_t>(tensor->storage)] = true;
  }
  std::vector<int32_t> renumbered(method->storages.size(), -1);
  std::vector<program::Storage> kept;
  for (size_t s = 0; s < method->storages.size(); ++s) {
    if (!named[s]) continue;
    renumbered[s] = static_cast<int32_t>(kept.size());
    kept.push_back(std::move(method->storages[s]));
  }
  method->storages = std::move(kept);
  for (program::Value& value : method->values) {
    program::Tensor* tensor = value.tensor();
    if (tensor != nullptr && tensor->storage >= 0)
      tensor->storage = renumbered[static_cast<size_t>(tensor->storage)];
  }
}

}  // namespace berth::place
