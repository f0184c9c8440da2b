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
#include <map>

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

constexpr uint64_t kLooksPerSlab = 8;  // to find the first piece of its skyline

struct Slab {
  int32_t pool;
  uint64_t bytes;
  uint32_t alignment;
  // How far up it is used: from each step of these to the next one the same.
  std::map<uint32_t, uint64_t> skyline;

  // The most during `life`; with a limit, anything above it ends the search.
  uint64_t highest(NumberedLives::Spans life, uint64_t limit, uint64_t* looks) const {
    uint64_t highest = 0;
    *looks += kLooksPerSlab;
    for (const Span& span : life) {
      auto at = skyline.upper_bound(span.from);
      if (at != skyline.begin()) --at;
      for (; at != skyline.end() && at->first < span.to && highest <= limit; ++at) {
        highest = std::max(highest, at->second);
        ++*looks;
      }
    }
    return highest;
  }
  // REQUIRES: highest(life) <= top.
  void raise(NumberedLives::Spans life, uint64_t top) {
    for (const Span& span : life) {
      auto after = skyline.upper_bound(span.to);
      const uint64_t behind = after == skyline.begin() ? 0 : std::prev(after)->second;
      skyline.erase(skyline.lower_bound(span.from), after);
      skyline[span.from] = top;
      skyline[span.to] = behind;
    }
  }
};

// Where a root went: a slab, and how deep in it.
struct Seat {
  int32_t slab = -1;
  uint64_t depth = 0;
};

class Greedy {
 public:
  explicit Greedy(const Model& model) : model_(model), seats_(model.roots().size()) {}

  std::optional<Layout> run(uint64_t max_looks) {
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
    for (int32_t i : order) {
      if (looks_ > max_looks) return std::nullopt;
      seat(i);
    }
    return lay_out();
  }

 private:
  void seat(int32_t i) {
    const Root& root = model_.roots()[i];
    const int32_t pool = root.pools.front();
    const auto life = model_.lives().of(i);
    const auto count = static_cast<int32_t>(slabs_.size());
    int32_t slab = 0;
    uint64_t depth = 0;
    for (; slab < count; ++slab) {
      const Slab& tried = slabs_[slab];
      if (tried.pool == pool && tried.bytes >= root.bytes && tried.highest(life, 0, &looks_) == 0)
        break;
    }
    if (slab == count) {
      for (slab = 0; slab < count; ++slab) {
        const Slab& tried = slabs_[slab];
        if (tried.pool != pool || tried.bytes < root.bytes) continue;
        depth = align_up(tried.highest(life, tried.bytes - root.bytes, &looks_), root.alignment);
        if (depth + root.bytes <= tried.bytes) break;
      }
    }
    if (slab == count) {
      slabs_.push_back({pool, root.bytes, root.alignment, {}});
      depth = 0;
    }
    slabs_[slab].alignment = std::max(slabs_[slab].alignment, root.alignment);
    slabs_[slab].raise(life, depth + root.bytes);
    seats_[i] = {slab, depth};
  }

  Layout lay_out() const {
    const auto pools = static_cast<int32_t>(model_.problem().pools.size());
    std::vector<std::vector<FixedSpan>> spans;
    for (int32_t pool = 0; pool < pools; ++pool) spans.push_back(fixed_spans(model_, pool));
    std::vector<uint64_t> starts;
    std::vector<uint64_t> ends(spans.size(), 0);
    for (const Slab& slab : slabs_) {
      starts.push_back(step_over(spans[slab.pool], ends[slab.pool], slab.bytes, slab.alignment));
      ends[slab.pool] = starts.back() + slab.bytes;
    }
    Layout layout;
    for (int32_t i = 0; i < model_.count(); ++i) {
      const Seat& seat = seats_[i];
      layout.places.push_back(
          seat.slab < 0 ? *model_.roots()[i].fixed
                        : Placement{slabs_[seat.slab].pool, starts[seat.slab] + seat.depth});
    }
    layout.found_by = "greedy";
    layout.nodes = model_.roots().size();
    return layout;
  }

  const Model& model_;
  std::vector<Seat> seats_;
  std::vector<Slab> slabs_;  // of all pools, in order of creation
  uint64_t looks_ = 0;       // at slabs, and at pieces of their skylines
};

}  // namespace

std::optional<Layout> plan_greedy(const Model& model, uint64_t max_looks) {
  return Greedy(model).run(max_looks);
}

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
