#include "tools/shared_memory.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "contract/plan_record.h"

namespace berth::tools {
namespace {

bool is_state(const program::Storage& storage) {
  return storage.kind == program::StorageKind::kState || storage.role == Role::kState;
}

// (mem_id, offset, name) of the state that a method holds.
using NamedState = std::tuple<uint32_t, uint64_t, std::string>;

std::vector<NamedState> named_state(const program::Method& method) {
  std::vector<NamedState> found;
  for (const program::Value& value : method.values) {
    const program::Tensor* tensor = value.tensor();
    if (tensor == nullptr || tensor->storage < 0) continue;
    const program::Storage& storage = method.storages[static_cast<size_t>(tensor->storage)];
    if (!program::in_pool(storage)) continue;
    const bool shares_unnamed = storage.mem_id == kSharedStateMemId && is_state(storage);
    if (tensor->fully_qualified_name.empty() && !shares_unnamed) continue;
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

// Per name the program's method; the first of a name counts. REQUIRES: there is one.
std::vector<const program::Method*> choose(const program::Program& program,
                                           const std::vector<std::string>& names) {
  std::vector<const program::Method*> chosen;
  for (const std::string& name : names) {
    chosen.push_back(
        &*std::find_if(program.methods.begin(), program.methods.end(),
                       [&](const program::Method& method) { return method.name == name; }));
  }
  return chosen;
}

// The storage's name, or that of the state in it.
std::string name_of(const program::Method& method, size_t s) {
  for (const program::Value& value : method.values) {
    const program::Tensor* tensor = value.tensor();
    const bool here = tensor != nullptr && tensor->storage == static_cast<int32_t>(s);
    if (here && !tensor->fully_qualified_name.empty()) return tensor->fully_qualified_name;
  }
  const std::string& name = method.storages[s].name;
  return name.empty() ? "storage " + std::to_string(s) : name;
}

// Whether both are one thing that two methods know: the same state at the same place.
bool is_same_state(const program::Method& a, size_t s, const program::Method& b, size_t t) {
  const program::Storage& x = a.storages[s];
  const program::Storage& y = b.storages[t];
  if (!is_state(y) || x.offset != y.offset) return false;
  const bool is_unnamed = x.name.empty() && y.name.empty() && x.nbytes == y.nbytes;
  return (is_unnamed && y.mem_id == kSharedStateMemId) || name_of(a, s) == name_of(b, t);
}

}  // namespace

MemoryNumbers share_memory(const program::Program& program,
                           const std::vector<std::string>& methods) {
  const std::vector<const program::Method*> chosen = choose(program, methods);
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
      if (program.record && !program.record->separate_methods) {
        for (const program::PoolSize& pool : chosen[b]->pools) join(a, b, pool.mem_id);
      } else {
        for (uint32_t mem_id : common_arenas(state[a], state[b])) join(a, b, mem_id);
      }
    }
  }
  return numbers;
}

MaybeError find_lost_state(const program::Program& program, const std::vector<std::string>& methods,
                           const MemoryNumbers& numbers) {
  const std::vector<const program::Method*> chosen = choose(program, methods);
  const auto memory_of = [&](size_t m, const program::Storage& storage) {
    const auto found = numbers.find({m, storage.mem_id});
    return found == numbers.end() ? std::optional<uint32_t>() : found->second;
  };
  for (size_t a = 0; a < chosen.size(); ++a) {
    for (size_t s = 0; s < chosen[a]->storages.size(); ++s) {
      const program::Storage& state = chosen[a]->storages[s];
      if (!program::in_pool(state) || !is_state(state)) continue;
      for (size_t b = 0; b < chosen.size(); ++b) {
        for (size_t t = 0; a != b && t < chosen[b]->storages.size(); ++t) {
          const program::Storage& other = chosen[b]->storages[t];
          const bool meet = program::in_pool(other) && memory_of(a, state) == memory_of(b, other) &&
                            state.offset < other.offset + other.nbytes &&
                            other.offset < state.offset + state.nbytes;
          if (!meet || is_same_state(*chosen[a], s, *chosen[b], t)) continue;
          return Error{"method " + chosen[b]->name,
                       "its buffer " + name_of(*chosen[b], t) + " lies over the state " +
                           name_of(*chosen[a], s) + " of method " + chosen[a]->name +
                           ", which shares the pool; a run of one destroys the other's state"};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace berth::tools
