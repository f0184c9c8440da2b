#include "plan/model.h"

#include <algorithm>
#include <limits>

#include "contract/checked.h"

namespace berth::plan {
namespace {

// Above so many pairs (64 MB of lists) neighbours are looked up in the tree each time instead.
constexpr uint64_t kMaxListedPairs = 8'000'000;

void merge(Intervals* live) {
  std::sort(live->begin(), live->end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (size_t k = 1; k < live->size(); ++k) {
    Interval& last = (*live)[kept];
    const Interval& next = (*live)[k];
    if (next.begin <= last.end) {
      last.end = std::max(last.end, next.end);
    } else {
      (*live)[++kept] = next;
    }
  }
  live->resize(kept + 1);
}

bool begins_at(const Intervals& live, Step step) {
  return std::any_of(live.begin(), live.end(), [&](const Interval& i) { return i.begin == step; });
}
bool ends_at(const Intervals& live, Step step) {
  return std::any_of(live.begin(), live.end(), [&](const Interval& i) { return i.end == step; });
}

// True and *step set when the two lives have exactly one step in common.
bool one_common_step(const Intervals& a, const Intervals& b, Step* step) {
  bool found = false;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Step from = std::max(a[i].begin, b[j].begin);
    const Step to = std::min(a[i].end, b[j].end);
    if (from < to) {
      if (found || to - 1 != from) return false;
      found = true;
      *step = from;
    }
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return found;
}

}  // namespace

Model::Model(const Problem& problem, bool use_holes, bool use_in_place)
    : problem_(&problem), use_holes_(use_holes) {
  fold_parts();
  partners_.resize(roots_.size());
  if (use_in_place) find_options();
  index_spans();
  list_neighbors();
}

void Model::fold_parts() {
  const auto& buffers = problem_->buffers;
  root_of_.assign(buffers.size(), -1);
  depth_.assign(buffers.size(), 0);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].inside) continue;
    const Buffer& buffer = buffers[i];
    root_of_[i] = count();
    Root root;
    root.buffer = static_cast<int32_t>(i);
    root.size = buffer.size;
    root.bytes = align_up(buffer.size, buffer.alignment);
    root.accesses = buffer.accesses;
    root.alignment = buffer.alignment;
    root.live = buffer.live;
    root.pools = buffer.pools.empty() ? std::vector<int32_t>{0} : buffer.pools;
    if (buffer.fixed) {
      root.fixed = &*buffer.fixed;
      root.pools = {buffer.fixed->pool};
    }
    roots_.push_back(std::move(root));
  }
  std::vector<int32_t> chain;
  for (size_t i = 0; i < buffers.size(); ++i) {
    int32_t at = static_cast<int32_t>(i);
    for (; root_of_[at] < 0; at = buffers[at].inside->buffer) chain.push_back(at);
    for (; !chain.empty(); chain.pop_back()) {
      const int32_t part = chain.back();
      const Inside& inside = *buffers[part].inside;
      root_of_[part] = root_of_[inside.buffer];
      depth_[part] = depth_[inside.buffer] + inside.offset;
      Root& root = roots_[root_of_[part]];
      root.alignment = std::max(root.alignment, buffers[part].alignment);
      root.live.insert(root.live.end(), buffers[part].live.begin(), buffers[part].live.end());
    }
  }
  for (Root& root : roots_) {
    merge(&root.live);
    root.begin = root.live.front().begin;
    root.end = root.live.back().end;
    if (root.live.size() > 1) has_holes_ = true;
    if (!use_holes_) root.live = {{root.begin, root.end}};
  }
}

void Model::find_options() {
  const auto& buffers = problem_->buffers;
  // Steps at which a part is alive rule out an option of its host; few problems have both.
  std::vector<std::vector<int32_t>> parts(roots_.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].inside) parts[root_of_[i]].push_back(static_cast<int32_t>(i));
  }
  auto part_alive = [&](int32_t root, Step step) {
    for (int32_t part : parts[root]) {
      for (const Interval& life : buffers[part].live) {
        if (life.begin <= step && step < life.end) return true;
      }
    }
    return false;
  };
  for (int32_t taker = 0; taker < count(); ++taker) {
    std::vector<int32_t> wanted = buffers[roots_[taker].buffer].may_share;
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (int32_t buffer : wanted) {
      if (buffers[buffer].inside) continue;
      const int32_t giver = root_of_[buffer];
      Step step = 0;
      if (roots_[taker].size > roots_[giver].size ||
          !one_common_step(roots_[taker].live, roots_[giver].live, &step) ||
          !begins_at(roots_[taker].live, step) || !ends_at(roots_[giver].live, step + 1) ||
          part_alive(taker, step) || part_alive(giver, step)) {
        continue;
      }
      options_.push_back({taker, giver, step});
      partners_[taker].push_back(giver);
      partners_[giver].push_back(taker);
    }
  }
  std::sort(options_.begin(), options_.end(), [](const InPlace& a, const InPlace& b) {
    if (a.step != b.step) return a.step < b.step;
    return a.taker != b.taker ? a.taker < b.taker : a.giver < b.giver;
  });
}

bool Model::is_option(int32_t i, int32_t j) const {
  return std::find(partners_[i].begin(), partners_[i].end(), j) != partners_[i].end();
}

void Model::index_spans() {
  for (int32_t i = 0; i < count(); ++i) {
    for (const Interval& life : roots_[i].live) spans_.push_back({life, i});
  }
  std::sort(spans_.begin(), spans_.end(), [](const RootInterval& a, const RootInterval& b) {
    if (a.life.begin != b.life.begin) return a.life.begin < b.life.begin;
    return a.root < b.root;
  });
  std::vector<Step> begins;
  for (const RootInterval& span : spans_) {
    if (begins.empty() || begins.back() != span.life.begin) begins.push_back(span.life.begin);
  }
  lives_ = NumberedLives(std::move(begins));
  for (const Root& root : roots_) lives_.add(root.live);

  while (leaves_ < spans_.size()) leaves_ *= 2;
  latest_.assign(2 * leaves_, std::numeric_limits<Step>::min());
  for (size_t k = 0; k < spans_.size(); ++k) latest_[leaves_ + k] = spans_[k].life.end;
  for (size_t node = leaves_ - 1; node >= 1; --node) {
    latest_[node] = std::max(latest_[2 * node], latest_[2 * node + 1]);
  }
}

void Model::list_neighbors() {
  // Pairs, counted without listing them: what began before minus what ended before, at each begin.
  std::vector<Step> ends;
  for (const RootInterval& span : spans_) ends.push_back(span.life.end);
  std::sort(ends.begin(), ends.end());
  uint64_t pairs = 0;
  size_t ended = 0;
  for (size_t k = 0; k < spans_.size(); ++k) {
    while (ends[ended] <= spans_[k].life.begin) ++ended;
    pairs += k - ended;
  }
  if (pairs > kMaxListedPairs) return;

  std::vector<std::vector<uint32_t>> lists(roots_.size());
  for (int32_t i = 0; i < count(); ++i) {
    for_each_neighbor(i, [&](int32_t j, bool in_place) {
      lists[i].push_back(static_cast<uint32_t>(j) * 2 + (in_place ? 1 : 0));
    });
    if (roots_[i].live.size() > 1 || has_holes_) {
      std::sort(lists[i].begin(), lists[i].end());
      lists[i].erase(std::unique(lists[i].begin(), lists[i].end()), lists[i].end());
    }
  }
  lists_ = std::move(lists);
}

Plan Model::expand(const std::vector<Placement>& places) const {
  Plan plan;
  const auto& buffers = problem_->buffers;
  plan.placements.resize(buffers.size());
  plan.pool_bytes.assign(problem_->pools.size(), 0);
  plan.pool_alignment.assign(problem_->pools.size(), 1);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Placement& root = places[root_of_[i]];
    plan.placements[i] = {root.pool, root.offset + depth_[i]};
  }
  for (int32_t i = 0; i < count(); ++i) {
    const Root& root = roots_[i];
    const int32_t pool = places[i].pool;
    plan.pool_bytes[pool] = std::max(plan.pool_bytes[pool], places[i].offset + root.bytes);
    plan.pool_alignment[pool] = std::max(plan.pool_alignment[pool], root.alignment);
    plan.cost += root.weight() * problem_->pools[pool].cost;
  }
  return plan;
}

bool is_plain(const Model& model) {
  if (!model.options().empty()) return false;
  for (const Root& root : model.roots()) {
    if (root.fixed != nullptr || root.pools.size() != 1) return false;
    if (root.pools.front() != model.roots().front().pools.front()) return false;
  }
  return true;
}

}  // namespace berth::plan
