#include "compiler/passes/order_problem.h"

#include <algorithm>
#include <numeric>

namespace berth::passes {
namespace {

// Ancestors as bits take tasks x tasks / 8 bytes: 2 MiB.
constexpr size_t kMostTasksWithAncestors = 4096;

class Bits {
 public:
  Bits(size_t rows, size_t columns) : words_((columns + 63) / 64), bits_(rows * words_, 0) {}
  void set(size_t row, size_t column) {
    bits_[row * words_ + column / 64] |= uint64_t{1} << (column % 64);
  }
  bool get(size_t row, size_t column) const {
    return (bits_[row * words_ + column / 64] >> (column % 64) & 1) != 0;
  }
  void add_row(size_t row, size_t other) {
    for (size_t w = 0; w < words_; ++w) bits_[row * words_ + w] |= bits_[other * words_ + w];
  }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

std::vector<int32_t> positions_of(const Order& order) {
  std::vector<int32_t> at(order.size());
  for (size_t i = 0; i < order.size(); ++i) at[order[i]] = static_cast<int32_t>(i);
  return at;
}

// What a task uses and takes, when the best of its choices comes true.
std::vector<uint64_t> own_bytes(const OrderProblem& problem) {
  std::vector<uint64_t> own(problem.tasks.size(), problem.always);
  for (const OrderBuffer& buffer : problem.buffers) {
    for (const int32_t user : buffer.users) own[user] += buffer.bytes;
  }
  for (size_t t = 0; t < own.size(); ++t) {
    uint64_t saved = 0;
    for (const OrderChoice& choice : problem.tasks[t].choices)
      saved = std::max(saved, problem.buffers[choice.output].bytes);
    own[t] -= saved;
  }
  return own;
}

}  // namespace

Order given_order(const OrderProblem& problem) {
  Order order(problem.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool is_order(const OrderProblem& problem, const Order& order) {
  if (order.size() != problem.tasks.size()) return false;
  std::vector<bool> has_run(order.size(), false);
  for (const int32_t task : order) {
    if (task < 0 || static_cast<size_t>(task) >= order.size() || has_run[task]) return false;
    for (const int32_t before : problem.tasks[task].after) {
      if (!has_run[before]) return false;
    }
    has_run[task] = true;
  }
  return true;
}

std::vector<uint64_t> find_moments(const OrderProblem& problem, const Order& order) {
  const std::vector<int32_t> at = positions_of(order);
  const auto count = static_cast<int32_t>(order.size());
  // By position; where each buffer begins, and behind its end.
  std::vector<uint64_t> moments(order.size(), 0), begins(order.size() + 1, 0);
  std::vector<uint64_t> ends(order.size() + 1, 0);
  std::vector<int32_t> first(problem.buffers.size(), count), last(problem.buffers.size(), -1);
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const OrderBuffer& buffer = problem.buffers[b];
    for (const int32_t user : buffer.users) {
      first[b] = std::min(first[b], at[user]);
      last[b] = std::max(last[b], at[user]);
    }
    if (buffer.from_start) first[b] = 0;
    if (buffer.to_end) last[b] = count - 1;
    if (first[b] > last[b]) continue;
    begins[first[b]] += buffer.bytes;
    ends[last[b] + 1] += buffer.bytes;
  }
  uint64_t live = problem.always;
  for (int32_t i = 0; i < count; ++i) {
    live = live + begins[i] - ends[i];
    const OrderTask& task = problem.tasks[order[i]];
    uint64_t saved = 0;
    for (const OrderChoice& choice : task.choices) {
      const bool dies = last[choice.input] == i && !problem.buffers[choice.input].to_end;
      const bool begins_here =
          first[choice.output] == i && !problem.buffers[choice.output].from_start;
      if (dies && begins_here) saved = std::max(saved, problem.buffers[choice.output].bytes);
    }
    moments[i] = live + (i == 0 ? problem.at_first : 0) - saved;
  }
  return moments;
}

uint64_t find_peak(const OrderProblem& problem, const Order& order) {
  const std::vector<uint64_t> moments = find_moments(problem, order);
  return moments.empty() ? problem.always : *std::max_element(moments.begin(), moments.end());
}

uint64_t bound_of_orders(const OrderProblem& problem) {
  const size_t count = problem.tasks.size();
  std::vector<uint64_t> bytes = own_bytes(problem);
  if (count == 0) return problem.always;
  if (count <= kMostTasksWithAncestors) {
    Bits ancestors(count, count);
    for (size_t t = 0; t < count; ++t) {
      for (const int32_t before : problem.tasks[t].after) {
        ancestors.set(t, static_cast<size_t>(before));
        ancestors.add_row(t, static_cast<size_t>(before));
      }
    }
    for (const OrderBuffer& buffer : problem.buffers) {
      // Per task: whether a user comes before it always, and one behind it.
      for (size_t t = 0; t < count; ++t) {
        bool before = buffer.from_start, behind = buffer.to_end, uses = false;
        for (const int32_t user : buffer.users) {
          const auto u = static_cast<size_t>(user);
          uses = uses || u == t;
          before = before || ancestors.get(t, u);
          behind = behind || ancestors.get(u, t);
        }
        if (before && behind && !uses) bytes[t] += buffer.bytes;
      }
    }
  }
  return *std::max_element(bytes.begin(), bytes.end());
}

std::vector<int32_t> find_stretches(const OrderProblem& problem) {
  const auto count = static_cast<int32_t>(problem.tasks.size());
  // All before task v lead to it when each of them has a successor that is not behind v: following
  // those ends at v. The other side likewise.
  std::vector<int32_t> first_successor(problem.tasks.size(), count);
  for (int32_t t = 0; t < count; ++t) {
    for (const int32_t before : problem.tasks[t].after)
      first_successor[before] = std::min(first_successor[before], t);
  }
  std::vector<bool> all_come_from(problem.tasks.size(), false);
  int32_t least = count;  // of the latest predecessors behind v
  for (int32_t v = count; v-- > 0;) {
    all_come_from[v] = least >= v;
    const std::vector<int32_t>& after = problem.tasks[v].after;
    least = std::min(least, after.empty() ? -1 : after.back());
  }
  std::vector<int32_t> ends;
  int32_t furthest = 0;  // of the first successors before v
  for (int32_t v = 0; v < count; ++v) {
    if (furthest <= v && all_come_from[v]) ends.push_back(v + 1);
    furthest = std::max(furthest, first_successor[v]);
  }
  if (count > 0 && (ends.empty() || ends.back() != count)) ends.push_back(count);
  return ends;
}

OrderProblem make_stretch(const OrderProblem& problem, const Order& order, int32_t begin,
                          int32_t end) {
  const std::vector<int32_t> at = positions_of(order);
  OrderProblem out;
  out.always = problem.always;
  if (begin == 0) out.at_first = problem.at_first;
  const auto inside = [&](int32_t task) { return at[task] >= begin && at[task] < end; };
  std::vector<int32_t> new_buffer(problem.buffers.size(), -1);
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const OrderBuffer& buffer = problem.buffers[b];
    OrderBuffer part;
    part.bytes = buffer.bytes;
    part.from_start = buffer.from_start;
    part.to_end = buffer.to_end;
    for (const int32_t user : buffer.users) {
      if (inside(user)) part.users.push_back(at[user] - begin);
      part.from_start = part.from_start || at[user] < begin;
      part.to_end = part.to_end || at[user] >= end;
    }
    std::sort(part.users.begin(), part.users.end());
    if (part.users.empty()) {
      if (part.from_start && part.to_end) out.always += part.bytes;
      continue;
    }
    new_buffer[b] = static_cast<int32_t>(out.buffers.size());
    out.buffers.push_back(std::move(part));
  }
  for (int32_t i = begin; i < end; ++i) {
    const OrderTask& task = problem.tasks[order[i]];
    OrderTask part;
    for (const int32_t before : task.after) {
      if (inside(before)) part.after.push_back(at[before] - begin);
    }
    std::sort(part.after.begin(), part.after.end());
    for (const OrderChoice& choice : task.choices)
      part.choices.push_back({new_buffer[choice.output], new_buffer[choice.input]});
    out.tasks.push_back(std::move(part));
  }
  return out;
}

}  // namespace berth::passes
