#include "compiler/place/spread_pools.h"

#include <algorithm>
#include <string>

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

using Attributes = std::vector<std::string>;

bool reaches(const Attributes& able, const program::Pool& pool) {
  return pool.attributes.empty() ||
         std::any_of(able.begin(), able.end(), [&](const std::string& attribute) {
           return std::count(pool.attributes.begin(), pool.attributes.end(), attribute) != 0;
         });
}

bool is_default(const std::string& name, const std::vector<program::Pool>& pools) {
  for (const program::Pool& pool : pools) {
    if (pool.mem_id == 1) return pool.name == name;
  }
  return pools.front().name == name;
}

// Whether it is where somebody wants it. In a file, a delegate's scratch outside the default pool
// was asked for; all else lies where some planner put it.
bool stays(const Storage& storage, const PlaceOptions& options) {
  if (storage.role == Role::kPersistent) return true;
  if (!options.spread->is_replan) return !storage.pool.empty();
  return storage.kind == StorageKind::kState ||
         (storage.role == Role::kDelegateScratch && !is_default(storage.pool, options.pools));
}

}  // namespace

std::vector<std::vector<int32_t>> spread_pools(const Method& method, const Lifetimes& lifetimes,
                                               const PlaceOptions& options) {
  const std::vector<program::Pool>& pools = options.pools;
  const PoolSpread& spread = *options.spread;
  std::vector<std::vector<int32_t>> allowed(method.storages.size());
  std::vector<int32_t> all;
  for (size_t p = 0; p < pools.size(); ++p) all.push_back(static_cast<int32_t>(p));
  std::stable_sort(all.begin(), all.end(), [&](int32_t a, int32_t b) {
    const auto x = static_cast<size_t>(a), y = static_cast<size_t>(b);
    if (spread.costs[x] != spread.costs[y]) return spread.costs[x] < spread.costs[y];
    return is_default(pools[x].name, pools) && !is_default(pools[y].name, pools);
  });
  for (size_t s = 0; s < method.storages.size(); ++s) {
    if (in_pool(method.storages[s]) && !stays(method.storages[s], options)) allowed[s] = all;
  }

  // `able` null: who knows.
  const auto restrict_storage = [&](int32_t s, const Attributes* able) {
    std::vector<int32_t>& mine = allowed[static_cast<size_t>(s)];
    if (able == nullptr) {
      mine.clear();
      return;
    }
    mine.erase(std::remove_if(
                   mine.begin(), mine.end(),
                   [&](int32_t pool) { return !reaches(*able, pools[static_cast<size_t>(pool)]); }),
               mine.end());
  };
  const auto restrict_value = [&](int32_t v, const Attributes* able) {
    const program::Tensor* tensor = method.values[static_cast<size_t>(v)].tensor();
    if (tensor == nullptr) return;
    if (tensor->storage >= 0) restrict_storage(tensor->storage, able);
    for (const Home& home : lifetimes.homes.of(v)) restrict_storage(home.storage, able);
  };
  const Attributes cpu = {"cpu"};
  for (const auto* interface : {&method.inputs, &method.outputs}) {
    for (int32_t v : *interface) {
      for_tensors(method, v, [&](int32_t tensor) { restrict_value(tensor, &cpu); });
    }
  }
  for (size_t s = 0; s < method.storages.size(); ++s) {
    if (method.storages[s].kind == StorageKind::kState) {
      restrict_storage(static_cast<int32_t>(s), &cpu);
    }
  }
  for (size_t k = 0; k < lifetimes.effects.size(); ++k) {
    const Effects& effects = lifetimes.effects[k];
    const Attributes* able = &cpu;
    if (const auto* call = std::get_if<program::DelegateCall>(&method.instructions[k].call)) {
      const auto known =
          spread.reach.find(method.delegates[static_cast<size_t>(call->delegate)].id);
      able = known == spread.reach.end() ? nullptr : &known->second;
    }
    for (const auto* values : {&effects.reads, &effects.writes, &effects.scratch}) {
      for (int32_t v : *values) restrict_value(v, able);
    }
  }
  return allowed;
}

}  // namespace berth::place
