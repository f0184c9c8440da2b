// When the bytes of each storage matter: interval sets over instruction indices, from liveness over
// the jumps.
#pragma once

#include <vector>

#include "compiler/place/effects.h"
#include "compiler/place/intervals.h"
#include "program/program.h"

namespace berth::place {

struct Lifetimes {
  // Per storage; empty for storages that lie in no pool. A storage is occupied at instruction k
  // when it is read or written there, or carries bytes through it. Inputs are occupied at 0, state
  // throughout, outputs to the end. A method without instructions counts as one step.
  std::vector<Intervals> live;
  std::vector<Effects> effects;  // per instruction
  uint32_t steps = 0;            // instructions, at least 1
};

// REQUIRES: program::validate found nothing.
Lifetimes find_lifetimes(const program::Method& method);

}  // namespace berth::place
