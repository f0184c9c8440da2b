// The best of many simple plans, then a search around it.
//
// Portfolio: orders x fits, "bottom up" with several ranks, and greedy's own layout; a try ends as
// soon as it is no better than the best. Bottom up places next the root whose least free address
// (the top of what is placed and alive with it) is least; on real graphs it beats orders by size,
// on crowded ones the other way round, hence both.
//
// Improvement: an order that is cheap to change. Something that reaches the top of its pool is
// moved to an earlier turn, everything from there on is placed again, and the change stays when the
// plan got no worse. Finds what one bad turn of a rule spoiled; proves nothing and can stall where
// many buffers would have to move at once.
#include <algorithm>
#include <queue>
#include <tuple>

#include "plan/bound.h"
#include "plan/fit.h"
#include "plan/orders.h"
#include "plan/planners.h"

namespace berth::plan {
namespace {

// A fixed sequence that looks random (SplitMix64, Steele et al. 2014): the same plan everywhere.
class Sequence {
 public:
  // REQUIRES: limit > 0.
  size_t below(size_t limit) {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<size_t>((z ^ (z >> 31)) % limit);
  }

 private:
  uint64_t state_ = 0;
};

class BestSearch {
 public:
  BestSearch(const Model& model, const Layout& greedy, const Score& floor, const Options& options)
      : model_(model), floor_(floor), options_(options), fitter_(model), best_(greedy) {
    score_ = judge(model, greedy.places);
  }

  Layout run() {
    run_portfolio();
    if (options_.improve && !done()) improve();
    best_.nodes = fitter_.nodes();
    return best_;
  }

 private:
  bool done() const { return !(floor_ < score_); }

  void keep(std::string found_by) {
    score_ = fitter_.score();
    best_.places = fitter_.places();
    best_.found_by = std::move(found_by);
  }

  void run_portfolio() {
    std::vector<std::vector<int32_t>> orders;
    for (Key key : kAllKeys) orders.push_back(order_by(model_, key));
    for (size_t k = 0; k < orders.size() && !done(); ++k) {
      bottom_up(orders[k], std::string("bottom up, ") + key_name(kAllKeys[k]));
    }
    std::vector<std::pair<Fit, const char*>> fits = {{Fit::kFirst, "first fit"},
                                                     {Fit::kBest, "best fit"}};
    if (!model_.options().empty()) fits.push_back({Fit::kInPlace, "in place or first fit"});
    for (const auto& [fit, fit_name] : fits) {
      for (size_t k = 0; k < orders.size() && !done(); ++k) {
        in_order(orders[k], fit, std::string(key_name(kAllKeys[k])) + ", " + fit_name);
      }
    }
  }

  void in_order(const std::vector<int32_t>& order, Fit fit, std::string name) {
    fitter_.reset();
    for (int32_t i : order) {
      fitter_.place(i, fit);
      if (!(fitter_.score() < score_)) return;
    }
    if (fitter_.score() < score_) keep(std::move(name));
  }

  void bottom_up(const std::vector<int32_t>& order, std::string name) {
    fitter_.reset();
    std::vector<uint64_t> low(model_.roots().size(), 0);
    using Entry = std::tuple<uint64_t, int32_t, int32_t>;  // least address, rank, root
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> next;
    for (size_t k = 0; k < order.size(); ++k) next.push({0, static_cast<int32_t>(k), order[k]});
    while (!next.empty()) {
      const auto [address, rank, i] = next.top();
      next.pop();
      if (address < low[i]) {
        next.push({low[i], rank, i});
        continue;
      }
      fitter_.place(i, Fit::kFirst);
      if (!(fitter_.score() < score_)) return;
      const Placement at = fitter_.place_of(i);
      const uint64_t bytes = model_.roots()[i].bytes;
      model_.for_each_neighbor(i, [&](int32_t j, bool in_place) {
        if (fitter_.placed(j) || model_.roots()[j].pools.front() != at.pool) return;
        low[j] = std::max(low[j], at.offset + (in_place ? 0 : bytes));
      });
    }
    if (fitter_.score() < score_) keep(std::move(name));
  }

  void improve() {
    // Placed again by address, first fit, everything sinks to where it is or lower.
    std::vector<int32_t> order = order_by(model_, Key::kSize);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return best_.places[a].offset < best_.places[b].offset;
    });
    if (order.empty()) return;
    const Fit fit = model_.options().empty() ? Fit::kFirst : Fit::kInPlace;
    fitter_.reset();
    for (int32_t i : order) fitter_.place(i, fit);
    if (fitter_.score() < score_) keep(best_.found_by + ", sunk");
    const uint64_t limit = fitter_.nodes() + options_.max_nodes;
    Score current = fitter_.score();

    std::vector<size_t> turn(model_.roots().size());
    for (size_t k = 0; k < order.size(); ++k) turn[order[k]] = k;
    std::vector<int32_t> high;
    std::vector<Placement> old;
    Sequence sequence;
    while (fitter_.nodes() < limit && !done()) {
      find_high(order, &high);
      if (high.empty()) return;
      const int32_t mover = high[sequence.below(high.size())];
      const size_t from = turn[mover];
      if (from == 0) {
        // Only moving others could help; there is no earlier turn.
        if (high.size() == 1) return;
        continue;
      }
      const size_t to = earlier_turn(mover, from, turn, &sequence);

      old.clear();
      for (size_t k = to; k < order.size(); ++k) old.push_back(fitter_.place_of(order[k]));
      std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
      fitter_.undo_to(to);
      bool worse = false;
      for (size_t k = to; k < order.size() && !worse; ++k) {
        fitter_.place(order[k], fit);
        worse = current < fitter_.score();
      }
      if (worse) {
        fitter_.undo_to(to);
        std::rotate(order.begin() + to, order.begin() + to + 1, order.begin() + from + 1);
        for (size_t k = to; k < order.size(); ++k) fitter_.put(order[k], old[k - to]);
        continue;
      }
      for (size_t k = to; k <= from; ++k) turn[order[k]] = k;
      current = fitter_.score();
      if (current < score_) keep("search by turns");
    }
  }

  // What decides the score: roots that reach the top of their pool, and roots not in the pool they
  // like best.
  void find_high(const std::vector<int32_t>& order, std::vector<int32_t>* high) const {
    high->clear();
    for (int32_t i : order) {
      const Placement& at = fitter_.place_of(i);
      const uint64_t end = at.offset + model_.roots()[i].bytes;
      if (end == fitter_.pool_bytes(at.pool) || at.pool != model_.roots()[i].pools.front()) {
        high->push_back(i);
      }
    }
  }

  // Before one of those that are in the way, or anywhere.
  size_t earlier_turn(int32_t mover, size_t from, const std::vector<size_t>& turn,
                      Sequence* sequence) {
    if (sequence->below(4) == 0) return sequence->below(from);
    ways_.clear();
    model_.for_each_neighbor(mover, [&](int32_t j, bool) {
      if (model_.roots()[j].fixed == nullptr && turn[j] < from) ways_.push_back(turn[j]);
    });
    if (ways_.empty()) return sequence->below(from);
    return ways_[sequence->below(ways_.size())];
  }

  const Model& model_;
  const Score floor_;
  const Options& options_;
  Fitter fitter_;
  Layout best_;
  Score score_;
  std::vector<size_t> ways_;
};

}  // namespace

Layout plan_best(const Model& model, const Layout& greedy, const Score& floor,
                 const Options& options) {
  return BestSearch(model, greedy, floor, options).run();
}

}  // namespace berth::plan
