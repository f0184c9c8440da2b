// Local search over the order in which roots are placed.
#pragma once

#include <vector>

#include "plan/fit.h"
#include "plan/sequence.h"

namespace berth::plan {

// A complete layout by first fit in some order, and changes to that order. One root is given
// another turn (or, where it has an in-place option, its other fit), everything from there on is
// placed again, and the change stays when the layout got no worse.
class Turns {
 public:
  // Starts with the order of the addresses in `places`: placed so, everything sinks to where it is
  // or lower (but for in-place options, which may fall differently). `fitter` is used up.
  Turns(const Model& model, Fitter* fitter, const std::vector<Placement>& places);

  // Tries one change. True when the score fell.
  bool step();

 private:
  struct Change {
    int32_t root;
    size_t from;  // its turn
    size_t to;    // its new turn, no later
    bool flip;    // only its fit changes
  };

  Change pick();
  void find_high();
  size_t earlier_turn(int32_t mover, size_t from);
  void apply(const Change& change);
  void take_back(const Change& change);

  const Model& model_;
  Fitter& fitter_;
  Sequence sequence_;
  std::vector<int32_t> order_;
  std::vector<size_t> turn_;  // per root: where in order_
  std::vector<Fit> fits_;     // per root
  std::vector<int32_t> high_;
  std::vector<size_t> ways_;
  std::vector<Placement> old_;
};

}  // namespace berth::plan
