// New places for the buffers of a program that someone else has planned, or we have. Instructions,
// constants, delegates and named data are not touched.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/place/place.h"
#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

struct ReplanOptions {
  // `pools` empty: the file's own arenas, each buffer where it is. Of a board: a buffer goes to the
  // pool with its arena's mem_id, else to the default one; state that several methods have in one
  // arena keeps that arena.
  PlaceOptions place;
  // Other capacities, by the names of the pools; 0: none.
  std::vector<std::pair<std::string, uint64_t>> capacities;
  // Inputs and outputs that are a buffer of their own are bound by the caller; others stay.
  bool caller_io = false;
  // False: no method needs a certificate, the record is not written.
  bool record = true;
};

// Without a board, no pool of any method gets larger than it was: where the planner (best, with
// reuse) does no better, the places stay. Bytes above the last buffer of an arena are kept in
// methods with delegates. Fills Method::plan and, if all methods can have a certificate, creates
// Program::record; else *notes says what stands against it, and the record is dropped. *program is
// changed only on success. Fails where lifetimes cannot be told (find_buffers, find_lifetimes),
// and as place() does.
// REQUIRES: a program as program::read gives it, without unknown fields.
MaybeError replan(program::Program* program, const ReplanOptions& options, Diagnostics* notes);

// Per pool of a method as it stands: bytes, tail, and what a replan could reach at best (the lower
// bound, with the results of branches in one place), and greedy.
// REQUIRES: find_buffers was here, or the method has a record.
Result<std::vector<program::PoolUse>> measure_pools(const program::Program& program,
                                                    const program::Method& method);

}  // namespace berth::place
