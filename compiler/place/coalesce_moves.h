// Results of different branches that move into one value are never needed at once: in one place
// they cost once, and the value has one place again, whatever the path.
#pragma once

#include "compiler/place/lifetimes.h"
#include "program/program.h"

namespace berth::place {

// Puts the buffers that a value may stand for into one storage each, where none of them is written
// while another is live, and gives the targets of moves and et_view the place that they stand for.
// Places in pools are no longer those of the file: a planner must follow.
// REQUIRES: lifetimes are the method's.
void coalesce_moves(const Lifetimes& lifetimes, program::Method* method);

// Only the targets: each that has no bytes of its own gets the first place that it may stand for,
// so that it has one inside the pool wherever buffers go. REQUIRES: lifetimes are the method's.
void place_targets(const Lifetimes& lifetimes, program::Method* method);

}  // namespace berth::place
