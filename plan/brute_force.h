// The best plan there is, by trying everything: what tests measure the planners by. It shares no
// code with them and knows one trick: in some best plan every buffer lies at 0, on the end of
// another one (aligned), or where an in-place partner lies; so those addresses are all it tries.
// For some eight buffers that are no parts, and steps from 0 to 63.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"

namespace berth::plan {

class BruteForce {
 public:
  // REQUIRES: validate(problem) found nothing; at most 12 buffers are no parts; the problem
  // outlives this.
  explicit BruteForce(const Problem& problem);

  struct Optimum {
    uint64_t cost = 0;
    uint64_t bytes = 0;            // over all pools, the fewest of plans with that cost
    std::vector<uint64_t> fewest;  // per pool: of plans with that cost
  };
  // Nothing when no plan fits.
  std::optional<Optimum> find_optimum();

  // The fewest bytes for these buffers (hosts, not parts) in one pool; UINT64_MAX when fixed ones
  // collide.
  uint64_t height_of(const std::vector<int32_t>& buffers);

  // The size of a smallest set of buffers that must be in `pool` and take more than its capacity;
  // 0 when all of them together fit.
  size_t fewest_in_conflict(int32_t pool);

 private:
  struct Piece {  // a buffer with its parts
    int32_t buffer;
    uint64_t own_steps;  // a bit per step
    uint64_t steps;      // with the parts'
    uint64_t part_steps;
    uint64_t bytes;
    uint64_t alignment;
  };

  bool is_option(const Piece& taker, const Piece& giver) const;
  bool may_lie(size_t i, uint64_t at, size_t j, uint64_t other) const;
  uint64_t height(uint32_t set);
  void descend(uint32_t left, uint64_t lowest, uint64_t top);
  void assign(size_t i, uint64_t cost);

  const Problem& problem_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<char>> option_;         // [taker][giver]
  std::vector<std::optional<uint64_t>> heights_;  // per set of pieces

  // The search for one height.
  std::vector<std::pair<size_t, uint64_t>> placed_;  // piece, address
  std::vector<uint64_t> grids_;
  uint64_t floor_ = 0;
  uint64_t best_ = 0;

  // The search over pools.
  std::vector<uint32_t> sets_;  // per pool
  std::optional<Optimum> optimum_;
};

}  // namespace berth::plan
