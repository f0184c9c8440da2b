// Relax and branch. An option that is taken puts its taker into the giver's bytes at their common
// step, so the taker costs nothing there: as long as an option is open, its taker's life does
// without that step. A problem relaxed like this is plain. When no layout of it is low enough,
// there is none of the real problem either; a layout that is one of the real problem too, because
// takers happen to lie where they may, is the answer. Else some taker overlaps another buffer at a
// step that it did without, and its option is decided both ways: taken, giver and taker become one
// piece that lives as long as both; left, the taker's life gets the step back. So only options that
// matter are ever asked about.
//
// A piece is as large as its largest member throughout. Of buffers of one rounded size (all that a
// compiler offers) that is exact; of others it can ask for more than needed, and then its failure
// proves nothing.
#include "plan/in_place_search.h"

#include <algorithm>

#include "plan/lives.h"

namespace berth::plan {

bool is_one_open_pool(const Model& model) {
  return std::all_of(model.roots().begin(), model.roots().end(), [&](const Root& root) {
    return root.fixed == nullptr && root.pools.size() == 1 &&
           root.pools.front() == model.roots().front().pools.front();
  });
}

InPlaceSearch::InPlaceSearch(const Model& model) : model_(model) {
  if (model.options().empty()) {
    plain_.emplace(model);
    return;
  }
  apart_.emplace(model.problem(), true, false);
  plain_.emplace(*apart_);
  for (int32_t i = 0; i < model.count(); ++i) {
    const Root& root = model.roots()[i];
    start_.pieces.push_back({root.live, root.bytes, root.alignment, {i}});
  }
  start_.open = model.options();
}

InPlaceSearch::Answer InPlaceSearch::find(uint64_t height, uint64_t max_nodes,
                                          const std::function<void()>& tell) {
  if (start_.open.empty()) {
    const Answer answer = plain_->find(height, max_nodes, [&] {
      nodes_ = plain_->nodes();
      if (tell) tell();
    });
    nodes_ = plain_->nodes();
    places_ = plain_->places();
    return answer;
  }
  height_ = height;
  end_ = nodes_ + max_nodes;
  tell_ = &tell;
  return descend(start_);
}

InPlaceSearch::Answer InPlaceSearch::descend(const State& state) {
  std::vector<uint64_t> offsets;
  Answer answer = solve(state, &offsets);
  if (answer != Answer::kFound) return answer;
  const std::optional<InPlace> option = find_violation(state, offsets);
  if (!option) {
    const int32_t pool = model_.roots()[0].pools.front();
    places_.assign(model_.roots().size(), {pool, 0});
    for (size_t k = 0; k < state.pieces.size(); ++k) {
      for (int32_t root : state.pieces[k].roots) places_[root].offset = offsets[k];
    }
    return Answer::kFound;
  }

  // Taken: the taker's piece is gone, the last one gets its number.
  State taken = state;
  const int32_t gone = option->taker;
  const auto last = static_cast<int32_t>(state.pieces.size()) - 1;
  const Piece& taker = state.pieces[gone];
  Piece& both = taken.pieces[option->giver];
  const bool is_exact = taker.bytes == both.bytes;
  both.live = union_of(both.live, taker.live);
  both.bytes = std::max(both.bytes, taker.bytes);
  both.alignment = std::max(both.alignment, taker.alignment);
  both.roots.insert(both.roots.end(), taker.roots.begin(), taker.roots.end());
  if (gone != last) taken.pieces[gone] = taken.pieces[last];
  taken.pieces.pop_back();
  taken.open.clear();
  const auto is_open = [&](int32_t a, int32_t b) {
    return std::any_of(state.open.begin(), state.open.end(), [&](const InPlace& o) {
      return o.step == option->step &&
             ((o.taker == a && o.giver == b) || (o.taker == b && o.giver == a));
    });
  };
  for (InPlace other : state.open) {
    // A third one at the same step needs leave from both.
    if (other.step == option->step) {
      const bool is_of_pair = other.taker == gone || other.taker == option->giver ||
                              other.giver == gone || other.giver == option->giver;
      const bool is_taker = other.taker != gone && other.taker != option->giver;
      const int32_t third = is_taker ? other.taker : other.giver;
      if (is_of_pair && (!is_open(third, gone) || !is_open(third, option->giver))) continue;
    }
    for (int32_t* piece : {&other.taker, &other.giver}) {
      if (*piece == gone) *piece = option->giver;
    }
    for (int32_t* piece : {&other.taker, &other.giver}) {
      if (*piece == last) *piece = gone;
    }
    if (other.taker == other.giver) continue;
    const bool is_known =
        std::any_of(taken.open.begin(), taken.open.end(), [&](const InPlace& known) {
          return known.taker == other.taker && known.giver == other.giver;
        });
    // What is one piece now may meet the other side longer than for a step.
    const Intervals common =
        common_steps(taken.pieces[other.taker].live, taken.pieces[other.giver].live);
    const bool is_step = common.size() == 1 && common[0].end - common[0].begin == 1;
    if (is_step && !is_known) taken.open.push_back(other);
  }
  answer = descend(taken);
  if (answer == Answer::kFound) return answer;
  const bool is_refuted = answer == Answer::kImpossible && is_exact;

  State left = state;
  left.open.erase(std::find_if(left.open.begin(), left.open.end(), [&](const InPlace& other) {
    return other.taker == option->taker && other.giver == option->giver;
  }));
  answer = descend(left);
  return answer == Answer::kImpossible && !is_refuted ? Answer::kSpent : answer;
}

// An open option whose taker lies in the way of another piece at the option's step.
std::optional<InPlace> InPlaceSearch::find_violation(const State& state,
                                                     const std::vector<uint64_t>& offsets) const {
  for (const InPlace& option : state.open) {
    const Piece& taker = state.pieces[option.taker];
    const uint64_t at = offsets[option.taker];
    // Where it was offered.
    if (taker.bytes > height_ - at || at % taker.alignment != 0) return option;
    for (size_t k = 0; k < state.pieces.size(); ++k) {
      const Piece& other = state.pieces[k];
      if (static_cast<int32_t>(k) == option.taker || !lives_at(other.live, option.step)) continue;
      if (at + taker.bytes <= offsets[k] || offsets[k] + other.bytes <= at) continue;
      if (taker.bytes == 0 || other.bytes == 0) continue;
      const bool may_lie =
          at == offsets[k] &&
          std::any_of(state.open.begin(), state.open.end(), [&](const InPlace& o) {
            return o.step == option.step &&
                   ((o.taker == option.taker && o.giver == static_cast<int32_t>(k)) ||
                    (o.giver == option.taker && o.taker == static_cast<int32_t>(k)));
          });
      if (!may_lie) return option;
    }
  }
  return std::nullopt;
}

// A layout of the relaxed problem: an offset per piece.
InPlaceSearch::Answer InPlaceSearch::solve(const State& state, std::vector<uint64_t>* offsets) {
  if (nodes_ >= end_) return Answer::kSpent;
  Problem problem;
  problem.pools = {{}};
  std::vector<int32_t> root_of(state.pieces.size(), -1);
  std::vector<Intervals> lives;
  for (const Piece& piece : state.pieces) lives.push_back(piece.live);
  for (const InPlace& option : state.open) {
    lives[option.taker] = without_step(lives[option.taker], option.step);
  }
  int32_t roots = 0;
  for (size_t k = 0; k < lives.size(); ++k) {
    if (lives[k].empty()) continue;
    Buffer buffer;
    buffer.live = std::move(lives[k]);
    root_of[k] = roots++;
    buffer.size = state.pieces[k].bytes;
    Buffer part;  // asks for the alignment, which would round the size
    part.live = buffer.live;
    part.alignment = state.pieces[k].alignment;
    part.inside = Inside{static_cast<int32_t>(problem.buffers.size()), 0};
    problem.buffers.push_back(std::move(buffer));
    problem.buffers.push_back(std::move(part));
  }
  const Model model(problem, true, false);
  ExactSearch search(model);
  const uint64_t before = nodes_;
  // Others must have a chance where this one is hard.
  const uint64_t most = (end_ - nodes_ + 1) / 2;
  const Answer answer = search.find(height_, most, [&] {
    nodes_ = before + search.nodes();
    if (*tell_) (*tell_)();
  });
  nodes_ = before + 1 + search.nodes();
  if (answer != Answer::kFound) return answer;
  offsets->assign(state.pieces.size(), 0);
  for (size_t k = 0; k < root_of.size(); ++k) {
    if (root_of[k] >= 0) (*offsets)[k] = search.places()[root_of[k]].offset;
  }
  // Who lives for the common step alone goes where it was offered.
  for (const InPlace& option : state.open) {
    if (root_of[option.taker] < 0) (*offsets)[option.taker] = (*offsets)[option.giver];
  }
  return answer;
}

}  // namespace berth::plan
