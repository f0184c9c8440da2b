// Stretch by stretch: prove the given order, or search; where the search ends without an answer,
// rules of thumb and searches in windows. At last what was found is brought back to the given order
// wherever that costs nothing.
#include <algorithm>

#include "compiler/passes/order_search.h"
#include "compiler/passes/order_walk.h"

namespace berth::passes {
namespace {

// Beyond any model; a stretch of more tasks keeps its order.
constexpr size_t kMostTasks = 20'000;
// Looks at a ready task that a rule of thumb may take: seconds.
constexpr uint64_t kMostLooks = 20'000'000;
// Bringing an order back costs tasks x tasks at worst.
constexpr size_t kMostTasksToBringBack = 2'000;
constexpr uint64_t kWindowStates = 4'000;
constexpr int32_t kWindows[] = {16, 32, 64, 128};

// Runs whatever fits under the peak so far and frees bytes; when nothing does, the task that raises
// the peak least (kPeak) or leaves least behind (kLive).
enum class Rule { kPeak, kLive };

std::optional<Order> follow_rule(const OrderProblem& problem, Rule rule) {
  OrderWalk walk(problem);
  uint64_t peak = 0, looks = 0;
  while (!walk.is_complete()) {
    int32_t best = -1;
    std::pair<uint64_t, uint64_t> best_key;
    for (const int32_t task : walk.ready()) {
      const uint64_t moment = std::max(walk.moment_of(task), peak), left = walk.live_after(task);
      if (moment == peak && left <= walk.live()) {
        best = task;
        break;
      }
      const auto key = rule == Rule::kPeak ? std::pair(moment, left) : std::pair(left, moment);
      if (best < 0 || key < best_key) {
        best = task;
        best_key = key;
      }
    }
    looks += walk.ready().size();
    if (looks > kMostLooks) return std::nullopt;
    peak = std::max(peak, walk.moment_of(best));
    walk.run(best);
  }
  return walk.done();
}

struct Stretch {
  OrderProblem problem;
  Order order;  // of its own tasks
  uint64_t given_peak = 0;
  uint64_t peak = 0;
  uint64_t bound = 0;
  bool is_done = false;
};

class Finder {
 public:
  Finder(const OrderProblem& problem, const OrderOptions& options)
      : problem_(problem), options_(options), states_left_(options.max_states) {}

  FoundOrder run() {
    FoundOrder found;
    const Order given = given_order(problem_);
    found.given_peak = find_peak(problem_, given);
    int32_t begin = 0;
    const std::vector<int32_t> whole = {static_cast<int32_t>(given.size())};
    for (const int32_t end : options_.use_stretches ? find_stretches(problem_) : whole) {
      Stretch& it = stretches_.emplace_back();
      it.problem = make_stretch(problem_, given, begin, end);
      it.order = given_order(it.problem);
      it.given_peak = it.peak = find_peak(it.problem, it.order);
      it.bound = bound_of_orders(it.problem);
      bound_ = std::max(bound_, it.bound);
      begin = end;
    }
    bound_ = std::max(bound_, problem_.always);
    // The fullest first: what it cannot do without, the others may have.
    while (Stretch* it = next_stretch()) improve(*it);
    uint64_t peak = bound_;
    for (const Stretch& it : stretches_) peak = std::max(peak, it.peak);
    begin = 0;
    for (Stretch& it : stretches_) {
      if (it.given_peak <= peak) {
        it.order = given_order(it.problem);
      } else {
        bring_back(it, peak);
      }
      for (const int32_t task : it.order) found.order.push_back(begin + task);
      begin += static_cast<int32_t>(it.order.size());
    }
    found.peak = find_peak(problem_, found.order);
    found.bound = bound_;
    found.states = states_;
    return found;
  }

 private:
  Stretch* next_stretch() {
    Stretch* next = nullptr;
    for (Stretch& it : stretches_) {
      if (it.is_done || it.peak <= bound_) continue;
      if (next == nullptr || it.peak > next->peak) next = &it;
    }
    return next;
  }

  SearchResult search(const OrderProblem& problem, SearchGoal goal) {
    if (states_left_ == 0) return {std::nullopt, 0, goal.rises ? goal.limit : 0, 0};
    goal.max_states = std::min(goal.max_states, states_left_);
    goal.forces_tasks = options_.use_forced_tasks;
    SearchResult result = search_order(problem, goal);
    states_ += result.states;
    states_left_ -= std::min(states_left_, result.states);
    return result;
  }

  bool take(Stretch& it, const std::optional<Order>& order) {
    if (!order) return false;
    const uint64_t peak = find_peak(it.problem, *order);
    if (peak >= it.peak) return false;
    it.order = *order;
    it.peak = peak;
    return true;
  }

  void improve(Stretch& it) {
    it.is_done = true;
    if (it.problem.tasks.size() > kMostTasks) return;
    // A state of many tasks is larger, and slower to look at.
    const uint64_t share = states_left_ / 2 / (1 + it.problem.tasks.size() / 256);
    SearchResult result = search(it.problem, {bound_, it.peak, true, share});
    take(it, result.order);
    it.bound = std::max(it.bound, result.bound);
    bound_ = std::max(bound_, it.bound);
    if (it.peak <= bound_ || !options_.use_heuristics) return;
    take(it, follow_rule(it.problem, Rule::kPeak));
    take(it, follow_rule(it.problem, Rule::kLive));
    while (it.peak > bound_) {
      result = search(it.problem, {it.peak - 1, it.peak, false, share / 8});
      if (!take(it, result.order)) break;
    }
    it.bound = std::max(it.bound, result.bound);
    bound_ = std::max(bound_, it.bound);
    while (it.peak > bound_ && improve_window(it)) {
    }
  }

  // Searches around the first fullest moment. Whether that is lower now.
  bool improve_window(Stretch& it) {
    const auto count = static_cast<int32_t>(it.order.size());
    const std::vector<uint64_t> moments = find_moments(it.problem, it.order);
    const auto fullest =
        static_cast<int32_t>(std::max_element(moments.begin(), moments.end()) - moments.begin());
    for (const int32_t tasks : kWindows) {
      const int32_t begin = std::max(0, fullest - tasks / 2);
      const int32_t end = std::min(count, begin + tasks);
      const OrderProblem window = make_stretch(it.problem, it.order, begin, end);
      const uint64_t limit = std::max(bound_, bound_of_orders(window));
      const SearchResult result = search(window, {limit, it.peak, true, kWindowStates});
      if (result.order) {
        const Order before = it.order;
        for (int32_t i = begin; i < end; ++i)
          it.order[i] = before[begin + (*result.order)[i - begin]];
        it.peak = find_peak(it.problem, it.order);
        return true;
      }
      if (tasks >= count) break;
    }
    return false;
  }

  // Takes the tasks that stand first in the given order first, as long as no moment passes `limit`.
  static void bring_back(Stretch& it, uint64_t limit) {
    if (it.order.size() > kMostTasksToBringBack) return;
    OrderWalk walk(it.problem);
    Order rest = it.order;
    while (!rest.empty()) {
      const std::vector<int32_t> ready(walk.ready().begin(), walk.ready().end());
      for (const int32_t task : ready) {
        const auto at = std::find(rest.begin(), rest.end(), task);
        if (!fits_in_front(walk, rest, at, limit)) continue;
        rest.erase(at);
        walk.run(task);
        break;
      }
    }
    it.order = walk.done();
  }

  static bool fits_in_front(OrderWalk& walk, const Order& rest, Order::const_iterator task,
                            uint64_t limit) {
    const size_t known = walk.done().size();
    bool fits = walk.moment_of(*task) <= limit;
    if (fits) walk.run(*task);
    for (auto other = rest.begin(); fits && other != task; ++other) {
      fits = walk.moment_of(*other) <= limit;
      if (fits) walk.run(*other);
    }
    while (walk.done().size() > known) walk.undo();
    return fits;
  }

  const OrderProblem& problem_;
  const OrderOptions options_;
  std::vector<Stretch> stretches_;
  uint64_t bound_ = 0;
  uint64_t states_ = 0;
  uint64_t states_left_;
};

}  // namespace

FoundOrder find_order(const OrderProblem& problem, const OrderOptions& options) {
  return Finder(problem, options).run();
}

}  // namespace berth::passes
