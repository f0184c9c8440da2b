// Depth-first search over layouts that are pushed down as far as they go: every root lies at the
// bottom or on another root that is alive with it. Each root not placed yet has a "low", an address
// below which it cannot be. One decision is about one root under which no other fits: it starts at
// its low, or it lies on one of its neighbours that are still to be placed, so that its low rises
// to the lowest of their ends. Each layout is met once, and any such root may be asked about next.
//
// A "column" is a set of roots that are all alive at one step, so that they are stacked there.
// After each decision the columns it touched are looked at:
// * Those with lows of at least x take all their bytes above x; when that passes the height, the
//   branch is dead. What is left to the height is the column's slack.
// * A root that lies further above x than that cannot be the first of them: it lies on another.
// (Both are the rules of one machine with release dates and one deadline; Carlier and Pinson 1989.)
//
// Where a column is full, what waits before it and after it may have nothing to do with one another
// any more. Such "sections" are searched one after the other, and when there is no layout of one,
// the decision that made it is changed at once, whatever other sections were searched meanwhile.
//
// Which root next decides everything, and no rule is good for all problems: a try is given up after
// some hundreds of nodes and the next one has another order, or a shaken one, and other tastes;
// limits grow, so that in the end a try is complete. Most tries decide about the lowest root of the
// column that has the least slack for its weight, which grows with each failure there (Boussemart
// et al. 2004); weights of earlier tries only mislead. The others decide about the lowest root of
// all.
#include "plan/exact.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "contract/checked.h"
#include "plan/orders.h"

namespace berth::plan {
namespace {

constexpr uint64_t kFirstLimit = 500;  // nodes of a try, and one per root
constexpr uint64_t kRound = 18;        // tries of one limit
constexpr uint64_t kTastes = 3;        // the last of three tries goes by lows, not by columns
constexpr uint64_t kSlackUnits = 256;  // of the height; what differs less is alike
// A usual decision looks at some thousand; the more roots, the longer it takes and the more of them
// a try needs, and the more it counts.
constexpr uint64_t kLooksPerNodeAndRoot = 4'000'000;
constexpr int kLevelBits = 6;  // of lows; as many levels as a word has bits
// Which orders lead to layouts, and how far the ranks of a shaken one move (10/1000 of all roots,
// doubled so many times), was counted on MiniMalloc's eleven problems: the first three do about
// four times as often as the others, which still are the only ones for some problem; small shakes
// where the lowest root of all comes next.
constexpr std::pair<Key, Key> kOrders[] = {{Key::kLength, Key::kArea}, {Key::kCrowd, Key::kLength},
                                           {Key::kCrowd, Key::kArea},  {Key::kArea, Key::kLength},
                                           {Key::kSize, Key::kArea},   {Key::kSize, Key::kLength}};
constexpr size_t kTurns[] = {0, 1, 0, 1, 2, 0, 1, 0, 2, 4, 0, 1, 0, 1, 2, 3};  // after all once
constexpr size_t kShakesByColumns = 6;
constexpr size_t kShakesByLows = 3;
constexpr uint64_t kFull = UINT64_MAX;  // no low, no slack: nothing is left of a column

}  // namespace

ExactSearch::ExactSearch(const Model& model) : model_(model) {
  const auto count = static_cast<size_t>(model.count());
  looks_per_node_ = kLooksPerNodeAndRoot / std::max<size_t>(count, 1) + 1;
  neighbors_.resize(count);
  masks_.resize(count);
  uint64_t grain = 0;
  for (int32_t i = 0; i < model.count(); ++i) {
    const Root& root = model.roots()[i];
    bytes_.push_back(root.bytes);
    grid_.push_back(root.alignment);
    if (root.bytes == 0) continue;  // fits anywhere, 0 included
    all_.push_back(i);
    grain = std::gcd(std::gcd(grain, root.bytes), uint64_t{root.alignment});
    model.for_each_neighbor(i, [&](int32_t j, bool) {
      if (model.roots()[j].bytes > 0) neighbors_[i].push_back(j);
    });
  }
  // Without alignments all addresses are sums of sizes.
  if (std::all_of(all_.begin(), all_.end(), [&](int32_t i) {
        return bytes_[i] % grid_[i] == 0 && grid_[i] == grid_[all_[0]];
      })) {
    grain = 0;
    for (int32_t i : all_) grain = std::gcd(grain, bytes_[i]);
  }
  grain_ = std::max<uint64_t>(grain, 1);
  find_columns();
  find_twins();
  for (const auto& [first, second] : kOrders) orders_.push_back(order_by(model, first, second));
  weight_.assign(columns_.size(), 1);
  rank_.assign(count, 0);
}

// Who is alive together: the sets at each begin, without those inside another.
void ExactSearch::find_columns() {
  std::vector<Step> begins;
  for (int32_t i : all_) {
    for (const Interval& life : model_.roots()[i].live) begins.push_back(life.begin);
  }
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  // A set at a begin lies in the next one when nothing ends between the two.
  std::vector<std::vector<int32_t>> sets(begins.size());
  for (int32_t i : all_) {
    for (const Interval& life : model_.roots()[i].live) {
      auto at = std::lower_bound(begins.begin(), begins.end(), life.begin) - begins.begin();
      for (; at < static_cast<std::ptrdiff_t>(begins.size()) && begins[at] < life.end; ++at) {
        sets[at].push_back(i);
      }
    }
  }
  for (size_t k = 0; k < sets.size(); ++k) {
    const bool inside = k + 1 < sets.size() && std::includes(sets[k + 1].begin(), sets[k + 1].end(),
                                                             sets[k].begin(), sets[k].end());
    if (!inside) columns_.push_back(std::move(sets[k]));
  }
  const size_t words = (columns_.size() + 63) / 64;
  for (auto* bits : {&waiting_, &visited_, &visited_twice_}) bits->assign(words, 0);
  for (size_t c = 0; c < columns_.size(); ++c) {
    for (int32_t i : columns_[c]) {
      Mask& mask = masks_[i];
      if (mask.words.empty()) mask.first = c / 64;
      mask.words.resize(c / 64 + 1 - mask.first);
      mask.words.back() |= uint64_t{1} << c % 64;
    }
  }
  levels_.resize(size_t{1} << kLevelBits);
  rungs_.resize(levels_.size());
}

// Of roots that are alike in everything, the one with the lower index lies below.
void ExactSearch::find_twins() {
  next_twin_.assign(bytes_.size(), -1);
  for (int32_t i : all_) {
    const Root& a = model_.roots()[i];
    for (int32_t j : neighbors_[i]) {
      const Root& b = model_.roots()[j];
      const bool alike = j > i && a.bytes == b.bytes && a.alignment == b.alignment &&
                         std::equal(a.live.begin(), a.live.end(), b.live.begin(), b.live.end(),
                                    [](const Interval& x, const Interval& y) {
                                      return x.begin == y.begin && x.end == y.end;
                                    });
      if (alike && (next_twin_[i] < 0 || j < next_twin_[i])) next_twin_[i] = j;
    }
  }
}

ExactSearch::Answer ExactSearch::find(uint64_t height, uint64_t max_nodes,
                                      const std::function<void()>& tell) {
  const uint64_t end = nodes_ + max_nodes;
  height_ = height;
  level_shift_ = std::max(static_cast<int>(std::bit_width(height)) - kLevelBits, 0);
  uint64_t limit = kFirstLimit + all_.size();
  Section whole;
  whole.roots = all_;
  whole.columns.resize(columns_.size());
  std::iota(whole.columns.begin(), whole.columns.end(), 0);
  for (uint64_t t = 0; nodes_ < end; ++t) {
    if (t > 0 && t % kRound == 0) limit += limit / 10;
    begin_try(attempt_++);
    try_limit_ = std::min(end, nodes_ + limit);
    trail_.clear();
    low_.assign(bytes_.size(), 0);
    placed_.assign(bytes_.size(), 0);
    slack_.assign(columns_.size(), kFull);
    bool possible = true;
    for (int32_t i : all_) {
      possible = possible && bytes_[i] <= height;
      const int32_t twin = next_twin_[i];
      if (possible && twin >= 0) possible = raise(twin, low_[i] + bytes_[i]);
    }
    for (int32_t i : all_) touch(i);
    jump_ = kNowhere;
    Answer answer = Answer::kImpossible;
    if (possible && propagate()) {
      const std::vector<Section> sections = split(whole, -1);
      answer = sections.empty() ? descend(whole, 0, 0)
                                : descend(sections[0], sections[0].roots.size(), 0);
    }
    if (answer != Answer::kSpent) return answer;
    if (tell) tell();
  }
  return Answer::kSpent;
}

// Each taste has the orders as they are first, then shaken ones.
void ExactSearch::begin_try(uint64_t attempt) {
  const uint64_t turn = attempt / kTastes;
  by_columns_ = attempt % kTastes != kTastes - 1;
  const uint64_t turn_of_taste = by_columns_ ? attempt - turn : turn;
  weight_.assign(columns_.size(), 1);
  const bool is_shaken = turn_of_taste >= orders_.size();
  const auto& order =
      orders_[is_shaken ? kTurns[turn_of_taste % std::size(kTurns)] : turn_of_taste];
  for (size_t k = 0; k < order.size(); ++k) rank_[order[k]] = static_cast<int64_t>(k) * 1000;
  if (!is_shaken) return;
  const size_t shake = sequence_.below(by_columns_ ? kShakesByColumns : kShakesByLows);
  const int64_t reach = static_cast<int64_t>(order.size()) * 10 << shake;
  for (int32_t i : order) {
    rank_[i] += static_cast<int64_t>(sequence_.below(static_cast<size_t>(2 * reach))) - reach;
  }
}

ExactSearch::Answer ExactSearch::descend(const Section& section, size_t left, int32_t depth) {
  if (left == 0) {
    if (section.rest != nullptr) return descend(*section.rest, section.rest->roots.size(), depth);
    const int32_t pool = model_.count() == 0 ? 0 : model_.roots()[0].pools.front();
    found_.clear();
    for (const uint64_t low : low_) found_.push_back({pool, low});
    return Answer::kFound;
  }
  const bool is_first = left == section.roots.size();
  const size_t before = trail_.size();
  for (;;) {
    if (nodes_ >= try_limit_) return Answer::kSpent;
    ++nodes_;
    const int32_t i = choose(section);
    const size_t mark = trail_.size();
    if (place(i)) {
      const Answer answer = place_rest(section, left - 1, depth, i);
      if (answer != Answer::kImpossible) return answer;
    }
    undo_to(mark);
    if (jump_ == depth) jump_ = kNowhere;
    if (jump_ == kNowhere && lift(i)) continue;
    undo_to(before);
    if (jump_ == kNowhere && is_first) jump_ = section.maker;
    return Answer::kImpossible;
  }
}

// After root `placed`: where that left sections, one after the other.
ExactSearch::Answer ExactSearch::place_rest(const Section& section, size_t left, int32_t depth,
                                            int32_t placed) {
  if (left > 1 && fills_a_column(placed)) {
    const std::vector<Section> sections = split(section, depth);
    if (sections.size() > 1) return descend(sections[0], sections[0].roots.size(), depth + 1);
  }
  return descend(section, left, depth + 1);
}

bool ExactSearch::fills_a_column(int32_t i) const {
  const Mask& mask = masks_[i];
  for (size_t w = 0; w < mask.words.size(); ++w) {
    for (uint64_t bits = mask.words[w]; bits != 0; bits &= bits - 1) {
      if (slack_[(mask.first + w) * 64 + static_cast<size_t>(std::countr_zero(bits))] == kFull) {
        return true;
      }
    }
  }
  return false;
}

// The one with the tightest column first.
std::vector<ExactSearch::Section> ExactSearch::split(const Section& section, int32_t maker) const {
  std::vector<Section> sections;
  std::vector<int32_t> section_of(bytes_.size(), -1);
  for (int32_t first : section.roots) {
    if (placed_[first] || section_of[first] >= 0) continue;
    const auto number = static_cast<int32_t>(sections.size());
    Section& part = sections.emplace_back();
    part.maker = maker;
    part.roots.push_back(first);
    section_of[first] = number;
    for (size_t k = 0; k < part.roots.size(); ++k) {
      for (int32_t j : neighbors_[part.roots[k]]) {
        if (placed_[j] || section_of[j] >= 0) continue;
        section_of[j] = number;
        part.roots.push_back(j);
      }
    }
  }
  for (size_t c : section.columns) {
    for (int32_t i : columns_[c]) {
      if (placed_[i]) continue;
      sections[section_of[i]].columns.push_back(c);
      break;
    }
  }
  std::stable_sort(sections.begin(), sections.end(), [&](const Section& a, const Section& b) {
    const size_t x = tightest_of(a.columns), y = tightest_of(b.columns);
    return tightest_of({x, y}) == x && tightest_of({y, x}) == x;
  });
  for (size_t k = 0; k < sections.size(); ++k) {
    sections[k].rest = k + 1 < sections.size() ? &sections[k + 1] : section.rest;
  }
  return sections;
}

int32_t ExactSearch::lowest_of(const std::vector<int32_t>& roots) const {
  int32_t lowest = -1;
  for (int32_t i : roots) {
    if (!placed_[i] && (lowest < 0 || goes_first(i, lowest))) lowest = i;
  }
  return lowest;
}

// The column that failed most often for its slack; the first one of those alike.
size_t ExactSearch::tightest_of(const std::vector<size_t>& columns) const {
  const uint64_t unit = std::max<uint64_t>(height_ / kSlackUnits, 1);
  size_t tightest = columns[0];
  uint64_t least = UINT64_MAX;  // its slack
  for (size_t c : columns) {
    if (slack_[c] == kFull) continue;
    const uint64_t slack = 1 + slack_[c] / unit;
    if (least != UINT64_MAX && weight_[c] * least <= weight_[tightest] * slack) continue;
    tightest = c;
    least = slack;
  }
  return tightest;
}

// The next root to decide about: no other fits under it.
int32_t ExactSearch::choose(const Section& section) const {
  if (!by_columns_) return lowest_of(section.roots);
  int32_t i = lowest_of(columns_[tightest_of(section.columns)]);
  if (i < 0) return lowest_of(section.roots);
  for (;;) {
    int32_t under = -1;
    for (int32_t j : neighbors_[i]) {
      if (placed_[j] || low_[j] + bytes_[j] > low_[i]) continue;
      if (under < 0 || goes_first(j, under)) under = j;
    }
    if (under < 0) return i;
    i = under;
  }
}

bool ExactSearch::place(int32_t i) {
  trail_.push_back({i, true, low_[i]});
  placed_[i] = 1;
  touch(i);
  const uint64_t end = low_[i] + bytes_[i];
  for (int32_t j : neighbors_[i]) {
    if (!placed_[j] && !raise(j, end)) return false;
  }
  return propagate();
}

// The other answer: not at its low, so on one of those to come.
bool ExactSearch::lift(int32_t i) {
  uint64_t least = kFull;
  for (int32_t j : neighbors_[i]) {
    if (!placed_[j]) least = std::min(least, low_[j] + bytes_[j]);
  }
  return least != kFull && raise(i, least) && propagate();
}

// False when root i has no room above `low`; the columns to look at are then forgotten.
bool ExactSearch::raise(int32_t i, uint64_t low) {
  while (i >= 0 && low_[i] < low) {
    low = align_up(low, grid_[i]);
    if (low > height_ - bytes_[i]) {
      forget_waiting();
      return false;
    }
    trail_.push_back({i, false, low_[i]});
    low_[i] = low;
    touch(i);
    low += bytes_[i];
    i = next_twin_[i];
    if (i >= 0 && placed_[i]) break;
  }
  return true;
}

// All columns of root i are to be looked at again.
void ExactSearch::touch(int32_t i) {
  const Mask& mask = masks_[i];
  for (size_t w = mask.first; w < mask.first + mask.words.size(); ++w) {
    waiting_[w] |= mask.words[w - mask.first] & ~visited_twice_[w];
  }
}

// Each column at most twice: raises that creep up byte by byte cost more than they find.
bool ExactSearch::propagate() {
  bool possible = true;
  for (size_t idle = 0, w = 0; possible && idle < waiting_.size(); ++idle) {
    for (; possible && waiting_[w] != 0; idle = 0) {
      const auto at = static_cast<size_t>(std::countr_zero(waiting_[w]));
      const uint64_t bit = uint64_t{1} << at;
      waiting_[w] -= bit;
      visited_twice_[w] |= visited_[w] & bit;
      visited_[w] |= bit;
      possible = tighten(w * 64 + at);
      if (!possible) ++weight_[w * 64 + at];
    }
    w = w + 1 < waiting_.size() ? w + 1 : 0;
  }
  forget_waiting();
  nodes_ += looks_ / looks_per_node_;
  looks_ %= looks_per_node_;
  return possible;
}

void ExactSearch::forget_waiting() {
  for (auto* bits : {&waiting_, &visited_, &visited_twice_})
    std::fill(bits->begin(), bits->end(), 0);
}

bool ExactSearch::tighten(size_t c) {
  int32_t* const roots = columns_[c].data();
  const size_t width = columns_[c].size();
  const char* const placed = placed_.data();
  const uint64_t* const lows = low_.data();
  const uint64_t* const sizes = bytes_.data();
  Level* const levels = levels_.data();
  const int shift = level_shift_;
  uint64_t used = 0;  // levels, a bit each
  size_t left = 0;
  for (size_t k = 0; k < width; ++k) {
    const int32_t i = roots[k];
    if (placed[i]) continue;
    roots[k] = roots[left];  // placed, or i itself
    roots[left++] = i;
    const uint64_t low = lows[i];
    const uint64_t own = sizes[i];
    Level& level = levels[low >> shift];
    used |= uint64_t{1} << (low >> shift);
    level.bytes += own;
    level.low = std::min(level.low, low);
    level.high = std::max(level.high, low);
    level.end = std::min(level.end, low + own);
  }
  looks_ += width;
  // From the top down: the bytes of all rungs so far, and the least end.
  const uint64_t height = height_;
  uint64_t bytes = 0;
  uint64_t end = kFull;
  uint64_t slack = kFull;
  bool is_possible = true;
  bool is_raised = false;
  Rung* const rungs = rungs_.data();
  size_t count = 0;
  while (used != 0) {
    const auto at = static_cast<size_t>(std::bit_width(used) - 1);
    used -= uint64_t{1} << at;
    const Level level = std::exchange(levels[at], Level{});
    bytes += level.bytes;
    end = std::min(end, level.end);
    is_possible = is_possible && bytes <= height - level.low;
    if (!is_possible) continue;
    const uint64_t most = height - bytes;
    slack = std::min(slack, most - level.low);
    rungs[count++] = {level.low, level.high, most, end};
    for (size_t r = count; !is_raised && r-- > 0 && rungs[r].low < end;) {
      is_raised = rungs[r].high > most;
    }
  }
  if (!is_possible) return false;
  slack_[c] = slack;
  return !is_raised || raise_above_rungs(c, left, count);
}

// The first `left` roots of column c, by the first `count` rungs.
bool ExactSearch::raise_above_rungs(size_t c, size_t left, size_t count) {
  const std::vector<int32_t>& roots = columns_[c];
  raised_.clear();
  for (size_t k = 0; k < left; ++k) {
    const uint64_t low = low_[roots[k]];
    size_t r = 0;  // lower rungs would raise it less
    while (r < count && low <= rungs_[r].most) ++r;
    if (r < count && low < rungs_[r].end) raised_.push_back({roots[k], &rungs_[r]});
  }
  for (const auto& [j, rung] : raised_) {
    uint64_t above = rung->end;
    if (above == low_[j] + bytes_[j]) {  // its own
      above = kFull;
      for (size_t k = 0; k < left; ++k) {
        const int32_t i = roots[k];
        if (i != j && low_[i] >= rung->low) above = std::min(above, low_[i] + bytes_[i]);
      }
    }
    if (above == kFull || !raise(j, above)) return false;
  }
  return true;
}

void ExactSearch::undo_to(size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    const Change& change = trail_.back();
    if (change.was_placing) {
      placed_[change.root] = 0;
    } else {
      low_[change.root] = change.low;
    }
  }
}

}  // namespace berth::plan
