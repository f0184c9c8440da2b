#include "plan/brute_force.h"

#include <algorithm>
#include <cassert>

namespace berth::plan {
namespace {

uint64_t steps_of(const Buffer& buffer) {
  uint64_t steps = 0;
  for (const Interval& life : buffer.live) {
    for (Step step = life.begin; step < life.end; ++step) {
      assert(0 <= step && step < 64);
      steps |= uint64_t{1} << step;
    }
  }
  return steps;
}

uint64_t round_up(uint64_t value, uint64_t grain) { return (value + grain - 1) / grain * grain; }

}  // namespace

BruteForce::BruteForce(const Problem& problem) : problem_(problem) {
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    if (buffer.inside) continue;
    Piece piece = {int32_t(i),      steps_of(buffer), 0, 0, round_up(buffer.size, buffer.alignment),
                   buffer.alignment};
    for (const Buffer& part : problem.buffers) {
      const Buffer* at = &part;
      while (at->inside && at->inside->buffer != int32_t(i)) {
        at = &problem.buffers[at->inside->buffer];
      }
      if (!at->inside) continue;
      piece.part_steps |= steps_of(part);
      piece.alignment = std::max<uint64_t>(piece.alignment, part.alignment);
    }
    piece.steps = piece.own_steps | piece.part_steps;
    pieces_.push_back(piece);
  }
  assert(pieces_.size() <= 12);
  option_.assign(pieces_.size(), std::vector<char>(pieces_.size(), 0));
  for (size_t t = 0; t < pieces_.size(); ++t) {
    for (size_t g = 0; g < pieces_.size(); ++g) option_[t][g] = is_option(pieces_[t], pieces_[g]);
  }
  heights_.resize(size_t{1} << pieces_.size());
}

// In the words of plan.h at Buffer::may_share.
bool BruteForce::is_option(const Piece& taker, const Piece& giver) const {
  const Buffer& t = problem_.buffers[taker.buffer];
  const Buffer& g = problem_.buffers[giver.buffer];
  if (std::find(t.may_share.begin(), t.may_share.end(), giver.buffer) == t.may_share.end()) {
    return false;
  }
  if (t.size > g.size) return false;
  const uint64_t common = taker.steps & giver.steps;
  if (common == 0 || (common & (common - 1)) != 0) return false;
  if ((common & taker.own_steps & giver.own_steps) == 0) return false;
  if ((common & (taker.part_steps | giver.part_steps)) != 0) return false;
  return (taker.steps & (common >> 1)) == 0 && (giver.steps & (common << 1)) == 0;
}

bool BruteForce::may_lie(size_t i, uint64_t at, size_t j, uint64_t other) const {
  if ((pieces_[i].steps & pieces_[j].steps) == 0) return true;
  if (at + pieces_[i].bytes <= other || other + pieces_[j].bytes <= at) return true;
  if (pieces_[i].bytes == 0 || pieces_[j].bytes == 0) return true;
  return at == other && (option_[i][j] || option_[j][i]);
}

uint64_t BruteForce::height(uint32_t set) {
  if (heights_[set]) return *heights_[set];
  placed_.clear();
  grids_.clear();
  uint64_t top = 0;
  uint32_t left = 0;
  bool possible = true;
  bool options = false;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    const auto& fixed = problem_.buffers[pieces_[i].buffer].fixed;
    for (size_t j = 0; j < pieces_.size(); ++j) options = options || option_[i][j];
    grids_.push_back(pieces_[i].alignment);
    if (!fixed) {
      if (pieces_[i].bytes > 0) left |= uint32_t{1} << i;
      continue;
    }
    for (const auto& [j, at] : placed_) possible = possible && may_lie(i, fixed->offset, j, at);
    placed_.push_back({i, fixed->offset});
    top = std::max(top, fixed->offset + pieces_[i].bytes);
  }
  std::sort(grids_.begin(), grids_.end());
  grids_.erase(std::unique(grids_.begin(), grids_.end()), grids_.end());
  floor_ = top;
  for (int step = 0; step < 64 && !options; ++step) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if ((set >> i & 1) != 0 && (pieces_[i].steps >> step & 1) != 0) bytes += pieces_[i].bytes;
    }
    floor_ = std::max(floor_, bytes);
  }
  best_ = UINT64_MAX;
  if (possible) descend(left, 0, top);
  heights_[set] = best_;
  return best_;
}

// From the bottom up: the next one lies no lower than `lowest`, where the last one went.
void BruteForce::descend(uint32_t left, uint64_t lowest, uint64_t top) {
  if (top >= best_ || best_ <= floor_) return;
  if (left == 0) {
    best_ = top;
    return;
  }
  std::vector<uint64_t> candidates;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if ((left >> i & 1) == 0) continue;
    candidates = {0};
    for (const auto& [j, at] : placed_) {
      if (option_[i][j] || option_[j][i]) candidates.push_back(at);
      // Another's grid: an in-place partner yet to come may need it.
      for (uint64_t grid : grids_) candidates.push_back(round_up(at + pieces_[j].bytes, grid));
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (uint64_t at : candidates) {
      if (at < lowest || at % pieces_[i].alignment != 0) continue;
      const bool free = std::all_of(placed_.begin(), placed_.end(), [&](const auto& other) {
        return may_lie(i, at, other.first, other.second);
      });
      if (!free) continue;
      placed_.push_back({i, at});
      descend(left & ~(uint32_t{1} << i), at, std::max(top, at + pieces_[i].bytes));
      placed_.pop_back();
    }
  }
}

void BruteForce::assign(size_t i, uint64_t cost) {
  if (i < pieces_.size()) {
    const Buffer& buffer = problem_.buffers[pieces_[i].buffer];
    std::vector<int32_t> pools = buffer.pools;
    if (pools.empty()) pools = {0};
    if (buffer.fixed) pools = {buffer.fixed->pool};
    for (int32_t pool : pools) {
      sets_[pool] |= uint32_t{1} << i;
      assign(i + 1, cost + pieces_[i].bytes * buffer.accesses * problem_.pools[pool].cost);
      sets_[pool] &= ~(uint32_t{1} << i);
    }
    return;
  }
  if (optimum_ && cost > optimum_->cost) return;
  Optimum found = {cost, 0, {}};
  for (size_t p = 0; p < sets_.size(); ++p) {
    const uint64_t bytes = height(sets_[p]);
    const auto& capacity = problem_.pools[p].capacity;
    if (bytes == UINT64_MAX || (capacity && bytes > *capacity)) return;
    found.bytes += bytes;
    found.fewest.push_back(bytes);
  }
  if (optimum_ && optimum_->cost == cost) {
    found.bytes = std::min(found.bytes, optimum_->bytes);
    for (size_t p = 0; p < sets_.size(); ++p) {
      found.fewest[p] = std::min(found.fewest[p], optimum_->fewest[p]);
    }
  }
  optimum_ = found;
}

std::optional<BruteForce::Optimum> BruteForce::find_optimum() {
  sets_.assign(problem_.pools.size(), 0);
  optimum_.reset();
  assign(0, 0);
  return optimum_;
}

uint64_t BruteForce::height_of(const std::vector<int32_t>& buffers) {
  uint32_t set = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (std::find(buffers.begin(), buffers.end(), pieces_[i].buffer) != buffers.end()) {
      set |= uint32_t{1} << i;
    }
  }
  return height(set);
}

size_t BruteForce::fewest_in_conflict(int32_t pool) {
  const auto& capacity = problem_.pools[pool].capacity;
  size_t fewest = 0;
  for (uint32_t set = 1; set < heights_.size() && capacity; ++set) {
    size_t count = 0;
    bool is_here = true;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      ++count;
      const Buffer& buffer = problem_.buffers[pieces_[i].buffer];
      std::vector<int32_t> pools = buffer.pools;
      if (pools.empty()) pools = {0};
      if (buffer.fixed) pools = {buffer.fixed->pool};
      is_here = is_here && pools == std::vector<int32_t>{pool};
    }
    if (!is_here || (fewest > 0 && count >= fewest)) continue;
    if (height(set) > *capacity) fewest = count;
  }
  return fewest;
}

}  // namespace berth::plan
