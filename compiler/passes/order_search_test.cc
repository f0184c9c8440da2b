#include "compiler/passes/order_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace berth::passes {
namespace {

// Tasks with results, readers of several, buffers with several writers (joins), results that nobody
// reads, inputs, outputs, scratch, in-place choices.
class RandomProblem {
 public:
  explicit RandomProblem(uint32_t seed) : random_(seed) {}

  OrderProblem make(int32_t tasks) {
    out_.tasks.resize(static_cast<size_t>(tasks));
    if (pick(0, 3) == 0) out_.always = pick(0, 9);
    if (pick(0, 3) == 0) out_.at_first = pick(0, 30);
    const int32_t reach = pick(1, 5), readers = pick(1, 3);
    for (int32_t t = 0; t < tasks; ++t) {
      if (pick(0, 2) == 0) add_scratch(t);
      const int32_t results = pick(0, 9) == 0 ? 2 : 1;
      for (int32_t r = 0; r < results; ++r) add_result(t, reach, readers);
      if (pick(0, 4) == 0 && t > 0) add_dependence(pick(0, t - 1), t);
    }
    for (int32_t i = pick(0, 2); i > 0; --i) add_input();
    add_choices();
    return out_;
  }

 private:
  int32_t pick(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(random_() % static_cast<uint32_t>(high - low + 1));
  }
  int32_t count() const { return static_cast<int32_t>(out_.tasks.size()); }
  void add_dependence(int32_t before, int32_t behind) {
    std::vector<int32_t>& after = out_.tasks[behind].after;
    after.push_back(before);
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
  }
  void add_scratch(int32_t task) {
    OrderBuffer buffer;
    buffer.bytes = pick(0, 12);
    buffer.users = {task};
    out_.buffers.push_back(buffer);
  }
  void add_result(int32_t task, int32_t reach, int32_t most_readers) {
    OrderBuffer buffer;
    buffer.bytes = pick(0, 20);
    buffer.users = {task};
    // A join: others write into the same bytes, and who reads waits for all.
    for (int32_t other = task + 1; other < count() && pick(0, 5) == 0; ++other)
      buffer.users.push_back(other);
    const size_t writers = buffer.users.size();
    const int32_t last_writer = buffer.users.back();
    for (int32_t r = pick(0, most_readers); r > 0 && last_writer + 1 < count(); --r) {
      const int32_t reader = pick(last_writer + 1, std::min(count() - 1, last_writer + reach));
      for (size_t w = 0; w < writers; ++w) add_dependence(buffer.users[w], reader);
      buffer.users.push_back(reader);
    }
    std::sort(buffer.users.begin(), buffer.users.end());
    buffer.users.erase(std::unique(buffer.users.begin(), buffer.users.end()), buffer.users.end());
    buffer.to_end = pick(0, 7) == 0;
    out_.buffers.push_back(buffer);
  }
  void add_input() {
    OrderBuffer buffer;
    buffer.bytes = pick(0, 20);
    buffer.from_start = true;
    buffer.to_end = pick(0, 7) == 0;
    for (int32_t t = 0; t < count(); ++t) {
      if (pick(0, 3) == 0) buffer.users.push_back(t);
    }
    if (!buffer.users.empty()) out_.buffers.push_back(buffer);
  }
  void add_choices() {
    for (size_t to = 0; to < out_.buffers.size(); ++to) {
      for (size_t from = 0; from < out_.buffers.size(); ++from) {
        const OrderBuffer& a = out_.buffers[to];
        const OrderBuffer& b = out_.buffers[from];
        if (to == from || a.from_start || pick(0, 2) != 0) continue;
        const int32_t task = a.users.front();
        // One writer alone, and whoever reads it waits for that.
        bool is_result = true;
        for (size_t u = 1; u < a.users.size(); ++u) {
          const std::vector<int32_t>& after = out_.tasks[a.users[u]].after;
          is_result = is_result && std::binary_search(after.begin(), after.end(), task);
        }
        const bool reads = std::binary_search(b.users.begin(), b.users.end(), task);
        if (!is_result || !reads || (b.users.front() == task && !b.from_start)) continue;
        out_.buffers[to].bytes = out_.buffers[from].bytes;
        out_.tasks[task].choices.push_back({static_cast<int32_t>(to), static_cast<int32_t>(from)});
      }
    }
    // Sizes have changed behind choices that were made.
    for (OrderTask& task : out_.tasks) {
      task.choices.erase(std::remove_if(task.choices.begin(), task.choices.end(),
                                        [&](const OrderChoice& choice) {
                                          return out_.buffers[choice.output].bytes !=
                                                 out_.buffers[choice.input].bytes;
                                        }),
                         task.choices.end());
    }
  }

  std::mt19937 random_;
  OrderProblem out_;
};

// Every order there is, but for those that begin no better than one that is known.
class Exhaustive {
 public:
  explicit Exhaustive(const OrderProblem& problem) : problem_(problem) {}
  uint64_t peak() {
    best_ = find_peak(problem_, given_order(problem_));
    has_run_.assign(problem_.tasks.size(), false);
    go_on(0, problem_.always);
    return best_;
  }

 private:
  void go_on(size_t done, uint64_t peak) {
    if (peak >= best_) return;
    if (done == has_run_.size()) {
      best_ = peak;
      return;
    }
    for (size_t t = 0; t < has_run_.size(); ++t) {
      if (has_run_[t] || !is_ready(t)) continue;
      const uint64_t moment = moment_of(t, done == 0);
      has_run_[t] = true;
      go_on(done + 1, std::max(peak, moment));
      has_run_[t] = false;
    }
  }
  bool is_ready(size_t task) const {
    const std::vector<int32_t>& after = problem_.tasks[task].after;
    return std::all_of(after.begin(), after.end(), [&](int32_t t) { return has_run_[t]; });
  }
  bool has_begun(const OrderBuffer& buffer) const {
    return buffer.from_start || std::any_of(buffer.users.begin(), buffer.users.end(),
                                            [&](int32_t t) { return has_run_[t]; });
  }
  bool is_over(const OrderBuffer& buffer, size_t but_for) const {
    return !buffer.to_end && std::all_of(buffer.users.begin(), buffer.users.end(), [&](int32_t t) {
      return has_run_[t] || static_cast<size_t>(t) == but_for;
    });
  }
  uint64_t moment_of(size_t task, bool is_first) const {
    uint64_t bytes = problem_.always;
    if (is_first) bytes += problem_.at_first;
    for (const OrderBuffer& buffer : problem_.buffers) {
      const bool uses = std::count(buffer.users.begin(), buffer.users.end(), task) != 0;
      if (uses || (has_begun(buffer) && !is_over(buffer, SIZE_MAX))) bytes += buffer.bytes;
    }
    uint64_t saved = 0;
    for (const OrderChoice& choice : problem_.tasks[task].choices) {
      const OrderBuffer& output = problem_.buffers[choice.output];
      if (is_over(problem_.buffers[choice.input], task) && !has_begun(output))
        saved = std::max(saved, output.bytes);
    }
    return bytes - saved;
  }

  const OrderProblem& problem_;
  std::vector<bool> has_run_;
  uint64_t best_ = 0;
};

// The example of order_problem.h.
OrderProblem example() {
  OrderProblem problem;
  problem.tasks = {{{}}, {{0}}, {{}}, {{1, 2}}};
  problem.buffers = {{9, {0, 2}, true, false},
                     {4, {0, 1}, false, false},
                     {1, {1, 3}, false, false},
                     {4, {2, 3}, false, false},
                     {2, {3}, false, true}};
  return problem;
}

TEST(OrderSearch, TheExamplesMomentsAreThoseOfItsPicture) {
  const OrderProblem problem = example();
  EXPECT_EQ(find_moments(problem, {0, 2, 1, 3}), (std::vector<uint64_t>{13, 17, 9, 7}));
  EXPECT_EQ(find_moments(problem, {0, 1, 2, 3}), (std::vector<uint64_t>{13, 14, 14, 7}));
  EXPECT_FALSE(is_order(problem, {1, 0, 2, 3}));
  EXPECT_FALSE(is_order(problem, {0, 1, 2}));
  EXPECT_FALSE(is_order(problem, {0, 1, 2, 2}));
}

TEST(OrderSearch, SmallProblemsGetThePeakOfTheBestOfAllOrders) {
  int improved = 0, proven_at_once = 0;
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    const OrderProblem problem = RandomProblem(seed).make(1 + static_cast<int32_t>(seed % 9));
    SCOPED_TRACE("seed " + std::to_string(seed));
    const FoundOrder found = find_order(problem);
    ASSERT_TRUE(is_order(problem, found.order));
    ASSERT_EQ(find_peak(problem, found.order), found.peak);
    ASSERT_EQ(found.peak, Exhaustive(problem).peak());
    ASSERT_TRUE(found.is_optimal()) << found.bound << " of " << found.peak;
    if (found.peak == found.given_peak) {
      ASSERT_EQ(found.order, given_order(problem));
    }
    improved += found.peak < found.given_peak ? 1 : 0;
    proven_at_once += found.states == 0 ? 1 : 0;
  }
  EXPECT_GT(improved, 300);
  EXPECT_GT(proven_at_once, 300);
}

TEST(OrderSearch, EveryTrickLeftOutFindsTheSameInMoreStates) {
  uint64_t states[3] = {};
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const OrderProblem problem = RandomProblem(seed).make(14);
    SCOPED_TRACE("seed " + std::to_string(seed));
    OrderOptions options[3];
    options[1].use_stretches = false;
    options[2].use_forced_tasks = false;
    FoundOrder found[3];
    for (int i = 0; i < 3; ++i) {
      found[i] = find_order(problem, options[i]);
      states[i] += found[i].states;
      ASSERT_EQ(found[i].peak, found[0].peak);
      ASSERT_TRUE(found[i].is_optimal());
    }
  }
  EXPECT_GT(states[1], states[0]);
  EXPECT_GT(states[2], states[0] * 4);
}

TEST(OrderSearch, LargeProblemsAreNeverWorseThanGivenAndNeverBelowTheBound) {
  uint64_t given = 0, with = 0, without = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const OrderProblem problem = RandomProblem(seed).make(20 + static_cast<int32_t>(seed) * 5);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const uint64_t max_states : {uint64_t{0}, uint64_t{300}, uint64_t{3000}}) {
      OrderOptions options;
      options.max_states = max_states;
      const FoundOrder found = find_order(problem, options);
      ASSERT_TRUE(is_order(problem, found.order));
      ASSERT_EQ(find_peak(problem, found.order), found.peak);
      ASSERT_LE(found.peak, found.given_peak);
      ASSERT_LE(found.bound, found.peak);
      ASSERT_LE(found.states, max_states + problem.tasks.size());  // the last ones' successors
      ASSERT_EQ(find_order(problem, options).order, found.order);
      given += found.given_peak;
      with += found.peak;
      options.use_heuristics = false;
      without += find_order(problem, options).peak;
    }
  }
  EXPECT_LT(without, given);
  EXPECT_LT(with, without);
}

TEST(OrderSearch, StretchesTogetherHaveThePeakOfTheWhole) {
  int cut = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const OrderProblem problem = RandomProblem(seed).make(12);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Order order = given_order(problem);
    uint64_t peak = problem.always;
    int32_t begin = 0;
    const std::vector<int32_t> ends = find_stretches(problem);
    for (const int32_t end : ends) {
      const OrderProblem part = make_stretch(problem, order, begin, end);
      peak = std::max(peak, find_peak(part, given_order(part)));
      begin = end;
    }
    ASSERT_EQ(begin, 12);
    ASSERT_EQ(peak, find_peak(problem, order));
    cut += ends.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(cut, 20);
}

TEST(OrderSearch, NothingToDoIsNoProblem) {
  OrderProblem problem;
  problem.always = 7;
  const FoundOrder found = find_order(problem);
  EXPECT_EQ(found.peak, 7u);
  EXPECT_TRUE(found.is_optimal());
  EXPECT_TRUE(found.order.empty());
}

}  // namespace
}  // namespace berth::passes
