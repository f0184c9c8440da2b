// A layout under construction: roots are placed one at a time, each at an address that is free
// among those placed before.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace berth::plan {

enum class Fit {
  kFirst,    // the lowest address where it fits
  kBest,     // the smallest gap where it fits; on top when there is none
  kInPlace,  // on the other side of an in-place option where one is placed, else the lowest address
};

// What a layout is judged by, most important first.
struct Score {
  uint64_t overflow = 0;  // bytes beyond capacities
  uint64_t cost = 0;
  uint64_t bytes = 0;  // over all pools

  bool operator<(const Score& other) const {
    if (overflow != other.overflow) return overflow < other.overflow;
    if (cost != other.cost) return cost < other.cost;
    return bytes < other.bytes;
  }
};

class Fitter {
 public:
  explicit Fitter(const Model& model);

  // Back to nothing but the fixed roots.
  void reset();
  bool placed(int32_t i) const { return placed_[i]; }
  const Placement& place_of(int32_t i) const { return places_[i]; }
  const std::vector<Placement>& places() const { return places_; }

  // Places root i: in the first of its pools with room below the capacity; with room in none, where
  // it sticks out least. REQUIRES: it is not placed.
  void place(int32_t i, Fit fit);
  // The same at a place known from before, without counting. REQUIRES: it is free.
  void put(int32_t i, Placement at);
  // Takes back the placements made since there were `count` of them, fixed roots not counted.
  void undo_to(size_t count);

  // The judgement of what is placed. Placing more never makes it better.
  const Score& score() const { return score_; }
  uint64_t pool_bytes(int32_t pool) const { return pool_bytes_[pool]; }
  // Work so far: roots placed by place(), and neighbours looked at for that.
  uint64_t nodes() const { return nodes_; }
  uint64_t looks() const { return looks_; }

 private:
  struct Taken {
    uint64_t begin;
    uint64_t end;
    bool in_place;  // may be lain on from its begin on
  };
  struct Made {
    int32_t root;
    uint64_t pool_bytes;  // before
    Score score;          // before
  };

  uint64_t find(int32_t i, int32_t pool, Fit fit);

  const Model& model_;
  std::vector<char> placed_;
  std::vector<Placement> places_;
  std::vector<uint64_t> pool_bytes_;
  Score score_;
  std::vector<Made> made_;
  uint64_t nodes_ = 0;
  uint64_t looks_ = 0;
  std::vector<Taken> taken_;  // scratch of find()
  std::vector<uint64_t> partners_;
};

// The judgement of a finished layout.
Score judge(const Model& model, const std::vector<Placement>& places);

}  // namespace berth::plan
