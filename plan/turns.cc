#include "plan/turns.h"

#include <algorithm>

#include "plan/orders.h"

namespace berth::plan {

Turns::Turns(const Model& model, Fitter* fitter, const std::vector<Placement>& places)
    : model_(model),
      fitter_(*fitter),
      order_(order_by(model, Key::kSize)),
      turn_(model.roots().size()),
      fits_(model.roots().size(), model.options().empty() ? Fit::kFirst : Fit::kInPlace) {
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int32_t a, int32_t b) { return places[a].offset < places[b].offset; });
  fitter_.reset();
  for (int32_t i : order_) fitter_.place(i, fits_[i]);
  for (size_t k = 0; k < order_.size(); ++k) turn_[order_[k]] = k;
}

bool Turns::step() {
  if (order_.empty()) return false;
  const Score before = fitter_.score();
  const Change change = pick();
  old_.clear();
  for (size_t k = change.to; k < order_.size(); ++k) old_.push_back(fitter_.place_of(order_[k]));
  fitter_.undo_to(change.to);
  apply(change);
  for (size_t k = change.to; k < order_.size(); ++k) {
    fitter_.place(order_[k], fits_[order_[k]]);
    if (before < fitter_.score()) {
      fitter_.undo_to(change.to);
      take_back(change);
      for (size_t j = change.to; j < order_.size(); ++j) {
        fitter_.put(order_[j], old_[j - change.to]);
      }
      return false;
    }
  }
  return fitter_.score() < before;
}

Turns::Change Turns::pick() {
  if (!model_.options().empty() && sequence_.below(4) == 0) {
    const InPlace& option = model_.options()[sequence_.below(model_.options().size())];
    const int32_t root = sequence_.below(2) == 0 ? option.taker : option.giver;
    if (model_.roots()[root].fixed == nullptr) return {root, turn_[root], turn_[root], true};
  }
  find_high();
  int32_t mover = order_[sequence_.below(order_.size())];
  if (!high_.empty() && sequence_.below(4) != 0) mover = high_[sequence_.below(high_.size())];
  const size_t from = turn_[mover];
  return {mover, from, from == 0 ? 0 : earlier_turn(mover, from), false};
}

// What decides the score: roots that reach the top of their pool, and roots not in the pool they
// like best.
void Turns::find_high() {
  high_.clear();
  for (int32_t i : order_) {
    const Placement& at = fitter_.place_of(i);
    const uint64_t end = at.offset + model_.roots()[i].bytes;
    if (end == fitter_.pool_bytes(at.pool) || at.pool != model_.roots()[i].pools.front()) {
      high_.push_back(i);
    }
  }
}

// Before one of those that may be in the way, or anywhere.
size_t Turns::earlier_turn(int32_t mover, size_t from) {
  if (sequence_.below(4) == 0) return sequence_.below(from);
  ways_.clear();
  model_.for_each_neighbor(mover, [&](int32_t j, bool) {
    if (model_.roots()[j].fixed == nullptr && turn_[j] < from) ways_.push_back(turn_[j]);
  });
  return ways_.empty() ? sequence_.below(from) : ways_[sequence_.below(ways_.size())];
}

void Turns::apply(const Change& change) {
  if (change.flip) {
    Fit& fit = fits_[change.root];
    fit = fit == Fit::kFirst ? Fit::kInPlace : Fit::kFirst;
    return;
  }
  const auto begin = order_.begin();
  std::rotate(begin + change.to, begin + change.from, begin + change.from + 1);
  for (size_t k = change.to; k <= change.from; ++k) turn_[order_[k]] = k;
}

void Turns::take_back(const Change& change) {
  if (change.flip) {
    apply(change);
    return;
  }
  const auto begin = order_.begin();
  std::rotate(begin + change.to, begin + change.to + 1, begin + change.from + 1);
  for (size_t k = change.to; k <= change.from; ++k) turn_[order_[k]] = k;
}

}  // namespace berth::plan
