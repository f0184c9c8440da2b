// The live-bytes bound: at any step the bytes alive must all have a place. An in-place option lets
// two buffers have one place at one step, so each step is lowered by the most its options could
// save: no taker and no giver can take part in more than one, so neither the sum over takers nor
// the sum over givers of each one's best can be passed. (A matching would be exact where several
// takers want the same givers; this stays a true bound.)
#include "plan/bound.h"

#include <algorithm>
#include <map>

namespace berth::plan {
namespace {

struct Event {
  Step step;
  bool begins;
  int32_t root;
};

uint64_t most_saved(const Model& model, const std::vector<int32_t>& pool_of, int32_t pool,
                    size_t first, size_t last) {
  std::map<int32_t, uint64_t> takers;
  std::map<int32_t, uint64_t> givers;
  for (size_t k = first; k < last; ++k) {
    const InPlace& option = model.options()[k];
    if (pool_of[option.taker] != pool || pool_of[option.giver] != pool) continue;
    const uint64_t saved =
        std::min(model.roots()[option.taker].bytes, model.roots()[option.giver].bytes);
    takers[option.taker] = std::max(takers[option.taker], saved);
    givers[option.giver] = std::max(givers[option.giver], saved);
  }
  uint64_t by_takers = 0;
  uint64_t by_givers = 0;
  for (const auto& [root, saved] : takers) by_takers += saved;
  for (const auto& [root, saved] : givers) by_givers += saved;
  return std::min(by_takers, by_givers);
}

std::vector<int32_t> alive_at(const Model& model, const std::vector<int32_t>& pool_of, int32_t pool,
                              Step step) {
  std::vector<int32_t> live;
  for (int32_t i = 0; i < model.count(); ++i) {
    if (pool_of[i] != pool) continue;
    for (const Interval& life : model.roots()[i].live) {
      if (life.begin <= step && step < life.end) live.push_back(i);
    }
  }
  std::sort(live.begin(), live.end(), [&](int32_t a, int32_t b) {
    if (model.roots()[a].bytes != model.roots()[b].bytes) {
      return model.roots()[a].bytes > model.roots()[b].bytes;
    }
    return a < b;
  });
  for (int32_t& root : live) root = model.roots()[root].buffer;
  return live;
}

}  // namespace

std::vector<Moment> fullest_moments(const Model& model, const std::vector<int32_t>& pool_of) {
  std::vector<Event> events;
  for (int32_t i = 0; i < model.count(); ++i) {
    if (pool_of[i] < 0) continue;
    for (const Interval& life : model.roots()[i].live) {
      events.push_back({life.begin, true, i});
      events.push_back({life.end, false, i});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (a.step != b.step) return a.step < b.step;
    return a.begins != b.begins ? !a.begins : a.root < b.root;
  });

  const size_t pools = model.problem().pools.size();
  std::vector<Moment> moments(pools);
  std::vector<uint64_t> alive(pools, 0);
  std::vector<int32_t> touched;
  size_t option = 0;
  for (size_t k = 0; k < events.size();) {
    const Step step = events[k].step;
    touched.clear();
    for (; k < events.size() && events[k].step == step; ++k) {
      const int32_t pool = pool_of[events[k].root];
      const uint64_t bytes = model.roots()[events[k].root].bytes;
      alive[pool] = events[k].begins ? alive[pool] + bytes : alive[pool] - bytes;
      if (events[k].begins) touched.push_back(pool);
    }
    const auto& options = model.options();
    while (option < options.size() && options[option].step < step) ++option;
    size_t last = option;
    while (last < options.size() && options[last].step == step) ++last;
    for (int32_t pool : touched) {
      uint64_t bytes = alive[pool];
      if (bytes > moments[pool].bytes && last > option) {
        bytes -= most_saved(model, pool_of, pool, option, last);
      }
      if (bytes > moments[pool].bytes) moments[pool] = {bytes, step, {}};
    }
    option = last;
  }
  for (int32_t i = 0; i < model.count(); ++i) {
    const Root& root = model.roots()[i];
    if (root.fixed == nullptr || pool_of[i] < 0) continue;
    const uint64_t end = root.fixed->offset + root.bytes;
    if (end > moments[pool_of[i]].bytes) moments[pool_of[i]] = {end, root.begin, {}};
  }
  for (size_t p = 0; p < pools; ++p) {
    if (moments[p].bytes > 0) {
      moments[p].live = alive_at(model, pool_of, static_cast<int32_t>(p), moments[p].step);
    }
  }
  return moments;
}

std::vector<int32_t> only_pools(const Model& model) {
  std::vector<int32_t> pools;
  for (const Root& root : model.roots()) {
    pools.push_back(root.pools.size() == 1 ? root.pools.front() : -1);
  }
  return pools;
}

std::vector<Moment> fullest_moments(const Problem& problem, const Plan& plan) {
  const Model model(problem, true, true);
  std::vector<int32_t> pool_of;
  for (const Root& root : model.roots()) pool_of.push_back(plan.placements[root.buffer].pool);
  return fullest_moments(model, pool_of);
}

std::vector<Moment> lower_bound(const Problem& problem) {
  const Model model(problem, true, true);
  return fullest_moments(model, only_pools(model));
}

}  // namespace berth::plan
