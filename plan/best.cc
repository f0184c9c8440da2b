// The best of many simple plans, then searches around them.
//
// Portfolio: "bottom up" (plan/bottom_up.h) with several ranks, orders x fits, bottom up again with
// ranks mixed at random, and greedy's own layout; a try ends as soon as it is no better than the
// best. On real graphs bottom up beats orders by size, on crowded ones the other way round.
//
// Up to some thousand roots in one pool: a complete search (plan/exact.h). Where that proves
// nothing, or cannot be: two local searches with half of their share of the budget each.
// * Ranks: the ranks of bottom up are disturbed, a little or a lot; what is no worse becomes the
//   next start. Better on crowded problems, where the order as a whole matters.
// * Turns: a root that reaches the top of its pool moves to an earlier turn and everything from
//   there on is placed again. Better where one bad turn spoiled the plan, and the only one that
//   sees alignments and pools change.
// Neither proves anything, and both can stall where many buffers would have to move at once.
#include <algorithm>
#include <bit>
#include <iterator>
#include <queue>
#include <tuple>
#include <utility>

#include "contract/checked.h"
#include "plan/bottom_up.h"
#include "plan/first_fit.h"
#include "plan/fit.h"
#include "plan/in_place_search.h"
#include "plan/orders.h"
#include "plan/planners.h"
#include "plan/sequence.h"
#include "plan/turns.h"

namespace berth::plan {
namespace {

// About three seconds; reached from some ten thousand roots on.
constexpr uint64_t kMostPortfolioLooks = 200'000'000;
// The same for the trees of bottom up. Where they outgrow the caches a look takes longer.
constexpr uint64_t kMostTreeLooks = 400'000'000;
constexpr int32_t kLargeTree = 200'000;  // roots
constexpr int kMostMixes = 64;
constexpr Score kWorst = {UINT64_MAX, UINT64_MAX, UINT64_MAX - 1};
// A placement with more neighbours than this counts as several.
constexpr uint64_t kLooksPerNode = 100;
// Its tables grow with the square.
constexpr int32_t kMostExactRoots = 2000;
// Of the budget, for what follows a search that decided nothing, and one that decided only that it
// fits.
constexpr uint64_t kLocalShare = 8;
constexpr uint64_t kLowerShare = 32;

// In 1024ths, to within a tenth; the same everywhere. 0 for 0.
int64_t log2_of(uint64_t value) {
  if (value == 0) return 0;
  const int whole = static_cast<int>(std::bit_width(value)) - 1;
  const uint64_t rest = value - (uint64_t{1} << whole);
  return whole * int64_t{1024} +
         static_cast<int64_t>(whole >= 10 ? rest >> (whole - 10) : rest << (10 - whole));
}

class BestSearch {
 public:
  BestSearch(const Model& model, const Layout& start, const Score& floor, const Options& options)
      : model_(model), floor_(floor), options_(options), fitter_(model), best_(start) {
    score_ = judge(model, start.places);
    best_.nodes = 0;  // those of the start are not ours
  }

  Layout run() {
    if (is_plain(model_)) {
      std::function<void()> on_placed;
      if (options_.progress) on_placed = [this] { tell(); };
      bottom_up_.emplace(model_, on_placed);
      first_fit_.emplace(model_, on_placed);
    }
    run_portfolio();
    if (options_.improve && !done() && has_free_roots() && !search_exactly()) {
      start_ = {nodes(), looks()};
      if (bottom_up_ ? !tree_spent() : !portfolio_spent()) improve_ranks();
      if (!portfolio_spent()) improve_turns();
    }
    best_.nodes += nodes();
    best_.proven = best_.proven || done();
    return best_;
  }

 private:
  bool done() const { return !(floor_ < score_); }

  void keep(const std::vector<Placement>& places, const Score& score, std::string found_by) {
    score_ = score;
    best_.places = places;
    best_.found_by = std::move(found_by);
  }
  void keep_fitted(std::string found_by) {
    keep(fitter_.places(), fitter_.score(), std::move(found_by));
  }

  // Without any the searches would spin without spending.
  bool has_free_roots() const {
    return std::any_of(model_.roots().begin(), model_.roots().end(),
                       [](const Root& root) { return root.fixed == nullptr; });
  }

  // Large problems: what is found by then has to do.
  bool portfolio_spent() const { return done() || looks() > kMostPortfolioLooks; }

  // Neighbours looked at.
  uint64_t looks() const {
    return fitter_.looks() + raised_ + (first_fit_ ? first_fit_->looks() : 0);
  }
  uint64_t nodes() const {
    return fitter_.nodes() + (bottom_up_ ? bottom_up_->nodes() + first_fit_->nodes() : 0);
  }
  bool tree_spent(uint64_t percent = 100) const {
    const uint64_t most = kMostTreeLooks / (model_.count() > kLargeTree ? 4 : 1);
    return done() || (bottom_up_ && bottom_up_->looks() > most / 100 * percent);
  }

  // `searched` and `low`: the nodes of a complete search so far, and what it found impossible.
  void tell(uint64_t searched, uint64_t low) {
    if (!options_.progress || nodes() + searched < told_ + kTellEvery) return;
    told_ = nodes() + searched;
    options_.progress({told_, score_.bytes, low});
  }
  void tell() { tell(best_.nodes, floor_.bytes); }

  // Whether a local search has used its part, in percent, of the budget.
  bool spent(uint64_t percent) const {
    const uint64_t most = options_.max_nodes / kLocalShare;
    return (nodes() - start_.nodes) * 100 > most * percent ||
           (looks() - start_.looks) * 100 > most * percent * kLooksPerNode;
  }

  // The same for the search by ranks, where a complete search cannot be tried.
  bool ranks_spent() const {
    return bottom_up_ && model_.count() > kMostExactRoots ? tree_spent() : spent(50);
  }

  // True when the answer is proven. A capacity that is missed comes first; then the floor, as most
  // problems reach it; then heights between what was found and what is impossible.
  bool search_exactly() {
    if (!is_one_open_pool(model_) || !options_.use_exact || model_.count() > kMostExactRoots) {
      return false;
    }
    InPlaceSearch search(model_);
    const uint64_t grain = search.grain();
    uint64_t low = floor_.bytes;  // no layout is lower
    uint64_t end = options_.max_nodes;
    if (score_.overflow > 0) {
      const Pool& pool = model_.problem().pools[model_.roots()[0].pools.front()];
      const uint64_t capacity = *pool.capacity / grain * grain;
      if (capacity >= low &&
          try_height(&search, capacity, end, low) == InPlaceSearch::Answer::kImpossible) {
        low = capacity + grain;
      }
      end = std::min(end, search.nodes() + end / kLowerShare);
    }
    for (uint64_t aim = low; low < score_.bytes && search.nodes() < end;) {
      const uint64_t left = end - search.nodes();
      const bool is_last = aim + grain >= score_.bytes;
      switch (try_height(&search, aim, is_last ? left : (left + 1) / 2, low)) {
        case InPlaceSearch::Answer::kFound:
          aim = low;
          break;
        case InPlaceSearch::Answer::kImpossible:
          low = aim + grain;
          aim = low + (score_.bytes - std::min(score_.bytes, low)) / 2 / grain * grain;
          break;
        case InPlaceSearch::Answer::kSpent:
          aim += (score_.bytes - aim) / 2 / grain * grain;
          break;
      }
      if (aim >= score_.bytes) aim = score_.bytes - std::min(score_.bytes, grain);
    }
    best_.nodes += search.nodes();
    best_.low = low;
    best_.proven = low >= score_.bytes;
    return best_.proven;
  }

  InPlaceSearch::Answer try_height(InPlaceSearch* search, uint64_t height, uint64_t max_nodes,
                                   uint64_t low) {
    const InPlaceSearch::Answer answer =
        search->find(height, max_nodes, [&] { tell(search->nodes(), low); });
    if (answer == InPlaceSearch::Answer::kFound) {
      best_.places = search->places();
      best_.found_by = "exact search";
      score_ = judge(model_, best_.places);
    }
    return answer;
  }

  void run_portfolio() {
    // Made when they are wanted: most problems need few of them.
    std::vector<std::vector<int32_t>> orders(std::size(kAllKeys));
    const auto order = [&](size_t k) -> const std::vector<int32_t>& {
      if (orders[k].empty()) orders[k] = order_by(model_, kAllKeys[k]);
      return orders[k];
    };
    for (size_t k = 0; k < orders.size() && options_.use_bottom_up; ++k) {
      if (portfolio_spent() || tree_spent()) break;
      bottom_up(order(k), score_, std::string("bottom up, ") + key_name(kAllKeys[k]));
    }
    std::vector<std::pair<Fit, const char*>> fits = {{Fit::kFirst, "first fit"},
                                                     {Fit::kBest, "best fit"}};
    if (!model_.options().empty()) fits.push_back({Fit::kInPlace, "in place or first fit"});
    for (const auto& [fit, fit_name] : fits) {
      for (size_t k = 0; k < orders.size() && !portfolio_spent(); ++k) {
        in_order(order(k), fit, std::string(key_name(kAllKeys[k])) + ", " + fit_name);
      }
    }
    if (bottom_up_ && options_.improve && options_.use_mixes) run_mixes();
  }

  // Bottom up by weighted sums: logarithms of length and size, and the place in the order by crowd.
  void run_mixes() {
    const std::vector<int32_t> by_crowd = order_by(model_, Key::kCrowd);
    const auto count = static_cast<int64_t>(by_crowd.size());
    std::vector<int64_t> crowd(by_crowd.size());
    for (int64_t k = 0; k < count; ++k) crowd[by_crowd[k]] = k * 1024 / count;
    std::vector<int64_t> sums(by_crowd.size());
    for (int mix = 0; mix < kMostMixes && !tree_spent(25); ++mix) {
      const auto length_weight = static_cast<int64_t>(sequence_.below(1000));
      const auto size_weight = static_cast<int64_t>(sequence_.below(1000));
      const auto crowd_weight =
          static_cast<int64_t>(sequence_.below(3) == 0 ? 0 : sequence_.below(70'000));
      for (size_t i = 0; i < sums.size(); ++i) {
        const Root& root = model_.roots()[i];
        sums[i] = crowd_weight * crowd[i] - size_weight * log2_of(root.bytes) -
                  length_weight *
                      log2_of(static_cast<uint64_t>(root.end) - static_cast<uint64_t>(root.begin));
      }
      std::vector<int32_t> order = by_crowd;
      std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return sums[a] != sums[b] ? sums[a] < sums[b] : a < b;
      });
      bottom_up(order, score_, "bottom up, mixed");
    }
  }

  void in_order(const std::vector<int32_t>& order, Fit fit, std::string name) {
    if (first_fit_ && fit == Fit::kFirst) {
      if (!first_fit_->run(order, score_.bytes)) return;
      const Score score = judge(model_, first_fit_->places());
      if (score < score_) keep(first_fit_->places(), score, std::move(name));
      return;
    }
    fitter_.reset();
    for (int32_t i : order) {
      fitter_.place(i, fit);
      tell();
      if (!(fitter_.score() < score_)) return;
    }
    if (fitter_.score() < score_) keep_fitted(std::move(name));
  }

  // Bottom up; keeps what is better than the best so far. Nothing when it ends above `most`.
  std::optional<Score> bottom_up(const std::vector<int32_t>& order, const Score& most,
                                 std::string name) {
    if (bottom_up_) {
      if (!bottom_up_->run(order, most.bytes + 1)) return {};
      const Score score = judge(model_, bottom_up_->places());
      if (score < score_) keep(bottom_up_->places(), score, std::move(name));
      return score;
    }
    if (!fit_bottom_up(order, most)) return {};
    const Score score = fitter_.score();
    if (score < score_) keep_fitted(std::move(name));
    return score;
  }

  // The same where a root may go to several pools or in place: lows are those in its first pool.
  // False when it ends above `most`.
  bool fit_bottom_up(const std::vector<int32_t>& order, const Score& most) {
    fitter_.reset();
    lows_.assign(model_.roots().size(), 0);
    using Entry = std::tuple<uint64_t, int32_t, int32_t>;  // low, rank, root
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
    for (size_t k = 0; k < order.size(); ++k) next.push({0, static_cast<int32_t>(k), order[k]});
    while (!next.empty()) {
      const auto [low, rank, i] = next.top();
      next.pop();
      if (low < lows_[i]) {
        next.push({lows_[i], rank, i});
        continue;
      }
      fitter_.place(i, Fit::kFirst);
      tell();
      if (most < fitter_.score()) return false;
      const Placement at = fitter_.place_of(i);
      const uint64_t bytes = model_.roots()[i].bytes;
      model_.for_each_neighbor(i, [&](int32_t j, bool in_place) {
        ++raised_;
        if (fitter_.placed(j) || model_.roots()[j].pools.front() != at.pool) return;
        lows_[j] = std::max(lows_[j], at.offset + (in_place ? 0 : bytes));
      });
    }
    return true;
  }

  void improve_ranks() {
    // Ranks in thousandths, so that a disturbance can be less than one.
    std::vector<int64_t> ranks(model_.roots().size());
    std::optional<Score> current;
    for (Key key : kAllKeys) {
      if (current && ranks_spent()) break;
      const auto order = order_by(model_, key);
      const auto score =
          bottom_up(order, current ? *current : kWorst, std::string("bottom up, ") + key_name(key));
      if (!score || (current && !(*score < *current))) continue;
      current = score;
      for (size_t k = 0; k < order.size(); ++k) ranks[order[k]] = static_cast<int64_t>(k) * 1000;
    }
    std::vector<int32_t> order = order_by(model_, Key::kSize);
    const auto count = static_cast<int64_t>(order.size());
    while (!ranks_spent() && !done()) {
      const int64_t reach = 1 + (count * 1000 >> sequence_.below(11));
      const size_t one_in = size_t{1} << sequence_.below(10);
      std::vector<int64_t> tried = ranks;
      for (int32_t i : order) {
        if (sequence_.below(one_in) != 0) continue;
        tried[i] += static_cast<int64_t>(sequence_.below(static_cast<size_t>(2 * reach))) - reach;
      }
      std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        return tried[a] != tried[b] ? tried[a] < tried[b] : a < b;
      });
      const auto score = bottom_up(order, *current, "search by ranks");
      if (!score) continue;
      current = score;
      ranks = std::move(tried);
    }
  }

  void improve_turns() {
    Turns turns(model_, &fitter_, best_.places);
    if (fitter_.score() < score_) keep_fitted(best_.found_by + ", sunk");
    while (!spent(100) && !done()) {
      if (turns.step() && fitter_.score() < score_) keep_fitted("search by turns");
      tell();
    }
  }

  const Model& model_;
  const Score floor_;
  const Options& options_;
  // Where the model is plain.
  std::optional<BottomUp> bottom_up_;
  std::optional<FirstFit> first_fit_;
  Fitter fitter_;
  Layout best_;
  Score score_;
  struct {
    uint64_t nodes;
    uint64_t looks;
  } start_ = {};       // of the local searches
  uint64_t told_ = 0;  // nodes at the last call of Options::progress
  Sequence sequence_;
  std::vector<uint64_t> lows_;  // of bottom up
  uint64_t raised_ = 0;         // neighbours looked at to raise them
};

}  // namespace

Layout plan_best(const Model& model, const Layout& start, const Score& floor,
                 const Options& options) {
  return BestSearch(model, start, floor, options).run();
}

}  // namespace berth::plan
