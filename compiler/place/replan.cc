#include "compiler/place/replan.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/place/clobbers.h"
#include "compiler/place/coalesce_moves.h"
#include "compiler/place/find_buffers.h"
#include "compiler/place/lifetimes.h"
#include "compiler/place/method_plan.h"
#include "compiler/place/recorded_plan.h"
#include "compiler/place/state_places.h"
#include "contract/checked.h"
#include "plan/check.h"

namespace berth::place {
namespace {

using program::Method;
using program::Program;
using program::Storage;
using program::StorageKind;

// The pools of the record, in its order, and the arenas that it does not name.
std::vector<program::Pool> own_pools(const Program& program) {
  std::vector<program::Pool> pools;
  if (program.record) pools = program.record->pools;
  std::set<uint32_t> others;
  for (const Method& method : program.methods) {
    for (const program::PoolSize& size : method.pools) {
      if (size.mem_id != 0 && size.bytes != 0) others.insert(size.mem_id);
    }
  }
  for (const program::Pool& pool : pools) others.erase(pool.mem_id);
  for (const uint32_t mem_id : others)
    pools.push_back({"mem" + std::to_string(mem_id), mem_id, kDefaultAlignment, 0, {}});
  return pools;
}

// The pools to plan for: the board's, or the file's own with other capacities. State that several
// methods have in one arena keeps that arena, which a board need not name.
Result<std::vector<program::Pool>> choose_pools(const Program& program,
                                                const ReplanOptions& options) {
  std::vector<program::Pool> pools = options.place.pools;
  if (pools.empty()) pools = own_pools(program);
  if (pools.empty()) pools.push_back({"mem1", 1, kDefaultAlignment, 0, {}});
  for (const auto& capacity : options.capacities) {
    const std::string& name = capacity.first;
    const auto pool =
        std::find_if(pools.begin(), pools.end(), [&](const auto& p) { return p.name == name; });
    if (pool == pools.end()) {
      std::string names;
      for (const program::Pool& p : pools) names += (names.empty() ? "" : ", ") + p.name;
      return Error{"pool " + name, "there is none of this name; there are " + names};
    }
    pool->capacity = capacity.second;
  }
  std::map<uint32_t, int> keepers;
  for (const Method& method : program.methods) {
    std::set<uint32_t> mine;
    for (const Storage& storage : method.storages) {
      if (storage.kind == StorageKind::kState) mine.insert(storage.mem_id);
    }
    for (uint32_t mem_id : mine) ++keepers[mem_id];
  }
  for (const auto& keeper : keepers) {
    const uint32_t mem_id = keeper.first;
    const bool is_there = std::any_of(pools.begin(), pools.end(),
                                      [&](const auto& pool) { return pool.mem_id == mem_id; });
    if (keeper.second > 1 && !is_there)
      pools.push_back({"mem" + std::to_string(mem_id), mem_id, kDefaultAlignment, 0, {}});
  }
  return pools;
}

// Every buffer asks for the pool with its arena's mem_id, where there is one.
void ask_for_pools(const std::vector<program::Pool>& pools, Method* method) {
  for (Storage& storage : method->storages) {
    if (!in_pool(storage)) continue;
    storage.pool.clear();
    for (const program::Pool& pool : pools) {
      if (pool.mem_id == storage.mem_id) storage.pool = pool.name;
    }
  }
}

uint64_t pool_size(const Method& method, uint32_t mem_id) {
  for (const program::PoolSize& pool : method.pools) {
    if (pool.mem_id == mem_id) return pool.bytes;
  }
  return 0;
}

// Bytes above the last buffer that a delegate may have asked for.
uint64_t find_tail(const Method& method, uint32_t mem_id) {
  if (method.plan) {
    for (const program::PoolUse& use : method.plan->pool_use) {
      if (use.mem_id == mem_id) return use.tail;
    }
    return 0;
  }
  if (method.delegates.empty()) return 0;
  uint64_t end = 0;
  for (const Storage& storage : method.storages) {
    if (!in_pool(storage) || storage.mem_id != mem_id) continue;
    end = std::max(end, align_up(storage.offset + storage.nbytes, storage.alignment));
  }
  const uint64_t bytes = pool_size(method, mem_id);
  return bytes > end ? bytes - end : 0;
}

// The places of the file as a plan of the problem.
plan::Plan own_plan(const Method& method, const MethodProblem& made,
                    const std::vector<program::Pool>& pools) {
  plan::Plan plan;
  plan.pool_bytes.assign(pools.size(), 0);
  plan.pool_alignment.assign(pools.size(), 1);
  for (size_t b = 0; b < made.problem.buffers.size(); ++b) {
    const Storage& storage = method.storages[made.storages[b]];
    const int32_t pool = made.problem.buffers[b].pools[0];
    plan.placements.push_back({pool, storage.offset});
    plan.pool_bytes[pool] = std::max(plan.pool_bytes[pool],
                                     align_up(storage.offset + storage.nbytes, storage.alignment));
    plan.pool_alignment[pool] = std::max(plan.pool_alignment[pool], storage.alignment);
  }
  plan.planner = "kept";
  for (const plan::Moment& moment : plan::fullest_moments(made.problem, plan)) {
    plan.lower_bound.push_back(moment.bytes);
  }
  plan.proven_optimal = plan.pool_bytes == plan.lower_bound;
  return plan;
}

class MethodReplanner {
 public:
  MethodReplanner(const ReplanOptions& options, std::vector<program::Pool> pools,
                  StatePlaces states, bool keeps_pools, Method* method)
      : options_(options),
        place_(options.place),
        states_(std::move(states)),
        keeps_pools_(keeps_pools),
        method_(*method) {
    place_.pools = std::move(pools);
    // Arenas that the board does not name are for the state that is there.
    if (place_.spread) place_.spread->costs.resize(place_.pools.size(), UINT64_MAX);
  }

  MaybeError run() {
    for (const program::PoolSize& pool : method_.pools) {
      if (pool.mem_id != 0) tails_[pool.mem_id] = find_tail(method_, pool.mem_id);
    }
    if (options_.caller_io) free_interface();
    Result<Lifetimes> lifetimes = find_lifetimes(method_);
    if (!lifetimes.ok()) return lifetimes.error();

    const Method before = method_;
    Method coalesced = method_;
    coalesce_moves(lifetimes.value(), &coalesced);
    Result<Lifetimes> coalesced_lifetimes = find_lifetimes(coalesced);
    if (!coalesced_lifetimes.ok()) return coalesced_lifetimes.error();

    Result<MethodPlan> best =
        plan_method(coalesced, coalesced_lifetimes.value(), place_, states_of(coalesced));
    if (!best.ok()) return best.error();
    Method* chosen = &coalesced;
    if (may_keep() && !is_smaller(best.value().plan, before)) {
      // No better than the file: its own places stay, if they are a plan.
      Result<MethodProblem> own = make_problem(before, lifetimes.value(), place_, {});
      if (!own.ok()) return own.error();
      const plan::Plan kept = own_plan(before, own.value(), place_.pools);
      const bool is_sound = !plan::check(own.value().problem, kept);
      if (is_sound) {
        place_targets(lifetimes.value(), &method_);
        best = MethodPlan{own.take(), kept};
        chosen = &method_;
      } else if (is_larger(best.value().plan, before)) {
        return keep_as_it_is(before);
      }
    }
    const MethodPlan& planned = best.value();
    apply_plan(planned, place_, chosen);
    if (chosen != &method_) method_ = std::move(coalesced);
    place_unused();
    finish_pools(before);
    method_.plan.reset();
    unproven_ = find_unprovable(method_);
    if (unproven_) return std::nullopt;
    unproven_ = record_method(planned, place_, &method_);
    if (!unproven_) add_tails();
    return std::nullopt;
  }

  // Why the method has no certificate, if so.
  const MaybeError& unproven() const { return unproven_; }

 private:
  bool may_keep() const {
    return keeps_pools_ && place_.planner == plan::Planner::kBest && place_.reuse;
  }

  uint64_t old_bytes(const Method& before, uint32_t mem_id) const {
    const uint64_t bytes = pool_size(before, mem_id);
    const auto tail = tails_.find(mem_id);
    return bytes - (tail == tails_.end() ? 0 : std::min(bytes, tail->second));
  }
  bool is_larger(const plan::Plan& plan, const Method& before) const {
    for (size_t p = 0; p < place_.pools.size(); ++p) {
      if (plan.pool_bytes[p] > old_bytes(before, place_.pools[p].mem_id)) return true;
    }
    return false;
  }
  bool is_smaller(const plan::Plan& plan, const Method& before) const {
    if (is_larger(plan, before)) return false;
    for (size_t p = 0; p < place_.pools.size(); ++p) {
      if (plan.pool_bytes[p] < old_bytes(before, place_.pools[p].mem_id)) return true;
    }
    return false;
  }

  // Sound by what is written when, but not in a way that a certificate could say, and no plan that
  // it could say is as small.
  MaybeError keep_as_it_is(const Method& before) {
    if (auto error = check_clobbers(before)) return error;
    method_ = before;
    method_.plan.reset();
    unproven_ = Error{"method " + method_.name, "keeps a plan that no certificate can tell"};
    return std::nullopt;
  }

  // Inputs and outputs that share their bytes with nobody leave the pools.
  void free_interface() {
    std::vector<int> values(method_.storages.size(), 0);
    for (const program::Value& value : method_.values) {
      const program::Tensor* tensor = value.tensor();
      if (tensor != nullptr && tensor->storage >= 0) ++values[tensor->storage];
    }
    const auto free = [&](const std::vector<int32_t>& interface) {
      for (int32_t v : interface) {
        const program::Tensor* tensor = method_.values[v].tensor();
        if (tensor == nullptr || tensor->storage < 0) continue;
        Storage& storage = method_.storages[tensor->storage];
        if (storage.kind != StorageKind::kPlanned || values[tensor->storage] != 1) continue;
        storage.kind = StorageKind::kCaller;
        storage.mem_id = 0;
        storage.offset = 0;
      }
    };
    free(method_.inputs);
    free(method_.outputs);
  }

  // Coalescing renumbers storages; state is never put together with anything.
  StatePlaces states_of(const Method& coalesced) const {
    StatePlaces states;
    states.reserved = states_.reserved;
    states.fixed.resize(coalesced.storages.size());
    for (size_t s = 0; s < states_.fixed.size(); ++s) {
      if (!states_.fixed[s]) continue;
      for (size_t c = 0; c < coalesced.storages.size(); ++c) {
        if (coalesced.storages[c] == method_.storages[s]) states.fixed[c] = states_.fixed[s];
      }
    }
    return states;
  }

  // What no instruction touches has a place in the file all the same: anywhere in its pool.
  void place_unused() {
    Result<Lifetimes> lifetimes = find_lifetimes(method_);
    if (!lifetimes.ok()) return;
    for (size_t s = 0; s < method_.storages.size(); ++s) {
      Storage& storage = method_.storages[s];
      if (!in_pool(storage) || !lifetimes.value().live[s].empty()) continue;
      Result<int32_t> pool = find_pool(method_, storage, place_.pools);
      if (!pool.ok()) continue;
      storage.mem_id = place_.pools[pool.value()].mem_id;
      storage.offset = 0;
      auto size = std::find_if(method_.pools.begin(), method_.pools.end(),
                               [&](const auto& p) { return p.mem_id == storage.mem_id; });
      if (size == method_.pools.end()) {
        method_.pools.push_back({storage.mem_id, 0, 0, 0});
        size = method_.pools.end() - 1;
      }
      size->bytes = std::max(size->bytes, align_up(storage.nbytes, storage.alignment));
    }
    std::sort(method_.pools.begin(), method_.pools.end(),
              [](const auto& a, const auto& b) { return a.mem_id < b.mem_id; });
  }

  // Tails, devices, and arenas of the file that have become empty.
  void finish_pools(const Method& before) {
    for (program::PoolSize& pool : method_.pools) {
      const auto tail = tails_.find(pool.mem_id);
      if (tail != tails_.end()) pool.bytes += tail->second;
      for (const program::PoolSize& old : before.pools) {
        if (old.mem_id != pool.mem_id) continue;
        pool.device_type = old.device_type;
        pool.device_index = old.device_index;
      }
    }
  }

  void add_tails() {
    for (program::PoolUse& use : method_.plan->pool_use) {
      const auto tail = tails_.find(use.mem_id);
      if (tail == tails_.end()) continue;
      use.tail = tail->second;
      use.bytes += tail->second;
    }
  }

  const ReplanOptions& options_;
  PlaceOptions place_;
  const StatePlaces states_;
  const bool keeps_pools_;
  Method& method_;
  std::map<uint32_t, uint64_t> tails_;
  MaybeError unproven_;
};

}  // namespace

MaybeError replan(Program* program, const ReplanOptions& options, Diagnostics* notes) {
  Program out = *program;
  if (auto error = find_buffers(&out)) return error;
  const bool keeps_pools = options.place.pools.empty();
  Result<std::vector<program::Pool>> pools = choose_pools(out, options);
  if (!pools.ok()) return pools.error();
  for (Method& method : out.methods) ask_for_pools(pools.value(), &method);

  // A file of someone else gives each method memory of its own; a board has one memory for all.
  const bool is_separate =
      keeps_pools && out.methods.size() > 1 && (!out.record || out.record->separate_methods);
  std::vector<StatePlaces> states;
  if (is_separate) {
    states = keep_shared_states(out);
  } else {
    Result<std::vector<StatePlaces>> placed = place_states(out, pools.value());
    if (!placed.ok()) return placed.error();
    states = placed.take();
  }

  bool all_proven = true;
  for (size_t m = 0; m < out.methods.size(); ++m) {
    MethodReplanner replanner(options, pools.value(), states[m], keeps_pools, &out.methods[m]);
    if (auto error = replanner.run()) return error;
    if (!replanner.unproven()) continue;
    all_proven = false;
    if (options.record && notes != nullptr) {
      const Error& why = *replanner.unproven();
      notes->notes.push_back(
          {why.place, "no certificate, so the file gets no plan record: " + why.message});
    }
  }
  if (all_proven && options.record) {
    if (!out.record) {
      out.record = program::Record{};
      out.record->isa = Isa::kUnstated;
    }
    out.record->pools = pools.take();
    out.record->separate_methods = is_separate;
  } else {
    out.record.reset();
    for (Method& method : out.methods) method.plan.reset();
  }
  *program = std::move(out);
  return std::nullopt;
}

Result<std::vector<program::PoolUse>> measure_pools(const Program& program, const Method& method) {
  const std::vector<program::Pool> pools = own_pools(program);
  Result<Lifetimes> lifetimes = find_lifetimes(method);
  if (!lifetimes.ok()) return lifetimes.error();
  Method coalesced = method;
  coalesce_moves(lifetimes.value(), &coalesced);
  Result<Lifetimes> coalesced_lifetimes = find_lifetimes(coalesced);
  if (!coalesced_lifetimes.ok()) return coalesced_lifetimes.error();
  PlaceOptions options;
  options.pools = pools;
  for (program::Pool& pool : options.pools) pool.capacity = 0;
  ask_for_pools(pools, &coalesced);
  Result<MethodProblem> made = make_problem(coalesced, coalesced_lifetimes.value(), options);
  if (!made.ok()) return made.error();
  const std::vector<plan::Moment> bounds = plan::lower_bound(made.value().problem);
  Result<plan::Plan> greedy = plan::make_plan(made.value().problem, plan::Planner::kGreedy);
  if (!greedy.ok()) return greedy.error();
  std::vector<program::PoolUse> uses;
  for (size_t p = 0; p < pools.size(); ++p) {
    const uint64_t bytes = pool_size(method, pools[p].mem_id);
    if (bytes == 0) continue;
    uses.push_back({pools[p].mem_id, bytes, bounds[p].bytes, greedy.value().pool_bytes[p],
                    find_tail(method, pools[p].mem_id)});
  }
  return uses;
}

}  // namespace berth::place
