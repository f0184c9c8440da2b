// State outlives the runs of other methods. Where methods share their pools, each keeps off the
// state of the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

// What one method must respect.
struct StatePlaces {
  // Per storage: the offset it must have. Empty: none is fixed.
  std::vector<std::optional<uint64_t>> fixed;
  // State of other methods, kept while this one runs.
  struct Reserved {
    std::string name;
    int32_t pool = 0;  // index into the pools
    uint64_t offset = 0;
    uint64_t nbytes = 0;
  };
  std::vector<Reserved> reserved;
};

// Per method. State lies at the bottom of its pool, one after the other, in the order of methods
// and storages; what a file has at one place under one name in several methods is one state, and so
// is what has no name in stock's arena for shared state, 2. A program of one method has nothing to
// respect.
Result<std::vector<StatePlaces>> place_states(const program::Program& program,
                                              const std::vector<program::Pool>& pools);

// For methods that have memory of their own, as those of stock files: state stays where it is in
// arenas where several methods have some, which are one memory for all.
std::vector<StatePlaces> keep_shared_states(const program::Program& program);

}  // namespace berth::place
