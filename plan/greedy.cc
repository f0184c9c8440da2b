// ExecuTorch's greedy memory planning (exir/memory_planning.py, stated in words and numbers in its
// documentation and tests), and the naive plan. Buffers come biggest first into "shared objects":
// slabs that are as big as the buffer that opened them, laid one after the other. A buffer goes to
// the first slab that nobody uses while it lives; else behind the highest buffer that is alive with
// it in the first slab with room for that; else it opens a slab. Its weakness: slabs never overlap,
// so bytes between two slabs' needs are lost.
//
// Three things the original does not know, chosen so that it is met exactly where it applies (one
// alignment of at least 16, nothing fixed): a slab starts at the largest alignment of what is in
// it; slabs step over fixed buffers; below alignment 16, where the original's sort key fails its
// own assertion, the key is the rounded size.
#include <algorithm>

#include "contract/checked.h"
#include "plan/planners.h"

namespace berth::plan {
namespace {

struct FixedSpan {
  uint64_t begin;
  uint64_t end;
};

// Fixed roots of one pool, by address.
std::vector<FixedSpan> fixed_spans(const Model& model, int32_t pool) {
  std::vector<FixedSpan> spans;
  for (const Root& root : model.roots()) {
    if (root.fixed == nullptr || root.fixed->pool != pool || root.bytes == 0) continue;
    spans.push_back({root.fixed->offset, root.fixed->offset + root.bytes});
  }
  std::sort(spans.begin(), spans.end(), [](const FixedSpan& a, const FixedSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  return spans;
}

// The first aligned address from `from` on where `bytes` touch no fixed root.
uint64_t step_over(const std::vector<FixedSpan>& spans, uint64_t from, uint64_t bytes,
                   uint32_t alignment) {
  uint64_t at = align_up(from, alignment);
  for (const FixedSpan& span : spans) {
    if (span.end <= at) continue;
    if (at + bytes <= span.begin) break;
    at = align_up(span.end, alignment);
  }
  return at;
}

struct Slab {
  uint64_t bytes;
  uint32_t alignment;
};

// Where a root went: a slab of its pool, and how deep in it.
struct Seat {
  int32_t slab = -1;
  uint64_t depth = 0;
};

class Greedy {
 public:
  explicit Greedy(const Model& model) : model_(model), seats_(model.roots().size()) {
    slabs_.resize(model.problem().pools.size());
  }

  Layout run() {
    std::vector<int32_t> order;
    std::vector<uint64_t> keys;
    for (int32_t i = 0; i < model_.count(); ++i) {
      const Root& root = model_.roots()[i];
      keys.push_back(align_up(root.size, std::min<uint32_t>(root.alignment, 16)));
      if (root.fixed == nullptr) order.push_back(i);
    }
    // The original inserts into an ascending list, to the right of equals, and reverses it.
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a > b; });
    for (int32_t i : order) seat(i);
    return lay_out();
  }

 private:
  int32_t pool_of(int32_t i) const { return model_.roots()[i].pools.front(); }

  void seat(int32_t i) {
    const Root& root = model_.roots()[i];
    auto& slabs = slabs_[pool_of(i)];
    // Per slab: whether someone in it is alive with this root, and how far up.
    used_.assign(slabs.size(), false);
    height_.assign(slabs.size(), 0);
    model_.for_each_neighbor(i, [&](int32_t j, bool) {
      const Seat& other = seats_[j];
      if (other.slab < 0 || pool_of(j) != pool_of(i)) return;
      used_[other.slab] = true;
      height_[other.slab] = std::max(height_[other.slab], other.depth + model_.roots()[j].bytes);
    });
    const auto count = static_cast<int32_t>(slabs.size());
    int32_t slab = 0;
    uint64_t depth = 0;
    while (slab < count && (used_[slab] || slabs[slab].bytes < root.bytes)) ++slab;
    if (slab == count) {
      for (slab = 0; slab < count; ++slab) {
        if (height_[slab] == 0) continue;  // also a used slab of zero-byte buffers
        depth = align_up(height_[slab], root.alignment);
        if (depth + root.bytes <= slabs[slab].bytes) break;
      }
    }
    if (slab == count) {
      slabs.push_back({root.bytes, root.alignment});
      depth = 0;
    }
    slabs[slab].alignment = std::max(slabs[slab].alignment, root.alignment);
    seats_[i] = {slab, depth};
  }

  Layout lay_out() const {
    std::vector<std::vector<uint64_t>> starts(slabs_.size());
    for (size_t pool = 0; pool < slabs_.size(); ++pool) {
      const auto spans = fixed_spans(model_, static_cast<int32_t>(pool));
      uint64_t at = 0;
      for (const Slab& slab : slabs_[pool]) {
        at = step_over(spans, at, slab.bytes, slab.alignment);
        starts[pool].push_back(at);
        at += slab.bytes;
      }
    }
    Layout layout;
    for (int32_t i = 0; i < model_.count(); ++i) {
      const int32_t pool = pool_of(i);
      if (seats_[i].slab < 0) {
        layout.places.push_back(*model_.roots()[i].fixed);
      } else {
        layout.places.push_back({pool, starts[pool][seats_[i].slab] + seats_[i].depth});
      }
    }
    layout.found_by = "greedy";
    layout.nodes = model_.roots().size();
    return layout;
  }

  const Model& model_;
  std::vector<Seat> seats_;
  std::vector<std::vector<Slab>> slabs_;  // per pool, in order of creation
  std::vector<char> used_;
  std::vector<uint64_t> height_;
};

}  // namespace

Layout plan_greedy(const Model& model) { return Greedy(model).run(); }

Layout plan_naive(const Model& model) {
  std::vector<std::vector<FixedSpan>> spans;
  for (size_t pool = 0; pool < model.problem().pools.size(); ++pool) {
    spans.push_back(fixed_spans(model, static_cast<int32_t>(pool)));
  }
  std::vector<uint64_t> top(spans.size(), 0);
  Layout layout;
  for (const Root& root : model.roots()) {
    const int32_t pool = root.pools.front();
    if (root.fixed != nullptr) {
      layout.places.push_back(*root.fixed);
      continue;
    }
    const uint64_t at = step_over(spans[pool], top[pool], root.bytes, root.alignment);
    layout.places.push_back({pool, at});
    top[pool] = at + root.bytes;
  }
  layout.found_by = "naive";
  layout.nodes = model.roots().size();
  return layout;
}

}  // namespace berth::plan
