#include "compiler/place/state_places.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "compiler/place/method_plan.h"
#include "contract/checked.h"
#include "contract/plan_record.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

// Without a place yet, every state is one of its own. Without a name, it is unless it lies where
// stock planners put what methods share.
bool may_be_shared(const Storage& storage) {
  return storage.mem_id != 0 && (!storage.name.empty() || storage.mem_id == kSharedStateMemId);
}

struct State {
  StatePlaces::Reserved place;
  std::set<size_t> methods;
};

// The states of a program, each once; calls visit(method, storage, state) for all that name one.
template <typename Visit>
MaybeError stack_states(const program::Program& program, const std::vector<program::Pool>& pools,
                        std::vector<State>* states, Visit visit) {
  std::vector<uint64_t> used(pools.size(), 0);
  std::map<std::tuple<std::string, uint32_t, uint64_t>, size_t> known;
  for (size_t m = 0; m < program.methods.size(); ++m) {
    const Method& method = program.methods[m];
    for (size_t s = 0; s < method.storages.size(); ++s) {
      const Storage& storage = method.storages[s];
      if (storage.kind != StorageKind::kState) continue;
      const bool is_own = !may_be_shared(storage);
      const auto identity = std::tuple(storage.name, storage.mem_id, storage.offset);
      const auto found = is_own ? known.end() : known.find(identity);
      size_t index = found != known.end() ? found->second : states->size();
      if (index == states->size()) {
        Result<int32_t> pool = find_pool(method, storage, pools);
        if (!pool.ok()) return pool.error();
        uint64_t& end = used[static_cast<size_t>(pool.value())];
        const uint64_t offset = align_up(end, storage.alignment);
        end = align_up(offset + storage.nbytes, storage.alignment);
        states->push_back({{"state " + storage.name + " of method " + method.name, pool.value(),
                            offset, storage.nbytes},
                           {}});
        if (!is_own) known[identity] = index;
      }
      (*states)[index].methods.insert(m);
      visit(m, s, (*states)[index]);
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<StatePlaces>> place_states(const program::Program& program,
                                              const std::vector<program::Pool>& pools) {
  std::vector<StatePlaces> places(program.methods.size());
  if (program.methods.size() < 2) return places;
  for (size_t m = 0; m < places.size(); ++m)
    places[m].fixed.resize(program.methods[m].storages.size());
  std::vector<State> states;
  const auto fix = [&](size_t method, size_t storage, const State& state) {
    places[method].fixed[storage] = state.place.offset;
  };
  if (auto error = stack_states(program, pools, &states, fix)) return *error;
  for (const State& state : states) {
    for (size_t m = 0; m < places.size(); ++m) {
      if (state.methods.count(m) == 0) places[m].reserved.push_back(state.place);
    }
  }
  return places;
}

std::vector<StatePlaces> keep_shared_states(const program::Program& program) {
  std::map<uint32_t, std::set<size_t>> methods_of;  // per arena, those that keep state there
  for (size_t m = 0; m < program.methods.size(); ++m) {
    for (const Storage& storage : program.methods[m].storages) {
      if (storage.kind == StorageKind::kState) methods_of[storage.mem_id].insert(m);
    }
  }
  std::vector<StatePlaces> places(program.methods.size());
  for (size_t m = 0; m < program.methods.size(); ++m) {
    const Method& method = program.methods[m];
    places[m].fixed.resize(method.storages.size());
    for (size_t s = 0; s < method.storages.size(); ++s) {
      const Storage& storage = method.storages[s];
      if (storage.kind == StorageKind::kState && methods_of[storage.mem_id].size() > 1)
        places[m].fixed[s] = storage.offset;
    }
  }
  return places;
}

}  // namespace berth::place
