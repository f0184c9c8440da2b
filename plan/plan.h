// Memory planning: every buffer gets its pool and its offset before the program runs.
// Knows no graph and no file; a buffer is a name, the steps at which it lives, and a size. Hello:
//
//   plan::Problem problem;
//   problem.pools = {{"sram", 65536}};
//   problem.buffers.push_back({"a", {{0, 2}}, 100, 16});  // alive at steps 0 and 1
//   problem.buffers.push_back({"b", {{1, 3}}, 100, 16});
//   Result<plan::Plan> plan = plan::make_plan(problem);
//   if (!plan.ok()) return plan.error();  // says which buffers do not fit, and when
//   // plan.value().placements[0] is {pool 0, offset 112}; plan.value().pool_bytes[0] is 224
//
// The rules, in the order in which they surprise:
// * Steps are integers and intervals half-open: [b, e) is alive at b, ..., e-1.
// * A buffer occupies its size rounded up to its alignment ("rounded size"), and starts at a
//   multiple of its alignment. Peak, bound and capacity count rounded sizes.
// * Two buffers of one pool that are alive at one step have no byte in common. Two exceptions: a
//   part of another buffer (Buffer::inside) and an in-place option that was taken
//   (Buffer::may_share).
// * Everything is a function of the problem: no clock, no randomness; ties end with the index.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/result.h"

namespace berth::plan {

using Step = int64_t;

struct Interval {
  Step begin = 0;
  Step end = 0;
};
using Intervals = std::vector<Interval>;  // not empty, sorted, disjoint (touching is allowed)

struct Placement {
  int32_t pool = 0;
  uint64_t offset = 0;
};
using Fixed = Placement;

// This buffer is `offset` bytes into buffer number `buffer`: a slice, an input of a concatenation,
// an argument that an NPU wants inside its arena.
struct Inside {
  int32_t buffer = 0;
  uint64_t offset = 0;
};

struct Buffer {
  std::string id = {};     // for messages; need not be unique
  Intervals live = {};     // when its bytes must not be touched by others
  uint64_t size = 0;       // bytes; 0 is legal and takes none
  uint32_t alignment = 1;  // of the offset, and the grain of the rounded size; a power of two

  // How often a run reads or writes each byte, a weight of its cost; see Plan::cost. Those of its
  // parts are in it; a part's own is not looked at.
  uint64_t accesses = 1;

  // Pools that may hold it, in order of preference; empty means pool 0 alone.
  std::vector<int32_t> pools = {};

  // It lies exactly here. The pool must be one of `pools`, unless that is empty.
  std::optional<Fixed> fixed = {};

  // It is a part of another buffer (which may be a part itself). A part goes where its host goes:
  // `fixed`, `pools` and `may_share` must be empty. The host is kept for the union of its own life
  // and its parts' lives. Parts of one host may overlap one another: whoever made them parts knows
  // why. Its bytes [offset, offset + size) lie within the host's unrounded size; its distance from
  // the start of the outermost host is a multiple of its alignment.
  std::optional<Inside> inside = {};

  // In-place options: buffers whose bytes this one may take, for example the input of an
  // elementwise operator. Both are alive in exactly one common step t, the instruction that reads
  // the old buffer last and writes this one: an interval of the other ends at t+1 and one of this
  // buffer begins at t. When taken, both start at the same offset of the same pool. An option that
  // cannot be taken (this one is larger, they overlap longer or not at all, one is a part, or a
  // part of either is alive at t) is no error: the two are then kept apart like any others.
  std::vector<int32_t> may_share = {};
};

struct Pool {
  std::string name = {};
  std::optional<uint64_t> capacity = {};  // bytes; none: as many as it takes
  uint64_t cost = 0;                      // of one access to a byte placed here; see Plan::cost
};

struct Problem {
  std::vector<Pool> pools;
  std::vector<Buffer> buffers;
};

// What the problem says that no plan could be made of: no pools, indices out of range, intervals
// that are empty, inverted or overlapping, an alignment that is no power of two, sizes that do not
// add up within 63 bits, a part that leaves its host, hosts in a circle,
// ... The first one found: pools, then each buffer by itself, then parts and their hosts, then the
// sums of sizes, each in buffer order. *buffer (when given) is its index, -1 when it is about a
// pool or the whole.
MaybeError validate(const Problem& problem, int32_t* buffer = nullptr);

// The fullest moment of one pool.
struct Moment {
  uint64_t bytes = 0;  // rounded sizes of what is alive, less what in-place options could save
  Step step = 0;       // the first step with so many
  std::vector<int32_t> live;  // buffers alive then (hosts, not parts), biggest first
};

// Per pool: no plan of the problem needs less. Counts the buffers that can be in no other pool.
// REQUIRES: validate() found nothing.
std::vector<Moment> lower_bound(const Problem& problem);

struct Plan;

// Per pool: the fullest moment of what `plan` put there. Its bytes are the plan's lower_bound.
// REQUIRES: a plan of this problem, which validate() accepts.
std::vector<Moment> fullest_moments(const Problem& problem, const Plan& plan);

enum class Planner {
  kBest,    // the best of many orders and fits, then improved; never above greedy
  kGreedy,  // ExecuTorch's rule, as a yardstick: a hull per buffer, its first allowed pool, no
            // in-place
  kNaive,   // every buffer its own bytes, in its first allowed pool
};
const char* planner_name(Planner planner);

// How far a search is.
struct Progress {
  uint64_t nodes = 0;  // placements of one buffer tried so far
  uint64_t bytes = 0;  // of the best plan so far, over all pools
  uint64_t bound = 0;  // no plan of least cost needs less, as far as is known by now
};

struct Options {
  // How many placements of one buffer `best` may try after its portfolio. A count, not a time: the
  // same plan on every machine.
  uint64_t max_nodes = 400000;
  // The tricks of `best`, to see what each is worth. Where one is off, the plan is still checked
  // and bounded as if it were on.
  bool use_holes = true;      // other buffers may use the gaps of an interval set
  bool use_in_place = true;   // take may_share options
  bool use_bottom_up = true;  // the portfolio lays out from the bottom up, not only by first fit
  bool use_mixes = true;      // ... by orders mixed at random too, where `improve` is on
  bool improve = true;        // search on after the portfolio
  bool use_exact = true;      // ... completely, which finds and proves, where that can be
  bool use_spread = true;     // ... over the choices of pools, where buffers have one
  // Called now and then, after some thousands of nodes, while `best` searches. Changes nothing of
  // the plan.
  std::function<void(const Progress&)> progress = {};
};

struct Plan {
  std::vector<Placement> placements;  // per buffer
  std::vector<uint64_t> pool_bytes;   // per pool: end of its last rounded buffer; the bytes to give
  // Per pool: what its base address must be a multiple of; at least 1.
  std::vector<uint32_t> pool_alignment;
  // Per pool: no layout of the buffers that this plan put there needs less.
  std::vector<uint64_t> lower_bound;
  uint64_t cost = 0;  // rounded size x accesses x cost of its pool, over all that are no parts
  // What greedy needs, over all pools, capacities aside. 0 when the problem is so large that only
  // greedy itself tries it.
  uint64_t greedy_bytes = 0;
  // No plan has a lower cost, and none of this cost fewer bytes over all pools.
  bool proven_optimal = false;
  uint64_t nodes = 0;    // placements of one buffer tried
  std::string planner;   // "best", "greedy", "naive"
  std::string found_by;  // which order and fit; for people
};

// Why the problem does not fit: numbers for tools, the same as in the words of the error.
struct Shortage {
  int32_t pool = 0;
  uint64_t need = 0;          // bytes that the best attempt takes there
  uint64_t have = 0;          // the pool's capacity
  Step step = 0;              // the moment at which most is alive there
  std::vector<int32_t> live;  // what is alive then, biggest first
  bool proven = false;        // no plan fits, not only none of ours
  // The smallest set of buffers found that cannot be there together, biggest first; where one of
  // them could be in another pool too: that have no room in all their pools. Not proven: what is
  // alive.
  std::vector<int32_t> conflict;
};

// Plans, and checks nothing of the result: that is plan/check.h, which shares no code with this.
// The objective of `best`, in this order: fit the capacities, then least cost, then fewest bytes
// over all pools. A buffer goes to the first of its pools that has room for it when its turn comes;
// where so few buffers are planned that all ways can be tried, to where the objective is best met.
// Fails on what validate() refuses, on fixed buffers that collide, and when a capacity is missed;
// only then *shortage (when given) is written.
Result<Plan> make_plan(const Problem& problem, Planner planner = Planner::kBest,
                       const Options& options = {}, std::optional<Shortage>* shortage = nullptr);

}  // namespace berth::plan
