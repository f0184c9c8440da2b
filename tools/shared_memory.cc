#include "tools/shared_memory.h"

#include <algorithm>
#include <tuple>

namespace berth::tools {
namespace {

// (mem_id, offset, name) of the state that a method holds.
using NamedState = std::tuple<uint32_t, uint64_t, std::string>;

std::vector<NamedState> named_state(const program::Method& method) {
  std::vector<NamedState> found;
  for (const program::Value& value : method.values) {
    const program::Tensor* tensor = value.tensor();
    if (tensor == nullptr || tensor->storage < 0 || tensor->fully_qualified_name.empty()) continue;
    const program::Storage& storage = method.storages[static_cast<size_t>(tensor->storage)];
    if (!program::in_pool(storage)) continue;
    found.emplace_back(storage.mem_id, storage.offset + tensor->offset,
                       tensor->fully_qualified_name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The arenas in which two methods hold the same state.
std::vector<uint32_t> common_arenas(const std::vector<NamedState>& a,
                                    const std::vector<NamedState>& b) {
  std::vector<NamedState> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  std::vector<uint32_t> arenas;
  for (const NamedState& state : both) arenas.push_back(std::get<0>(state));
  return arenas;
}

}  // namespace

MemoryNumbers share_memory(const program::Program& program,
                           const std::vector<std::string>& methods) {
  std::vector<const program::Method*> chosen;
  for (const std::string& name : methods) {
    for (const program::Method& method : program.methods) {
      if (method.name != name) continue;
      chosen.push_back(&method);
      break;  // the first of a name counts
    }
  }
  MemoryNumbers numbers;
  uint32_t next = 0;
  for (size_t m = 0; m < chosen.size(); ++m) {
    for (const program::PoolSize& pool : chosen[m]->pools) numbers[{m, pool.mem_id}] = next++;
  }
  const auto join = [&](size_t a, size_t b, uint32_t mem_id) {
    const auto first = numbers.find({a, mem_id});
    const auto second = numbers.find({b, mem_id});
    if (first == numbers.end() || second == numbers.end()) return;
    const uint32_t from = second->second;
    const uint32_t to = first->second;
    for (auto& [key, number] : numbers) {
      if (number == from) number = to;
    }
  };
  std::vector<std::vector<NamedState>> state;
  for (const program::Method* method : chosen) state.push_back(named_state(*method));
  for (size_t b = 1; b < chosen.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (program.record) {
        for (const program::PoolSize& pool : chosen[b]->pools) join(a, b, pool.mem_id);
      } else {
        for (uint32_t mem_id : common_arenas(state[a], state[b])) join(a, b, mem_id);
      }
    }
  }
  return numbers;
}

}  // namespace berth::tools
