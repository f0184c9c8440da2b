#include "compiler/place/method_plan.h"

#include <algorithm>
#include <numeric>

#include "compiler/place/recorded_plan.h"
#include "compiler/place/spread_pools.h"
#include "compiler/place/unused_storages.h"
#include "plan/check.h"

namespace berth::place {
namespace {

using program::Method;
using program::Storage;
using program::StorageKind;

// For everything that asks for no pool by name.
int32_t default_pool(const std::vector<program::Pool>& pools) {
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].mem_id == 1) return static_cast<int32_t>(i);
  }
  return 0;
}

// The values of an in-place option, when the planner may merge their storages: both fill theirs and
// are as large, and the only instruction at which both are occupied is the option's.
bool may_merge(const Method& method, const Lifetimes& lifetimes, size_t instruction,
               const program::InPlaceOption& option) {
  const program::Tensor* output = method.values[option.output].tensor();
  const program::Tensor* input = method.values[option.input].tensor();
  if (output == nullptr || input == nullptr || output->storage == input->storage) return false;
  const Storage& target = method.storages[output->storage];
  const Storage& source = method.storages[input->storage];
  if (target.kind != StorageKind::kPlanned || source.kind != StorageKind::kPlanned) return false;
  if (target.pool != source.pool || target.nbytes != source.nbytes || target.nbytes == 0)
    return false;
  if (output->offset != 0 || input->offset != 0) return false;
  const auto k = static_cast<uint32_t>(instruction);
  const Intervals& born = lifetimes.live[output->storage];
  const Intervals& dying = lifetimes.live[input->storage];
  size_t common = 0;
  for (const program::Interval& b : born) {
    for (const program::Interval& d : dying) {
      const uint32_t begin = std::max(b.begin, d.begin);
      const uint32_t end = std::min(b.end, d.end);
      if (begin < end) {
        common += end - begin;
        if (begin != k || b.begin != k || d.end != k + 1) return false;
      }
    }
  }
  return common == 1;
}

// The words of a capacity that is missed: every number a person needs to change something.
Error shortage_error(const Method& method, const MethodProblem& made,
                     const plan::Shortage& shortage) {
  const plan::Pool& pool = made.problem.pools[shortage.pool];
  const auto step = static_cast<int32_t>(shortage.step);
  std::string words = "pool '" + pool.name + "' needs " + std::to_string(shortage.need) +
                      " bytes and has " + std::to_string(shortage.have) + ": " +
                      std::to_string(shortage.need - shortage.have) + " short" +
                      (shortage.proven ? " (proven)" : "") + "; at instruction " +
                      instruction_name(method, step) + " are live";
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < shortage.live.size(); ++i) {
    if (i == kShown) {
      words += " and " + std::to_string(shortage.live.size() - kShown) + " more";
      break;
    }
    const plan::Buffer& buffer = made.problem.buffers[shortage.live[i]];
    words += (i == 0 ? " " : ", ") + buffer.id + " (" + std::to_string(buffer.size) + ", ";
    const int32_t s = made.storages[shortage.live[i]];
    if (s < 0) {
      words += "state of another method)";
      continue;
    }
    const Storage& storage = method.storages[s];
    words += role_name(storage.role);
    if (storage.owner >= 0) words += " of " + instruction_name(method, storage.owner);
    words += ")";
  }
  return Error{"method " + method.name, words};
}

// Puts storages that share bytes by a taken option into one, and drops those that no value names
// any more.
void merge_storages(Method* method, const std::vector<int32_t>& host) {
  const auto root = [&](int32_t s) {
    while (host[s] != s) s = host[s];
    return s;
  };
  const auto rank = [](Role role) {  // what a merged buffer is called
    return role == Role::kState ? 3 : role == Role::kInput ? 2 : role == Role::kOutput ? 1 : 0;
  };
  for (size_t s = 0; s < host.size(); ++s) {
    const int32_t r = root(static_cast<int32_t>(s));
    if (r == static_cast<int32_t>(s)) continue;
    Storage& target = method->storages[r];
    const Storage& source = method->storages[s];
    if (rank(source.role) > rank(target.role)) target.role = source.role;
    target.alignment = std::max(target.alignment, source.alignment);
  }
  for (program::Value& value : method->values) {
    program::Tensor* tensor = value.tensor();
    if (tensor != nullptr && tensor->storage >= 0) tensor->storage = root(tensor->storage);
  }
  drop_unused_storages(method);
}

std::vector<program::PoolUse> pool_uses(const plan::Problem& problem, const plan::Plan& plan,
                                        const std::vector<program::Pool>& pools) {
  // Greedy is measured with the same pools.
  std::vector<uint64_t> greedy(pools.size(), 0);
  plan::Problem open = problem;
  for (plan::Pool& pool : open.pools) pool.capacity.reset();
  for (size_t b = 0; b < open.buffers.size(); ++b) {
    plan::Buffer& buffer = open.buffers[b];
    if (!buffer.pools.empty()) buffer.pools = {plan.placements[b].pool};
  }
  if (auto made = plan::make_plan(open, plan::Planner::kGreedy); made.ok())
    greedy = made.value().pool_bytes;
  std::vector<program::PoolUse> uses;
  for (size_t p = 0; p < pools.size(); ++p) {
    if (plan.pool_bytes[p] == 0) continue;
    uses.push_back({pools[p].mem_id, plan.pool_bytes[p], plan.lower_bound[p], greedy[p], 0});
  }
  return uses;
}

}  // namespace

Result<int32_t> find_pool(const Method& method, const Storage& storage,
                          const std::vector<program::Pool>& pools) {
  if (storage.pool.empty()) return default_pool(pools);
  std::string names;
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].name == storage.pool) return static_cast<int32_t>(i);
    names += (i == 0 ? "" : ", ") + pools[i].name;
  }
  std::string place = "method " + method.name + ", buffer " + storage.name;
  if (storage.owner >= 0) place += " of " + instruction_name(method, storage.owner);
  return Error{place,
               "asks for pool '" + storage.pool + "', which the board lacks; it has " + names};
}

Result<MethodProblem> make_problem(const Method& method, const Lifetimes& lifetimes,
                                   const PlaceOptions& options, const StatePlaces& states) {
  MethodProblem made;
  for (const program::Pool& pool : options.pools) {
    plan::Pool out{pool.name, std::nullopt, 0};
    if (pool.capacity != 0) out.capacity = pool.capacity;
    if (options.spread) out.cost = options.spread->costs[made.problem.pools.size()];
    made.problem.pools.push_back(out);
  }
  std::vector<std::vector<int32_t>> spread(method.storages.size());
  if (options.spread) spread = spread_pools(method, lifetimes, options);
  std::vector<int32_t> buffer_of(method.storages.size(), -1);
  for (size_t s = 0; s < method.storages.size(); ++s) {
    const Storage& storage = method.storages[s];
    if (!in_pool(storage) || lifetimes.live[s].empty()) continue;
    Result<int32_t> pool = find_pool(method, storage, options.pools);
    if (!pool.ok()) return pool.error();
    plan::Buffer buffer;
    buffer.id = storage.name.empty() ? "storage " + std::to_string(s) : storage.name;
    for (const program::Interval& i : lifetimes.live[s]) buffer.live.push_back({i.begin, i.end});
    buffer.size = storage.nbytes;
    buffer.alignment = storage.alignment;
    buffer.pools = {pool.value()};
    if (!states.fixed.empty() && states.fixed[s]) {
      buffer.fixed = {{pool.value(), *states.fixed[s]}};
    } else if (!spread[s].empty()) {
      buffer.pools = std::move(spread[s]);
    }
    buffer_of[s] = static_cast<int32_t>(made.problem.buffers.size());
    made.problem.buffers.push_back(std::move(buffer));
    made.storages.push_back(static_cast<int32_t>(s));
  }
  for (const StatePlaces::Reserved& reserved : states.reserved) {
    plan::Buffer buffer;
    buffer.id = reserved.name;
    buffer.live = {{0, lifetimes.steps}};
    buffer.size = reserved.nbytes;
    buffer.pools = {reserved.pool};
    buffer.fixed = {{reserved.pool, reserved.offset}};
    made.problem.buffers.push_back(std::move(buffer));
    made.storages.push_back(-1);
  }
  if (!options.reuse) return made;
  for (size_t k = 0; k < method.instructions.size(); ++k) {
    for (const program::InPlaceOption& option : method.instructions[k].in_place) {
      if (!may_merge(method, lifetimes, k, option)) continue;
      const int32_t output = buffer_of[method.values[option.output].tensor()->storage];
      const int32_t input = buffer_of[method.values[option.input].tensor()->storage];
      if (output >= 0 && input >= 0) made.problem.buffers[output].may_share.push_back(input);
    }
  }
  return made;
}

Result<MethodPlan> plan_method(const Method& method, const Lifetimes& lifetimes,
                               const PlaceOptions& options, const StatePlaces& states) {
  Result<MethodProblem> made = make_problem(method, lifetimes, options, states);
  if (!made.ok()) return made.error();
  MethodPlan out;
  out.made = made.take();
  std::optional<plan::Shortage> shortage;
  const plan::Planner planner = options.reuse ? options.planner : plan::Planner::kNaive;
  plan::Options search;
  search.progress = options.on_progress;
  Result<plan::Plan> planned = plan::make_plan(out.made.problem, planner, search, &shortage);
  if (!planned.ok()) {
    if (shortage) return shortage_error(method, out.made, *shortage);
    return Error{"method " + method.name, planned.error().place + ": " + planned.error().message};
  }
  out.plan = planned.take();
  if (auto wrong = plan::check(out.made.problem, out.plan)) {
    return Error{"method " + method.name, "the checker refuses the plan: " + wrong->message};
  }
  return out;
}

void apply_plan(const MethodPlan& planned, const PlaceOptions& options, Method* method) {
  const plan::Problem& problem = planned.made.problem;
  const std::vector<int32_t>& storages = planned.made.storages;
  std::vector<int32_t> host(method->storages.size());
  std::iota(host.begin(), host.end(), 0);
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    if (storages[b] < 0) continue;
    const plan::Placement& place = planned.plan.placements[b];
    Storage& storage = method->storages[storages[b]];
    storage.mem_id = options.pools[place.pool].mem_id;
    storage.offset = place.offset;
    for (int32_t other : problem.buffers[b].may_share) {
      const plan::Placement& q = planned.plan.placements[other];
      if (place.pool == q.pool && place.offset == q.offset) {
        host[storages[b]] = storages[other];
        break;
      }
    }
  }
  merge_storages(method, host);

  method->pools.clear();
  std::vector<bool> used(options.pools.size(), false);  // a buffer of 0 bytes lies in a pool, too
  for (const plan::Placement& placement : planned.plan.placements) used[placement.pool] = true;
  for (size_t p = 0; p < options.pools.size(); ++p) {
    if (used[p])
      method->pools.push_back({options.pools[p].mem_id, planned.plan.pool_bytes[p], 0, 0});
  }
  std::sort(method->pools.begin(), method->pools.end(),
            [](const auto& a, const auto& b) { return a.mem_id < b.mem_id; });
}

MaybeError record_method(const MethodPlan& planned, const PlaceOptions& options, Method* method) {
  Result<program::RecordedPlan> recorded = record_plan(*method);
  if (!recorded.ok()) return recorded.error();
  method->plan = recorded.take();
  method->plan->pool_use = pool_uses(planned.made.problem, planned.plan, options.pools);
  method->plan->planner = planned.plan.planner;
  method->plan->proven_optimal = planned.plan.proven_optimal;
  return std::nullopt;
}

}  // namespace berth::place
