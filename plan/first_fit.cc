#include "plan/first_fit.h"

#include <algorithm>
#include <utility>

#include "contract/checked.h"

namespace berth::plan {
namespace {

constexpr uint32_t kLeastBlock = 16;
// Long lives stand in many lists: blocks are so large that there are not many more entries than
// roots.
constexpr uint64_t kEntriesPerRoot = 4;

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
  taken_.assign(model_.lives().steps() / block_ + 1, {});
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

// Rises until a round through all its lists finds nothing in the way, or it is too high.
uint64_t FirstFit::find(int32_t i, uint64_t below) {
  const Root& root = model_.roots()[i];
  uint64_t at = 0;
  for (bool is_free = false; !is_free && at + root.bytes < below;) {
    const uint64_t before = at;
    uint64_t lists = 0;
    for (const Span& span : model_.lives().of(i)) {
      for (uint32_t block = span.from / block_; block <= (span.to - 1) / block_; ++block) {
        ++lists;
        for (const Taken& taken : taken_[block]) {
          ++looks_;
          if (taken.begin >= at + root.bytes) break;
          if (taken.end > at && taken.span.from < span.to && span.from < taken.span.to) {
            at = align_up(taken.end, root.alignment);
          }
        }
      }
    }
    is_free = at == before || lists == 1;
  }
  return at;
}

void FirstFit::take(int32_t i, uint64_t at) {
  for (const Span& span : model_.lives().of(i)) {
    const Taken taken = {at, at + model_.roots()[i].bytes, span};
    for (uint32_t block = span.from / block_; block <= (span.to - 1) / block_; ++block) {
      auto& list = taken_[block];
      list.insert(
          std::upper_bound(list.begin(), list.end(), taken,
                           [](const Taken& a, const Taken& b) { return a.begin < b.begin; }),
          taken);
    }
  }
}

}  // namespace berth::plan
