// What one instruction does to values: which it reads, which it writes, which it makes stand for
// the bytes of another. From the operator's schema where we know it; the conservative rule for the
// rest is in effects.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace berth::place {

struct Effects {
  std::vector<int32_t> reads;    // tensor values, list elements included
  std::vector<int32_t> writes;   // results
  std::vector<int32_t> scratch;  // written, and of no interest before and after
  // `to` stands for the bytes of `from` from here on (a move, et_view).
  struct Repoint {
    int32_t from;
    int32_t to;
  };
  std::vector<Repoint> repoints;
};

// Effects of every instruction of the method, in order. REQUIRES: program::validate found nothing.
std::vector<Effects> find_effects(const program::Method& method);

}  // namespace berth::place
