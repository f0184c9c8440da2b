#include "plan/first_fit.h"

#include <algorithm>
#include <utility>

#include "contract/checked.h"

namespace berth::plan {
namespace {

constexpr uint32_t kLeastBlock = 16;
// A root is entered once for each block that it touches: blocks are so large that on average there
// are not more.
constexpr uint64_t kEntriesPerRoot = 3;

uint64_t count_entries(const Model& model, uint32_t block) {
  uint64_t entries = 0;
  for (int32_t i = 0; i < model.count(); ++i) {
    for (const Span& span : model.lives().of(i)) {
      entries += (span.to - 1) / block - span.from / block + 1;
    }
  }
  return entries;
}

}  // namespace

FirstFit::FirstFit(const Model& model, std::function<void()> on_placed)
    : model_(model), on_placed_(std::move(on_placed)), block_(kLeastBlock) {
  const uint64_t most = kEntriesPerRoot * model.roots().size();
  while (block_ < model.lives().steps() && count_entries(model, block_) > most) block_ *= 2;
}

bool FirstFit::run(const std::vector<int32_t>& order, uint64_t below) {
  blocks_.assign(model_.lives().steps() / block_ + 1, {});
  std::vector<Placement> places(model_.roots().size());
  for (int32_t i : order) {
    ++nodes_;
    if (on_placed_) on_placed_();
    const Root& root = model_.roots()[i];
    const uint64_t at = root.bytes == 0 ? 0 : find(i, below);
    if (at + root.bytes >= below) return false;
    places[i] = {root.pools.front(), at};
    if (root.bytes > 0) take(i, at);
  }
  places_ = std::move(places);
  return true;
}

void FirstFit::add(const Range& range, std::vector<Range>* ranges) {
  // All that it touches becomes one with it.
  const auto first = std::lower_bound(ranges->begin(), ranges->end(), range.begin,
                                      [](const Range& r, uint64_t at) { return r.end < at; });
  auto last = first;
  Range all = range;
  for (; last != ranges->end() && last->begin <= range.end; ++last) {
    all.begin = std::min(all.begin, last->begin);
    all.end = std::max(all.end, last->end);
  }
  if (first == last) {
    ranges->insert(first, all);
    return;
  }
  *first = all;
  ranges->erase(first + 1, last);
}

// The lowest address from `at` on where these leave room.
uint64_t FirstFit::rise(const std::vector<Range>& ranges, uint64_t at, const Root& root) {
  auto it = std::upper_bound(ranges.begin(), ranges.end(), at,
                             [](uint64_t from, const Range& r) { return from < r.end; });
  ++looks_;
  for (; it != ranges.end() && it->begin < at + root.bytes; ++it) {
    ++looks_;
    if (it->end > at) at = align_up(it->end, root.alignment);
  }
  return at;
}

uint64_t FirstFit::rise(const std::vector<Taken>& taken, const Span& span, uint64_t at,
                        const Root& root) {
  for (const Taken& other : taken) {
    ++looks_;
    if (other.range.begin >= at + root.bytes) break;
    if (other.range.end > at && other.span.from < span.to && span.from < other.span.to) {
      at = align_up(other.range.end, root.alignment);
    }
  }
  return at;
}

// Rises until a round through all its blocks finds nothing in the way, or it is too high.
uint64_t FirstFit::find(int32_t i, uint64_t below) {
  const Root& root = model_.roots()[i];
  uint64_t at = 0;
  for (bool is_free = false; !is_free && at + root.bytes < below;) {
    const uint64_t before = at;
    for (const Span& span : model_.lives().of(i)) {
      for (uint32_t b = span.from / block_; b <= (span.to - 1) / block_; ++b) {
        const Block& block = blocks_[b];
        if (is_whole(span, b)) {
          at = rise(block.at_times, at, root);
        } else {
          at = rise(block.partly, span, rise(block.always, at, root), root);
        }
      }
    }
    is_free = at == before;
  }
  return at;
}

void FirstFit::take(int32_t i, uint64_t at) {
  const Range range = {at, at + model_.roots()[i].bytes};
  for (const Span& span : model_.lives().of(i)) {
    for (uint32_t b = span.from / block_; b <= (span.to - 1) / block_; ++b) {
      ++looks_;
      Block& block = blocks_[b];
      add(range, &block.at_times);
      if (is_whole(span, b)) {
        add(range, &block.always);
        continue;
      }
      const auto behind = std::upper_bound(
          block.partly.begin(), block.partly.end(), at,
          [](uint64_t begin, const Taken& other) { return begin < other.range.begin; });
      block.partly.insert(behind, {range, span});
    }
  }
}

}  // namespace berth::plan
