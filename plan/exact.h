// A complete search for layouts below a given height, for problems of a few to a thousand or so
// buffers: it finds one, or proves that there is none, or has used its budget.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
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
  static constexpr int32_t kNowhere = INT32_MAX;

  // Roots that wait to be placed and meet no others that wait: what is decided about the rest
  // changes nothing here.
  struct Section {
    std::vector<int32_t> roots;  // some may be placed by now
    std::vector<size_t> columns;
    int32_t maker = -1;             // depth of the descend() that made it; -1: there from the start
    const Section* rest = nullptr;  // comes after it
  };

  // Decides about the `left` roots that wait in `section`, then about the sections behind it.
  // `depth`: how many descend() are running. On kImpossible all is as it was.
  Answer descend(const Section& section, size_t left, int32_t depth);
  Answer place_rest(const Section& section, size_t left, int32_t depth, int32_t placed);
  bool fills_a_column(int32_t i) const;
  std::vector<Section> split(const Section& section, int32_t maker) const;
  size_t tightest_of(const std::vector<size_t>& columns) const;
  int32_t choose(const Section& section) const;
  int32_t lowest_of(const std::vector<int32_t>& roots) const;
  bool place(int32_t i);
  bool lift(int32_t i);
  bool raise(int32_t i, uint64_t low);
  bool propagate();
  bool tighten(size_t column);
  bool raise_above_rungs(size_t column, size_t left, size_t count);
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
  // Roots that are alive at one step, those not placed first. No column is inside another.
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
  struct Level {  // the roots of a column whose lows differ by less than 1/32 of the height
    uint64_t bytes = 0;
    uint64_t low = UINT64_MAX;  // the least and the highest
    uint64_t high = 0;
    uint64_t end = UINT64_MAX;  // the least
  };
  std::vector<Level> levels_;  // empty but within tighten()
  int level_shift_ = 0;
  struct Rung {  // of a column: the roots with lows of `low` and more
    uint64_t low;
    uint64_t high;  // of those that are not on the rung above
    uint64_t most;  // whose low is above it is not the first of them
    uint64_t end;   // the least
  };
  std::vector<Rung> rungs_;
  std::vector<std::pair<int32_t, const Rung*>> raised_;
  int32_t jump_ = kNowhere;  // the descend() whose last decision led to what is impossible
  uint64_t try_limit_ = 0;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;
  uint64_t looks_per_node_ = 1;

  Sequence sequence_;
  uint64_t attempt_ = 0;
  std::vector<Placement> found_;
};

}  // namespace berth::plan
