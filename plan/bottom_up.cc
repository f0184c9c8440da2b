#include "plan/bottom_up.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "contract/checked.h"

namespace berth::plan {

namespace {

constexpr uint64_t kNoTop = UINT64_MAX;

// The tops of what is placed, over all steps: valleys, each as wide as its top is the same.
class Skyline {
 public:
  explicit Skyline(uint32_t steps)
      : steps_(steps), tops_(steps, kNoTop), ends_(steps), before_(steps + 1) {
    put({0, steps}, 0);
    push(0);
  }

  // One of the lowest valleys. REQUIRES: steps > 0.
  Span lowest() {
    while (tops_[next_.top().second] != next_.top().first) next_.pop();
    const uint32_t from = next_.top().second;
    return {from, ends_[from]};
  }
  uint64_t top(const Span& valley) const { return tops_[valley.from]; }

  // Raises `part` of a valley, and leaves the rest. REQUIRES: top(valley) < top.
  void raise(Span valley, Span part, uint64_t top) {
    const uint64_t bottom = tops_[valley.from];
    if (part.from == valley.from && part.from > 0 && tops_[before_[part.from]] == top) {
      tops_[part.from] = kNoTop;
      part.from = before_[part.from];
    }
    if (part.to == valley.to && part.to < steps_ && tops_[part.to] == top) {
      const uint32_t next = part.to;
      part.to = ends_[next];
      tops_[next] = kNoTop;
    }
    if (valley.from < part.from) {
      put({valley.from, part.from}, bottom);
      push(valley.from);
    }
    put(part, top);
    push(part.from);
    if (part.to < valley.to) {
      put({part.to, valley.to}, bottom);
      push(part.to);
    }
  }
  // As high as the lower one of those beside it. REQUIRES: there is one.
  void fill(const Span& valley) {
    const uint64_t left = valley.from == 0 ? kNoTop : tops_[before_[valley.from]];
    const uint64_t right = valley.to == steps_ ? kNoTop : tops_[valley.to];
    raise(valley, valley, std::min(left, right));
  }

 private:
  void put(const Span& valley, uint64_t top) {
    tops_[valley.from] = top;
    ends_[valley.from] = valley.to;
    before_[valley.to] = valley.from;
  }
  void push(uint32_t from) { next_.push({tops_[from], from}); }

  uint32_t steps_;
  std::vector<uint64_t> tops_;    // per step: where a valley begins, its top
  std::vector<uint32_t> ends_;    // and its end
  std::vector<uint32_t> before_;  // per step where one begins: where the one before it begins
  using Entry = std::pair<uint64_t, uint32_t>;  // top, from
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next_;
};

bool is_even(const Model& model) {
  for (const Root& root : model.roots()) {
    if (root.live.size() > 1 || root.alignment != model.roots().front().alignment ||
        root.bytes % root.alignment != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

BottomUp::BottomUp(const Model& model, std::function<void()> on_placed)
    : model_(model), on_placed_(std::move(on_placed)) {
  if (is_even(model)) {
    std::vector<Span> spans;
    for (int32_t i = 0; i < model.count(); ++i) spans.push_back(*model.lives().of(i).begin());
    waiting_.emplace(spans);
  }
  while (leaves_ < model.lives().steps()) leaves_ *= 2;
}

bool BottomUp::run(const std::vector<int32_t>& order, uint64_t below) {
  laid_.assign(model_.roots().size(), {});
  top_ = 0;
  if (!(waiting_ ? run_by_valleys(order, below) : run_by_lows(order, below))) return false;
  std::swap(places_, laid_);
  height_ = top_;
  return true;
}

bool BottomUp::place(int32_t i, uint64_t at, uint64_t below) {
  ++nodes_;
  if (on_placed_) on_placed_();
  const Root& root = model_.roots()[i];
  laid_[i] = {root.pools.front(), at};
  top_ = std::max(top_, at + root.bytes);
  return top_ < below;
}

// What lies within the lowest valley lies lowest of all, and what does not lies on its sides.
bool BottomUp::run_by_valleys(const std::vector<int32_t>& order, uint64_t below) {
  std::vector<int32_t> some_bytes;
  for (int32_t i : order) {
    if (model_.roots()[i].bytes > 0) {
      some_bytes.push_back(i);
    } else if (!place(i, 0, below)) {
      return false;
    }
  }
  if (some_bytes.empty()) return true;
  waiting_->fill(some_bytes);
  Skyline skyline(static_cast<uint32_t>(model_.lives().steps()));
  for (size_t left = some_bytes.size(); left > 0;) {
    const Span valley = skyline.lowest();
    const uint64_t at = skyline.top(valley);
    const int32_t i = waiting_->first_within(valley);
    if (i < 0) {
      skyline.fill(valley);
      continue;
    }
    if (!place(i, at, below)) return false;
    waiting_->remove(i);
    skyline.raise(valley, *model_.lives().of(i).begin(), at + model_.roots()[i].bytes);
    --left;
  }
  return true;
}

bool BottomUp::run_by_lows(const std::vector<int32_t>& order, uint64_t below) {
  most_.assign(2 * leaves_, 0);
  all_.assign(2 * leaves_, 0);
  // Lows from some time ago: tops only rise, so the least of all that still holds is the least.
  using Entry = std::tuple<uint64_t, int32_t, int32_t>;  // low, rank, root
  std::vector<Entry> entries;
  for (size_t k = 0; k < order.size(); ++k) {
    entries.push_back({0, static_cast<int32_t>(k), order[k]});
  }
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next({}, std::move(entries));
  while (!next.empty()) {
    const auto [old_low, rank, i] = next.top();
    next.pop();
    const Root& root = model_.roots()[i];
    // An entry is a low that was aligned; what takes no bytes lies anywhere.
    const uint64_t low = root.bytes == 0 ? 0 : align_up(top(i), root.alignment);
    if (low + root.bytes >= below) return false;
    if (low > old_low) {
      next.push({low, rank, i});
      continue;
    }
    if (!place(i, low, below)) return false;
    if (root.bytes > 0) set_top(i, low + root.bytes);
  }
  return true;
}

// The highest top over the life of root i. A node's own ancestors may hold tops set for all of
// them.
uint64_t BottomUp::top(int32_t i) {
  uint64_t top = 0;
  for (const Span& span : model_.lives().of(i)) {
    size_t from = span.from + leaves_;
    size_t to = span.to - 1 + leaves_;
    for (size_t a = from, b = to; a >= 1; a /= 2, b /= 2, ++looks_) {
      top = std::max({top, all_[a], all_[b]});
    }
    for (++to; from < to; from /= 2, to /= 2, ++looks_) {
      if (from % 2 == 1) top = std::max(top, most_[from++]);
      if (to % 2 == 1) top = std::max(top, most_[--to]);
    }
  }
  return top;
}

// REQUIRES: no top over the life of root i is higher.
void BottomUp::set_top(int32_t i, uint64_t top) {
  for (const Span& span : model_.lives().of(i)) {
    size_t from = span.from + leaves_;
    size_t to = span.to + leaves_;
    for (size_t a = from, b = to; a < b; a /= 2, b /= 2, ++looks_) {
      if (a % 2 == 1) all_[a] = most_[a] = top, ++a;
      if (b % 2 == 1) --b, all_[b] = most_[b] = top;
    }
    for (size_t a = from, b = to - 1; a >= 1; a /= 2, b /= 2, ++looks_) {
      most_[a] = std::max(most_[a], top);
      most_[b] = std::max(most_[b], top);
    }
  }
}

}  // namespace berth::plan
