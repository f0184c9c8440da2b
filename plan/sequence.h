// A fixed sequence that looks random, for searches that must give the same plan everywhere
// (SplitMix64, Steele et al. 2014).
#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::plan {

class Sequence {
 public:
  // The next number, below `limit`. REQUIRES: limit > 0.
  size_t below(size_t limit) {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<size_t>((z ^ (z >> 31)) % limit);
  }

 private:
  uint64_t state_ = 0;
};

}  // namespace berth::plan
