#include "compiler/passes/order_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "compiler/passes/order_walk.h"

namespace berth::passes {
namespace {

// Looks at one ready task that a state may cost on average: wide problems run out of these first.
constexpr uint64_t kLooksPerState = 256;
// Tasks of a chain that is followed over a hill.
constexpr int kLongestChain = 8;

// Sets of tasks, each once, with a number.
class SetTable {
 public:
  explicit SetTable(size_t tasks) : words_((tasks + 63) / 64), slots_(1024, -1) {}

  // The set's number, and whether it is new.
  std::pair<int32_t, bool> add(const std::vector<int32_t>& tasks) {
    const size_t begin = bits_.size();
    bits_.resize(begin + words_, 0);
    for (const int32_t task : tasks)
      bits_[begin + static_cast<size_t>(task) / 64] |= uint64_t{1} << (task % 64);
    const size_t slot = find_slot(&bits_[begin]);
    if (slots_[slot] >= 0) {
      bits_.resize(begin);
      return {slots_[slot], false};
    }
    slots_[slot] = static_cast<int32_t>(count_++);
    if (count_ * 2 > slots_.size()) grow();
    return {static_cast<int32_t>(count_ - 1), true};
  }

 private:
  size_t find_slot(const uint64_t* set) const {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (size_t w = 0; w < words_; ++w) {
      hash = (hash ^ set[w]) * 0xbf58476d1ce4e5b9u;
      hash ^= hash >> 29;
    }
    const size_t mask = slots_.size() - 1;
    size_t slot = static_cast<size_t>(hash) & mask;
    while (slots_[slot] >= 0 &&
           !std::equal(set, set + words_, &bits_[static_cast<size_t>(slots_[slot]) * words_]))
      slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, -1);
    for (size_t s = 0; s < count_; ++s)
      slots_[find_slot(&bits_[s * words_])] = static_cast<int32_t>(s);
  }

  size_t words_;
  size_t count_ = 0;
  std::vector<uint64_t> bits_;
  std::vector<int32_t> slots_;
};

class Searcher {
 public:
  Searcher(const OrderProblem& problem, const SearchGoal& goal)
      : goal_(goal), walk_(problem), sets_(problem.tasks.size()), limit_(goal.limit) {}

  SearchResult run() {
    SearchResult result;
    close();
    add_state(-1, 0);
    while (!is_found_ && next_state()) expand();
    result.states = states_.size();
    if (is_found_) result.order = walk_.done();
    if (is_exhausted_) {
      result.bound = goal_.rises ? goal_.below : limit_ + 1;
    } else if (goal_.rises) {
      result.bound = limit_;
    }
    return result;
  }

 private:
  // How it was reached: from a state, by tasks in sequence.
  struct State {
    int32_t parent = -1;
    size_t begin = 0;
    size_t end = 0;
  };
  struct Child {
    uint64_t live = 0;
    int32_t task = -1;
  };

  // Puts the walk into the next state to look at; false when there is none.
  bool next_state() {
    if (is_spent()) return false;  // perhaps in the middle of a state
    if (stack_.empty()) {
      if (waiting_.empty() || !goal_.rises || waiting_.top().first >= goal_.below) {
        is_exhausted_ = true;
        return false;
      }
      limit_ = waiting_.top().first;
      while (!waiting_.empty() && waiting_.top().first <= limit_) {
        stack_.push_back(waiting_.top().second);
        waiting_.pop();
      }
    }
    if (states_.size() >= goal_.max_states) return false;
    go_to(stack_.back());
    stack_.pop_back();
    return true;
  }

  bool is_spent() const { return looks_ / kLooksPerState >= goal_.max_states; }

  void go_to(int32_t state) {
    path_.clear();
    for (int32_t s = state; s >= 0; s = states_[s].parent) path_.push_back(s);
    target_.clear();
    for (size_t i = path_.size(); i-- > 0;) {
      const State& step = states_[path_[i]];
      target_.insert(target_.end(), tasks_.begin() + static_cast<ptrdiff_t>(step.begin),
                     tasks_.begin() + static_cast<ptrdiff_t>(step.end));
    }
    // What the two ways have in common at their beginning stays.
    size_t kept = 0;
    const std::vector<int32_t>& done = walk_.done();
    while (kept < done.size() && kept < target_.size() && done[kept] == target_[kept]) ++kept;
    while (walk_.done().size() > kept) walk_.undo();
    for (size_t k = kept; k < target_.size(); ++k) walk_.run(target_[k]);
    current_ = state;
  }

  // Runs whatever fits and leaves no more than before, alone or as a chain. Returns whether a task
  // among them was ready before.
  bool close(const std::vector<int32_t>* ready_before = nullptr) {
    const size_t known = walk_.done().size();
    while (goal_.forces_tasks && !is_spent() && (run_one_down() || run_chain_down())) {
    }
    if (ready_before == nullptr) return false;
    return std::any_of(walk_.done().begin() + static_cast<ptrdiff_t>(known), walk_.done().end(),
                       [&](int32_t task) {
                         return std::binary_search(ready_before->begin(), ready_before->end(),
                                                   task);
                       });
  }

  bool run_one_down() {
    for (const int32_t task : walk_.ready()) {
      ++looks_;
      if (walk_.live_after(task) > walk_.live() || walk_.moment_of(task) > limit_) continue;
      walk_.run(task);
      return true;
    }
    return false;
  }

  // Over a hill and down: each task of the chain waits for the one before it, so that whoever
  // begins it can stop nowhere with less than at its end.
  bool run_chain_down() {
    chain_ready_.assign(walk_.ready().begin(), walk_.ready().end());
    const uint64_t live = walk_.live();
    return std::any_of(chain_ready_.begin(), chain_ready_.end(),
                       [&](int32_t task) { return follow_chain(task, live, kLongestChain); });
  }

  bool follow_chain(int32_t task, uint64_t live, int length) {
    ++looks_;
    if (walk_.moment_of(task) > limit_) return false;
    walk_.run(task);
    if (walk_.live() <= live) return true;
    if (length > 1) {
      for (const int32_t next : walk_.successors(task)) {
        if (walk_.is_ready(next) && follow_chain(next, live, length - 1)) return true;
      }
    }
    walk_.undo();
    return false;
  }

  // A state for what has run by now, unless there is one.
  void add_state(int32_t parent, size_t known) {
    const auto [number, is_new] = sets_.add(walk_.done());
    if (!is_new) return;
    State state;
    state.parent = parent;
    state.begin = tasks_.size();
    tasks_.insert(tasks_.end(), walk_.done().begin() + static_cast<ptrdiff_t>(known),
                  walk_.done().end());
    state.end = tasks_.size();
    states_.push_back(state);
    stack_.push_back(number);
  }

  void expand() {
    if (walk_.is_complete()) {
      is_found_ = true;
      return;
    }
    const size_t known = walk_.done().size();
    const uint64_t live = walk_.live();
    ready_.assign(walk_.ready().begin(), walk_.ready().end());
    children_.clear();
    uint64_t least_above = std::numeric_limits<uint64_t>::max();
    for (const int32_t task : ready_) {
      if (is_spent()) return;
      const uint64_t moment = walk_.moment_of(task);
      if (moment > limit_) {
        least_above = std::min(least_above, moment);
        continue;
      }
      walk_.run(task);
      const bool took_ready = close(&ready_);
      const uint64_t after = walk_.live();
      while (walk_.done().size() > known) walk_.undo();
      if (goal_.forces_tasks && after <= live && !took_ready) {
        children_.assign(1, {after, task});
        least_above = std::numeric_limits<uint64_t>::max();
        break;
      }
      children_.push_back({after, task});
    }
    if (least_above < goal_.below) waiting_.push({least_above, current_});
    // The last on the stack is looked at first: what leaves least, then what stands first.
    std::sort(children_.begin(), children_.end(), [](const Child& a, const Child& b) {
      return a.live != b.live ? a.live > b.live : a.task > b.task;
    });
    for (const Child& child : children_) {
      walk_.run(child.task);
      close();
      add_state(current_, known);
      while (walk_.done().size() > known) walk_.undo();
    }
  }

  const SearchGoal goal_;
  OrderWalk walk_;
  SetTable sets_;
  uint64_t limit_;
  uint64_t looks_ = 0;
  std::vector<State> states_;   // by the number of their set
  std::vector<int32_t> tasks_;  // of all states
  std::vector<int32_t> stack_;
  // States with moments above the limit, by the least of these.
  using Waiting = std::pair<uint64_t, int32_t>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<Waiting>> waiting_;
  int32_t current_ = -1;
  bool is_found_ = false;
  bool is_exhausted_ = false;  // no state is left that matters
  std::vector<int32_t> path_, target_, ready_, chain_ready_;
  std::vector<Child> children_;
};

}  // namespace

SearchResult search_order(const OrderProblem& problem, const SearchGoal& goal) {
  if (goal.limit >= goal.below) return {std::nullopt, 0, goal.below, 0};
  SearchResult result = Searcher(problem, goal).run();
  if (result.order) result.peak = find_peak(problem, *result.order);
  return result;
}

}  // namespace berth::passes
