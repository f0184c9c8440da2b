// --spread: which of a board's pools a buffer may go to.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/lifetimes.h"
#include "compiler/place/place.h"
#include "program/program.h"

namespace berth::place {

// Per storage, pools (indices into options.pools) that all its users reach, cheapest first; of
// equal ones the default first. Kernels, and the caller of a method, are "cpu"; delegates reach
// what PoolSpread says. Empty: the storage stays in the pool where it would be without --spread,
// because it asks for that by name, is a backend's own, or is touched by a delegate of which
// nothing is known. REQUIRES: options.spread; lifetimes are the method's.
std::vector<std::vector<int32_t>> spread_pools(const program::Method& method,
                                               const Lifetimes& lifetimes,
                                               const PlaceOptions& options);

}  // namespace berth::place
