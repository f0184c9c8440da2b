// A complete search for layouts below a given height, for problems of a few to a thousand or so
// buffers: it finds one, or proves that there is none, or has used its budget.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plan/model.h"
#include "plan/sequence.h"

namespace berth::plan {

class ExactSearch {
 public:
  enum class Answer { kFound, kImpossible, kSpent };

  // REQUIRES: is_plain(model); the model outlives the search.
  explicit ExactSearch(const Model& model);

  // Looks for a layout of at most `height` bytes with at most `max_nodes` more nodes: decisions,
  // those about very many roots at once counted as several. Calls `tell` after each try.
  Answer find(uint64_t height, uint64_t max_nodes, const std::function<void()>& tell = {});

  // The layout found last, per root.
  const std::vector<Placement>& places() const { return found_; }
  // All heights that layouts can have are multiples of it.
  uint64_t grain() const { return grain_; }
  uint64_t nodes() const { return nodes_; }

 private:
  // One decision after another, or none found within the limits of this try.
  Answer descend(size_t left);
  int32_t choose() const;
  int32_t lowest_of(const std::vector<int32_t>& roots) const;
  bool place(int32_t i);
  bool lift(int32_t i);
  bool raise(int32_t i, uint64_t low);
  bool propagate();
  bool tighten(size_t column);
  void touch(int32_t i);
  void forget_waiting();
  void undo_to(size_t mark);
  void begin_try(uint64_t attempt);
  bool goes_first(int32_t i, int32_t j) const {
    return low_[i] != low_[j] ? low_[i] < low_[j] : rank_[i] < rank_[j];
  }

  void find_columns();
  void find_twins();

  const Model& model_;
  std::vector<int32_t> all_;  // roots that take bytes
  std::vector<uint64_t> bytes_;
  std::vector<uint64_t> grid_;  // alignment
  std::vector<std::vector<int32_t>> neighbors_;
  // Roots that are alive at one step, those not placed first, by their lows. No column is inside
  // another.
  std::vector<std::vector<int32_t>> columns_;
  struct Mask {
    size_t first = 0;  // word
    std::vector<uint64_t> words;
  };
  std::vector<Mask> masks_;         // per root: its columns, a bit each
  std::vector<int32_t> next_twin_;  // per root: one like it in everything, -1 for none
  std::vector<std::vector<int32_t>> orders_;
  uint64_t grain_ = 1;

  // The state of a try.
  uint64_t height_ = 0;
  std::vector<uint64_t> low_;  // per root: it starts there or higher; there, when it is placed
  std::vector<char> placed_;
  std::vector<uint64_t> slack_;   // per column: bytes it can do without; UINT64_MAX when it is full
  std::vector<int64_t> rank_;     // of lows alike, the least is tried first
  std::vector<uint64_t> weight_;  // per column: 1, and how often it failed
  bool by_columns_ = false;
  struct Change {
    int32_t root;
    bool was_placing;
    uint64_t low;  // before
  };
  std::vector<Change> trail_;
  // Bits of columns: to tighten; looked at in this propagation, and looked at twice.
  std::vector<uint64_t> waiting_;
  std::vector<uint64_t> visited_;
  std::vector<uint64_t> visited_twice_;
  std::vector<uint64_t> lows_;  // of the column that is looked at
  uint64_t try_limit_ = 0;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;

  Sequence sequence_;
  uint64_t attempt_ = 0;
  std::vector<Placement> found_;
};

}  // namespace berth::plan
