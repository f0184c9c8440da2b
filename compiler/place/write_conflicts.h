// Whether two buffers may share bytes, by what instructions write: one must not be written where
// the other is live. That both are live somewhere at the same instruction is no harm: after a
// branch a value may stand for either result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/place/lifetimes.h"
#include "program/program.h"

namespace berth::place {

struct Clobber {
  uint32_t instruction = 0;  // that writes; 0 also for what is filled before it
  int32_t writer = -1;       // value through which it writes
  int32_t victim = -1;       // value whose bytes are live there, wholly or in part
};

class WriteConflicts {
 public:
  // REQUIRES: both outlive this; lifetimes are the method's.
  WriteConflicts(const program::Method& method, const Lifetimes& lifetimes);

  // The first conflict when storage a lies at byte a_offset and storage b at b_offset of one
  // memory.
  std::optional<Clobber> find(int32_t a, uint64_t a_offset, int32_t b, uint64_t b_offset) const;

 private:
  struct Write {
    uint32_t step = 0;
    int32_t value = -1;
    uint64_t begin = 0;  // in the storage
    uint64_t end = 0;
  };

  std::optional<Clobber> find_write(int32_t written, uint64_t written_offset, int32_t other,
                                    uint64_t other_offset) const;
  int32_t value_in(int32_t storage, uint64_t begin, uint64_t end) const;

  const program::Method& method_;
  const Lifetimes& lifetimes_;
  std::vector<std::vector<Write>> writes_;  // per storage, ascending by step
  std::vector<bool> is_initial_;            // filled before the first instruction
};

}  // namespace berth::place
