// The complete search (plan/exact.h) for problems with in-place options: it decides, with the
// addresses, which of them are taken.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plan/exact.h"
#include "plan/model.h"

namespace berth::plan {

// One pool, nothing fixed: what InPlaceSearch takes.
bool is_one_open_pool(const Model& model);

class InPlaceSearch {
 public:
  using Answer = ExactSearch::Answer;

  // REQUIRES: is_one_open_pool(model); the model outlives the search.
  explicit InPlaceSearch(const Model& model);

  // As ExactSearch::find(). Where an option between buffers of different sizes would have to be
  // taken, a proof may be out of reach: the answer is then kSpent although nodes are left.
  Answer find(uint64_t height, uint64_t max_nodes, const std::function<void()>& tell = {});

  // The layout found last, per root.
  const std::vector<Placement>& places() const { return places_; }
  // All heights that layouts can have are multiples of it.
  uint64_t grain() const { return plain_->grain(); }
  uint64_t nodes() const { return nodes_; }

 private:
  // Roots at one offset, by options that were taken.
  struct Piece {
    Intervals live;
    uint64_t bytes;
    uint32_t alignment;
    std::vector<int32_t> roots;
  };
  struct State {
    std::vector<Piece> pieces;
    std::vector<InPlace> open;  // between pieces, not decided yet
  };

  Answer descend(const State& state);
  std::optional<InPlace> find_violation(const State& state,
                                        const std::vector<uint64_t>& offsets) const;
  Answer solve(const State& state, std::vector<uint64_t>* offsets);

  const Model& model_;
  std::optional<Model> apart_;        // no option is taken
  std::optional<ExactSearch> plain_;  // of `model_` when it has no options, else of `apart_`
  State start_;
  uint64_t height_ = 0;
  uint64_t end_ = 0;  // nodes at which this find() ends
  const std::function<void()>* tell_ = nullptr;
  uint64_t nodes_ = 0;
  std::vector<Placement> places_;
};

}  // namespace berth::plan
