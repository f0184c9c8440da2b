// A complete search for problems of few buffers, whatever they ask for: several pools with
// capacities and costs, in-place options of any sizes, fixed places. It looks at layouts of all
// heights at once and has nothing to learn from failures, which is quickest for a handful and
// hopeless for many. (plan/exact.h asks for one height after the other, of one plain pool;
// plan/in_place_search.h puts in-place options on top of that, and needs one size of both sides for
// its proofs.)
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "plan/fit.h"
#include "plan/model.h"

namespace berth::plan {

class FewSearch {
 public:
  // Whether the model has so few roots that a search may end.
  static bool takes(const Model& model);

  // REQUIRES: takes(model); the model outlives the search.
  FewSearch(const Model& model, uint64_t max_nodes);

  // Looks for layouts that are better than one of this score. True when all have been looked at:
  // then places() has the best, or none is better. False when the nodes are spent; places() may
  // have a better one all the same.
  bool run(const Score& score);

  // The best layout found, per root; empty when none was better.
  const std::vector<Placement>& places() const { return places_; }
  uint64_t nodes() const { return nodes_; }

 private:
  using Set = uint32_t;  // of roots, a bit each
  struct Stack {         // the lowest layout of a set in one pool
    uint64_t height = 0;
    std::vector<uint64_t> at;  // per root; of those not in the set, anything
  };

  bool spent() const { return nodes_ >= max_nodes_; }
  bool has(Set set, int32_t i) const { return (set >> i & 1) != 0; }
  bool meet(int32_t i, int32_t j) const { return has(neighbors_[i], j); }
  bool share(int32_t i, int32_t j) const { return has(partners_[i], j); }

  void assign(size_t k, uint64_t cost);
  bool has_room(Set set, int32_t pool);
  void keep(uint64_t cost);
  uint64_t live_bytes(Set set) const;
  const Stack& lowest(Set set);
  void stack_up(Set left, uint64_t lowest, uint64_t top);
  bool is_hopeless(Set left, uint64_t lowest) const;
  void find_candidates(int32_t i, uint64_t lowest, std::vector<uint64_t>* candidates) const;
  bool is_free(int32_t i, uint64_t at) const;

  const Model& model_;
  const uint64_t max_nodes_;
  uint64_t nodes_ = 0;
  std::vector<Set> neighbors_;
  std::vector<Set> partners_;   // by in-place options, either way
  std::vector<Set> columns_;    // alive at one step
  std::vector<int32_t> order_;  // of assigning, those with bytes
  std::vector<uint64_t> rest_;  // per place in the order: the least cost of it and all behind it
  std::vector<Set> sets_;       // per pool
  Score best_;
  std::vector<Placement> places_;

  std::map<Set, Stack> stacks_;
  // The search for one stack.
  std::vector<uint64_t> at_;
  Set placed_ = 0;
  std::vector<uint64_t> grids_;
  uint64_t floor_ = 0;
  Stack stack_;
};

}  // namespace berth::plan
